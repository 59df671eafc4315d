// `v1` to `v2` and back. Pure, total (whatever is stored converts), and without loss: what `v1` has no field for travels with
// the `v1` object, and comes back unless the `v1` fields were changed on the way.
import { applyDefaults, deepEqual, type Structural, structuralOf, type VersionedObject } from "@telltale/kinds";
import { carriedBy, carrying, carryingNothing } from "./conversion-data.ts";
import { present, some } from "./present.ts";
import {
  affinityOf,
  nodeLabels,
  shownLabels,
  shownToleration,
  tolerationOf,
  withLabels,
  withTolerations,
} from "./scheduling.ts";
import { isRecord, shaped, whole } from "./shape.ts";
import { LocustTestSpec } from "./spec.ts";
import { LocustTestSpecV1 } from "./spec-v1.ts";

export type LocustTestV1 = VersionedObject<LocustTestSpecV1>;
export type LocustTestV2 = VersionedObject<LocustTestSpec>;

export function toV2(object: LocustTestV1): LocustTestV2 {
  const { spec: _, ...rest } = object;
  const given = v1Of(object.spec);
  // No server has checked it: what could not have been stored in v2 is not let in through v1 either.
  const carried = whole(schemas().v2, carriedBy(object.metadata)) as V2 | undefined;
  const spec = carried === undefined ? given && specToV2(given) : given && withChanges(carried, given);
  return {
    ...rest,
    apiVersion: "locust.io/v2",
    metadata: carryingNothing(object.metadata),
    ...(spec && { spec: spec as LocustTestSpec }), // what was missing is missing
  };
}

export function toV1(object: LocustTestV2): LocustTestV1 {
  const { spec: _, ...rest } = object;
  const given = v2Of(object.spec);
  const spec = given && specToV1(given);
  const isWhole = spec === undefined || isSame(specToV2(spec), object.spec);
  return {
    ...rest,
    apiVersion: "locust.io/v1",
    metadata: isWhole ? carryingNothing(object.metadata) : carrying(object.metadata, object.spec),
    ...(spec && { spec: spec as LocustTestSpecV1 }), // what was missing is missing
  };
}

/** Specs that no server has checked: of the right types, but anything may be missing. */
type Loose<S> = { readonly [K in keyof S]?: S[K] extends readonly unknown[] | undefined ? S[K] : Partial<S[K]> };
type V1 = Loose<LocustTestSpecV1>;
type V2 = Loose<LocustTestSpec>;

function specToV2(v1: V1): V2 {
  const { labels = {}, annotations = {} } = v1;
  return present({
    image: v1.image,
    imagePullPolicy: v1.imagePullPolicy || undefined,
    imagePullSecrets: filled(v1.imagePullSecrets)?.map((name) => ({ name })),
    master: present({
      command: v1.masterCommandSeed,
      labels: labels.master,
      annotations: annotations.master,
      autostart: true,
      autoquit: { enabled: true, timeout: 60 },
    }),
    worker: present({
      command: v1.workerCommandSeed,
      replicas: v1.workerReplicas,
      labels: labels.worker,
      annotations: annotations.worker,
    }),
    testFiles: some({ configMapRef: v1.configMap || undefined, libConfigMapRef: v1.libConfigMap || undefined }),
    scheduling: some({
      affinity: affinityOf(nodeLabels(v1)),
      tolerations: filled(v1.tolerations)?.map(tolerationOf),
    }),
  });
}

function specToV1(v2: V2): V1 {
  const { master = {}, worker = {}, testFiles = {}, scheduling = {} } = v2;
  const required = filledMap(shownLabels(scheduling.affinity));
  return present({
    masterCommandSeed: master.command,
    workerCommandSeed: worker.command,
    workerReplicas: worker.replicas,
    image: v2.image,
    imagePullPolicy: v2.imagePullPolicy,
    imagePullSecrets: filled(v2.imagePullSecrets)?.map(({ name }) => name ?? ""),
    configMap: testFiles.configMapRef,
    libConfigMap: testFiles.libConfigMapRef,
    labels: some({ master: filledMap(master.labels), worker: filledMap(worker.labels) }),
    annotations: some({ master: filledMap(master.annotations), worker: filledMap(worker.annotations) }),
    affinity: required && { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    tolerations: filled(scheduling.tolerations)?.map(shownToleration),
  });
}

/** What is the same in both versions, by where it is. */
const mapped: readonly (readonly [v1: string, v2: string])[] = [
  ["image", "image"],
  ["imagePullPolicy", "imagePullPolicy"],
  ["imagePullSecrets", "imagePullSecrets"],
  ["masterCommandSeed", "master.command"],
  ["workerCommandSeed", "worker.command"],
  ["workerReplicas", "worker.replicas"],
  ["labels.master", "master.labels"],
  ["labels.worker", "worker.labels"],
  ["annotations.master", "master.annotations"],
  ["annotations.worker", "worker.annotations"],
  ["configMap", "testFiles.configMapRef"],
  ["libConfigMap", "testFiles.libConfigMapRef"],
];

/** The carried spec, with each field that somebody has changed in `v1`. */
function withChanges(carried: V2, v1: V1): V2 {
  const shown = specToV1(carried);
  const plain = specToV2(v1);
  let spec: Tree = carried;
  for (const [from, to] of mapped) {
    if (!deepEqual(at(v1, from), at(shown, from))) spec = put(spec, to.split("."), at(plain, to));
  }
  const { affinity, tolerations = [] } = carried.scheduling ?? {};
  if (!deepEqual(nodeLabels(v1), nodeLabels(shown))) {
    spec = put(spec, ["scheduling", "affinity"], withLabels(affinity, nodeLabels(v1)));
  }
  if (!deepEqual(v1.tolerations ?? [], shown.tolerations ?? [])) {
    spec = put(spec, ["scheduling", "tolerations"], withTolerations(tolerations, v1.tolerations ?? []));
  }
  return spec as V2;
}

type Tree = Readonly<Record<string, unknown>>;

function at(tree: unknown, path: string): unknown {
  return path.split(".").reduce((here, name) => (isRecord(here) ? here[name] : undefined), tree);
}

/** A copy with another value at a path; without one where it is undefined, and without objects that this leaves empty. */
function put(tree: Tree, [name = "", ...rest]: readonly string[], value: unknown): Tree {
  const { [name]: old, ...others } = tree;
  const made = rest.length === 0 ? value : some(put(isRecord(old) ? old : {}, rest, value));
  return made === undefined ? others : { ...others, [name]: made };
}

const filled = <T>(list: readonly T[] | undefined): T[] | undefined => (list?.length ? [...list] : undefined);

const filledMap = <T extends object>(map: T | undefined): T | undefined =>
  map !== undefined && Object.keys(map).length > 0 ? map : undefined;

/** Equal as a server would store both. */
function isSame(a: unknown, b: unknown): boolean {
  return deepEqual(applyDefaults(schemas().v2, a), applyDefaults(schemas().v2, b));
}

const v1Of = (spec: unknown): V1 | undefined => shaped(schemas().v1, spec) as V1 | undefined;
const v2Of = (spec: unknown): V2 | undefined => shaped(schemas().v2, spec) as V2 | undefined;

let made: { readonly v1: Structural; readonly v2: Structural } | undefined;

/** Made when the first object comes: an operator without webhooks needs neither. */
function schemas() {
  made ??= { v1: structuralOf("v1", LocustTestSpecV1), v2: structuralOf("v2", LocustTestSpec) };
  return made;
}
