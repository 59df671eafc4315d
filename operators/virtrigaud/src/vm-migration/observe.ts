// What Kubernetes knows of a migration, its source and its target, out of the cache. Providers are not asked here.
import type { KubeObject } from "@telltale/kinds";
import { Deployment, Job, Namespace, PersistentVolumeClaim, Pod } from "@telltale/kinds/builtin";
import { type Look, recordOf } from "@telltale/runtime";
import { findCondition, type SafeText, text } from "@telltale/status";
import type { AddressPolicy, Lookup } from "../addresses.ts";
import {
  Provider,
  VirtualMachine,
  VMClass,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSnapshot,
} from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { providerAtWork } from "../provider/observe.ts";
import { runtimeName } from "../provider/runtime-names.ts";
import { claimsIn } from "../provider/volumes.ts";
import { acceptsFrom, type Crossing, type Followed, follow, type Name, resolve } from "../references.ts";
import { lockOf } from "../virtual-machine/observe.ts";
import { reach, type Ways } from "../vm-snapshot/reach.ts";
import { specProblem } from "./checks.ts";
import type { Flights } from "./flights.ts";
import type { JobTools } from "./job.ts";
import { type Work, workOf } from "./job-state.ts";
import type { Outside } from "./outside.ts";
import { claimName, stagedIn } from "./staging.ts";
import { classRefOf, isOurs, placeOf } from "./target.ts";
import type { Claim, Held, Problem, Side, Source, World } from "./world.ts";

export interface Senses extends Ways {
  readonly crossing: Crossing;
  readonly addresses: AddressPolicy;
  readonly lookup: Lookup;
  readonly outside: Outside;
  readonly flights: Flights;
  /** Undefined: there are no Jobs, for want of an image. */
  readonly tools?: JobTools;
}

export async function observe(migration: VMMigration, look: Look, senses: Senses): Promise<World> {
  const { namespace = "", name = "" } = migration.metadata;
  const { crossing } = senses;
  const { source: asked, target: wanted } = migration.spec;
  const source = sourceOf(migration, look);
  const at = placeOf(migration);
  const claim = claimOf(migration, look);
  const object = look.get(VirtualMachine, at);
  const { phase, observedGeneration: _generation, conditions, message: _said, ...status } = migration.status ?? {};
  const sides = (ref: Name, users: readonly string[]) => sideOf(ref, users, claim, migration, look, senses);
  return {
    migration,
    now: look.now,
    phase,
    source,
    from: await sides(resolve(asked.providerRef ?? source.vm?.spec.providerRef ?? { name: "" }, namespace), [
      namespace,
    ]),
    to: await sides(resolve(wanted.providerRef, namespace), [namespace, at.namespace]),
    target: { at, object, isOurs: isOurs(object, migration) },
    snapshot: look.get(VMSnapshot, { namespace, name: asked.snapshotRef?.name ?? `${name}-src` }),
    claim,
    tools: senses.tools,
    jobs: jobsOf(migration, look),
    problem: specProblem(migration) ?? homeProblem(migration, at, look, crossing),
    lacking: lackingOf(migration, source.vm, at, look, crossing),
    staged: stagedIn(migration),
    record: recordOf(migration, annotations.pendingOp),
    held: heldOf(status),
    told: { ready: findCondition(conditions, "Ready"), failed: findCondition(conditions, "Failed") },
    heard: {},
  };
}

const heldOf = (status: Held): Held =>
  Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined && value !== ""));

export const lockValue = ({ metadata }: VMMigration): string =>
  `${metadata.namespace}/${metadata.name}/${metadata.uid}`;

function sourceOf(migration: VMMigration, look: Look): Source {
  const { namespace = "" } = migration.metadata;
  const at = { namespace, name: migration.spec.source.vmRef.name };
  const vm = look.get(VirtualMachine, at);
  if (vm === undefined) return { at, vm, lock: "free" };
  if (vm.metadata.annotations?.[annotations.migrationLock] === lockValue(migration)) return { at, vm, lock: "ours" };
  const holder = lockOf(vm, look);
  return { at, vm, lock: holder === undefined ? "free" : { holder } };
}

async function sideOf(
  at: Name,
  users: readonly string[],
  claim: Claim | undefined,
  migration: VMMigration,
  look: Look,
  senses: Senses,
): Promise<Side> {
  const find = (it: Name) => look.get(Provider, it);
  const refused = users
    .map((user) => follow(Provider.kind, at, user, find, senses.crossing))
    .find(({ is }) => is === "refused");
  const refusal = refused?.is === "refused" ? refused.what : undefined;
  const closed = { is: "closed", why: refusal ?? text`` } as const;
  const channel = refusal === undefined ? await reach(at, look, senses) : closed;
  return { at, channel, refusal, unmounted: unmountedFrom(find(at), claim, migration, look) };
}

/** A provider without a Deployment of ours runs elsewhere: whoever runs it mounts what it needs. */
function unmountedFrom(
  provider: Provider | undefined,
  claim: Claim | undefined,
  migration: VMMigration,
  look: Look,
): Side["unmounted"] {
  if (provider === undefined || claim === undefined) return undefined;
  const { namespace = "", name = "" } = provider.metadata;
  const deployment = look.get(Deployment, { namespace, name: runtimeName(provider) });
  if (deployment === undefined) return undefined;
  if (!claimsIn(deployment).includes(claim.name)) {
    const key = `${namespace}/${name}`;
    const others = look.list(VMMigration).filter((it) => it.metadata.uid !== migration.metadata.uid);
    const busy = others.filter((it) => providerAtWork(it, look) === key).length;
    return busy === 0
      ? { reason: "WaitingForStorageMount", why: text`Provider ${name} does not mount claim ${claim.name} yet` }
      : { reason: "WaitingForProviderIdle", why: text`Provider ${name} is at transfers of other migrations` };
  }
  const { replicas = 1 } = deployment.spec ?? {};
  const { observedGeneration = 0, updatedReplicas = 0, readyReplicas = 0, replicas: all = 0 } = deployment.status ?? {};
  const isRolled =
    observedGeneration >= (deployment.metadata?.generation ?? 0) &&
    updatedReplicas >= replicas &&
    readyReplicas >= replicas &&
    all <= replicas;
  const why = text`the pods of Provider ${name} with claim ${claim.name} are not ready yet`;
  return isRolled ? undefined : { reason: "WaitingForStorageMount", why };
}

function claimOf(migration: VMMigration, look: Look): Claim | undefined {
  const { storage } = migration.spec;
  if (storage?.type !== "pvc" || storage.pvc === undefined) return undefined;
  const { namespace = "", uid } = migration.metadata;
  const name = claimName(migration);
  const isShared = look
    .list(VMMigration, { namespace })
    .some(
      (it) =>
        it.metadata.uid !== uid &&
        it.spec.storage?.pvc?.name === name &&
        it.status?.phase !== undefined &&
        it.status.storageInfo?.cleanedUp !== true,
    );
  const isUsers = storage.pvc.name !== undefined;
  return { name, isUsers, object: look.get(PersistentVolumeClaim, { namespace, name }), isShared };
}

/** By whom a pod was made. */
export const byJob = "job of a pod";

function jobsOf(migration: VMMigration, look: Look): readonly Work[] {
  return look.children(Job, migration).map((job) => workOf(job, look.where(Pod, byJob, job.metadata?.uid ?? "")));
}

/** Whether machines of ours may be made there (7.3). */
function homeProblem({ metadata }: VMMigration, at: Name, look: Look, crossing: Crossing): Problem | undefined {
  const { namespace = "" } = metadata;
  if (at.namespace === namespace) return undefined;
  if (acceptsFrom(look.get(Namespace, { name: at.namespace }), namespace, crossing)) return undefined;
  const why = text`spec.target.namespace: ${at.namespace} does not take migrations of ${namespace}; its owner can allow it with the annotation ${annotations.acceptFrom}`;
  return { reason: "ValidationFailed", why };
}

/** V7 and V8. */
function lackingOf(
  migration: VMMigration,
  vm: VirtualMachine | undefined,
  { namespace }: Name,
  look: Look,
  crossing: Crossing,
): SafeText | undefined {
  const { imageRef, networks = [], placementRef } = migration.spec.target;
  const found: Followed<KubeObject>[] = [
    follow(VMClass.kind, classRefOf(migration, vm), namespace, (it) => look.get(VMClass, it), crossing),
    ...networks.flatMap(({ networkRef: ref }) =>
      ref === undefined
        ? []
        : [follow(VMNetworkAttachment.kind, ref, namespace, (it) => look.get(VMNetworkAttachment, it), crossing)],
    ),
  ];
  if (imageRef !== undefined) found.push(follow(VMImage.kind, imageRef, namespace, (it) => look.get(VMImage, it)));
  if (placementRef !== undefined) {
    found.push(follow(VMPlacementPolicy.kind, placementRef, namespace, (it) => look.get(VMPlacementPolicy, it)));
  }
  for (const it of found) if (it.is !== "found") return it.what;
  return undefined;
}
