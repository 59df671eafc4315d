// Which instances are made, changed and removed, and which slots they have (5.3, 8.3). Pure.
import { type Instant, instant, parseTime } from "@telltale/kinds";
import { isKnownDown, isReadyChild } from "../aggregate/child-view.ts";
import { assignInstanceSlots, type InstanceSlots } from "../aggregate/slots.ts";
import type { Bind9ClusterSpec, Bind9Instance } from "../kinds/index.ts";
import { annotations, instanceName, managedInstanceLabels, ordinalOf, type Role } from "../names.ts";
import type { Wanted, World } from "./world.ts";

export interface Plan {
  /** As they have to be: primaries first, in ascending order. */
  readonly keep: readonly Kept[];
  readonly repair: readonly { readonly instance: Bind9Instance; readonly slot: number }[];
  readonly remove: readonly Bind9Instance[];
}

export interface Kept {
  readonly name: string;
  readonly slot: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Pick<
    Bind9Instance["spec"],
    "clusterRef" | "role" | "version" | "image" | "configMapRefs" | "volumes" | "volumeMounts" | "bindcarConfig"
  >;
}

const nothing: Plan = { keep: [], repair: [], remove: [] };

export function plan(world: World, now: Instant): Plan {
  const { it, checked, children, taken } = world;
  if (checked.at === "invalid") return nothing;
  const { name = "" } = it.metadata;
  const wanted = wantedOf(name, checked.spec).filter((one) => !taken.includes(one.name));
  const { slots, repair } = slotsOf(world, now);
  const there = new Map(children.map((child) => [child.view.name, child]));
  const keep = wanted.flatMap((one) => {
    const child = there.get(one.name);
    // Its name is free again once it is gone.
    if (child?.view.isLeaving === true) return [];
    const slot = slots.get(one.name) ?? 0;
    return [{ ...keptOf(name, one, checked.spec), slot }];
  });
  return {
    keep,
    repair: repair.flatMap(({ name: of, slot }) => {
      const instance = there.get(of)?.instance;
      return instance === undefined ? [] : [{ instance, slot }];
    }),
    remove: surplusOf(world).remove,
  };
}

export function wantedOf(cluster: string, { primary, secondary }: Bind9ClusterSpec): readonly Wanted[] {
  const of = (role: Role, count = 0): Wanted[] =>
    Array.from({ length: count }, (_, ordinal) => ({ name: instanceName(cluster, role, ordinal), role, ordinal }));
  return [...of("primary", primary?.replicas), ...of("secondary", secondary?.replicas)];
}

/** Those that are there and those that are to be made, in one numbering. */
export function slotsOf({ it, checked, children, taken }: World, now: Instant): InstanceSlots {
  const { name = "" } = it.metadata;
  const present = children.map(({ instance, isManaged }) => {
    const { metadata, spec } = instance;
    return {
      name: metadata.name ?? "",
      role: spec.role,
      ordinal: isManaged ? (ordinalOf(metadata.name ?? "", name, spec.role) ?? 0) : undefined,
      created: parseTime(metadata.creationTimestamp) ?? instant(0),
      annotation: metadata.annotations?.[annotations.instanceIndex],
    };
  });
  const names = new Set(present.map((one) => one.name));
  const wanted = checked.at === "valid" ? wantedOf(name, checked.spec) : [];
  const missing = wanted
    .filter((one) => !names.has(one.name) && !taken.includes(one.name))
    .map((one) => ({ ...one, created: now, annotation: undefined }));
  return assignInstanceSlots([...present, ...missing]);
}

function keptOf(cluster: string, { name, role }: Wanted, spec: Bind9ClusterSpec): Omit<Kept, "slot"> {
  const { version, image, configMapRefs, volumes, volumeMounts, global } = spec;
  const { bindcarConfig } = global ?? {};
  return {
    name,
    labels: { ...spec[role]?.labels, ...managedInstanceLabels(cluster, role) },
    spec: {
      clusterRef: cluster,
      role,
      ...(version === undefined ? {} : { version }),
      ...(image === undefined ? {} : { image }),
      ...(configMapRefs === undefined ? {} : { configMapRefs }),
      ...(volumes === undefined ? {} : { volumes }),
      ...(volumeMounts === undefined ? {} : { volumeMounts }),
      ...(bindcarConfig === undefined ? {} : { bindcarConfig }),
    },
  };
}

export interface Surplus {
  /** Secondaries before primaries, the highest first. */
  readonly remove: readonly Bind9Instance[];
  /** Those that may serve while one of their role that stays is not known to be ready. */
  readonly keep: readonly Bind9Instance[];
}

/** Managed instances that the spec does not ask for. Not known to be ready is not known to be down: what may serve stays. */
export function surplusOf({ it, checked, children, taken }: World): Surplus {
  if (checked.at === "invalid") return { remove: [], keep: [] };
  const { name: cluster = "" } = it.metadata;
  const wanted = wantedOf(cluster, checked.spec);
  const ready = new Set(children.filter(({ view }) => isReadyChild(view)).map(({ view }) => view.name));
  const names = new Set(wanted.map(({ name }) => name));
  const surplus = children.filter(({ isManaged, view }) => isManaged && !view.isLeaving && !names.has(view.name));
  const byRole = (["secondary", "primary"] as const).map((role) => {
    const staying = wanted.filter((one) => one.role === role && !taken.includes(one.name));
    const isSafe = staying.every((one) => ready.has(one.name));
    const sorted = surplus
      .filter(({ instance }) => instance.spec.role === role)
      .sort((a, b) => ordinal(b.instance, cluster) - ordinal(a.instance, cluster));
    return Map.groupBy(sorted, ({ view }) => (isSafe || isKnownDown(view) ? "remove" : "keep"));
  });
  const all = (what: "remove" | "keep") => byRole.flatMap((of) => of.get(what) ?? []).map(({ instance }) => instance);
  return { remove: all("remove"), keep: all("keep") };
}

const ordinal = ({ metadata, spec }: Bind9Instance, cluster: string): number =>
  ordinalOf(metadata.name ?? "", cluster, spec.role) ?? Number.MAX_SAFE_INTEGER;
