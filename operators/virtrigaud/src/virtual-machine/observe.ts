// What Kubernetes knows of a machine and of what it refers to, out of the cache. The provider is not asked here.

import { type KindRef, type KubeObject, parseQuantity, quantityToBytes } from "@telltale/kinds";
import { Namespace, Secret } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { findCondition, type SafeText, text } from "@telltale/status";
import { providerKeyOf, snapshotsByVM, vmsByProvider } from "../indexes.ts";
import {
  Provider,
  VirtualMachine,
  VMClass,
  VMClone,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSnapshot,
  type VMSnapshotInfo,
} from "../kinds/index.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import { annotations } from "../names.ts";
import { placedCopies, withCopies } from "../placement/copies.ts";
import { storedDecision } from "../placement/decision.ts";
import type { Placing } from "../placement/engine.ts";
import type { Reservations } from "../placement/reservations.ts";
import { isReachable, unreachable } from "../reachable.ts";
import { recorded } from "../recorded.ts";
import { type Crossing, type Followed, follow, providerKey } from "../references.ts";
import { toldAll } from "../validate/problem.ts";
import { importedDiskProblems, virtualMachineProblems } from "../validate/virtual-machine.ts";
import type { Tools } from "./act.ts";
import { nameOn } from "./name.ts";
import { secretsOf } from "./user-data.ts";
import type { Channel, Held, Needs, Revert, Told, World } from "./world.ts";

export interface Senses extends Tools {
  readonly tls: KnownSecrets;
  readonly crossing: Crossing;
  /** Shared with the controller of VMClones. */
  readonly places: Reservations;
}

export const clonesByVM = "clones by VM";

export async function observe(vm: VirtualMachine, look: Look, senses: Senses): Promise<World> {
  const { namespace = "", name = "" } = vm.metadata;
  const held = heldOf(vm);
  // Who is on the way out needs nothing but the provider.
  const isNew = held.id === undefined && vm.metadata.deletionTimestamp === undefined;
  const needs = await needsOf(vm, isNew, look, senses);
  const mates = matesOf(vm, look);
  const taken = new Set(mates.flatMap(({ status }) => ((status?.id ?? "") === "" ? [] : [status?.id ?? ""])));
  const snapshots = look.where(VMSnapshot, snapshotsByVM.name, `${namespace}/${name}`);
  return {
    vm,
    now: look.now,
    ...recorded(vm, look),
    lock: lockOf(vm, look),
    problem: problemOf(vm, needs),
    needs,
    channel: await channelOf(vm, needs, look, senses),
    snapshots: snapshots.flatMap(infoOf).sort(byTime),
    revert: revertOf(vm, look),
    namesake: mates.find((it) => nameOn(it) === nameOn(vm) && isBefore(it, vm)),
    claimed: taken,
    placing: isNew ? placingOf(vm, needs, mates, look, senses.places) : undefined,
    held,
    heard: {},
    told: toldOf(vm),
    resizes: senses.streaks.of(vm.metadata.uid ?? "", "unapplied")?.count ?? 0,
    chance: senses.random.next(),
  };
}

function heldOf({ metadata, status = {} }: VirtualMachine): Held {
  const {
    id = metadata.annotations?.[annotations.providerId],
    powerState,
    ips,
    consoleURL,
    provider,
    lastTaskRef,
    reconfigureTaskRef,
  } = status;
  const { lastReconfigureTime, currentResources } = status;
  const all = { id, powerState, ips, consoleURL, provider, lastTaskRef, reconfigureTaskRef };
  const fields = Object.entries({ ...all, lastReconfigureTime, currentResources });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined && value !== ""));
}

const toldOf = ({ status }: VirtualMachine): Told => ({
  phase: status?.phase,
  observedGeneration: status?.observedGeneration ?? -1,
  ready: findCondition(status?.conditions, "Ready"),
  provisioning: findCondition(status?.conditions, "Provisioning"),
  reconfiguring: findCondition(status?.conditions, "Reconfiguring"),
});

/** Others on the same provider. */
function matesOf(vm: VirtualMachine, look: Pick<Look, "where">): readonly VirtualMachine[] {
  return look
    .where(VirtualMachine, vmsByProvider.name, providerKeyOf(vm))
    .filter(({ metadata }) => metadata.uid !== vm.metadata.uid);
}

/** Whoever has a machine keeps its name; of those that have none yet, the older one. */
function isBefore(a: VirtualMachine, b: VirtualMachine): boolean {
  if ((a.status?.id ?? "") !== "") return true;
  const age = ({ metadata }: VirtualMachine) => `${metadata.creationTimestamp} ${metadata.namespace}/${metadata.name}`;
  return a.metadata.deletionTimestamp === undefined && age(a) < age(b);
}

/** Who migrates it, if they are still there. */
export function lockOf({ metadata }: VirtualMachine, look: Pick<Look, "get">): string | undefined {
  const [namespace = "", name = "", uid = ""] = (metadata.annotations?.[annotations.migrationLock] ?? "").split("/");
  const holder = name === "" ? undefined : look.get(VMMigration, { namespace, name });
  return holder !== undefined && holder.metadata.uid === uid ? `${namespace}/${name}` : undefined;
}

/** What is wrong with the spec, by itself and with its provider. */
function problemOf(vm: VirtualMachine, needs: Needs): SafeText | undefined {
  const disk = needs.is === "there" ? importedDiskProblems(vm.spec, needs.provider.spec.type) : [];
  return toldAll([...virtualMachineProblems(vm), ...disk]);
}

async function needsOf(vm: VirtualMachine, isNew: boolean, look: Look, senses: Senses): Promise<Needs> {
  const { crossing } = senses;
  const home = vm.metadata.namespace ?? "";
  const find = <T extends KubeObject>(kind: KindRef<T>, ref: Ref): Followed<T> =>
    follow(kind.kind, ref, home, (name) => look.get(kind, name), crossing);
  const maybe = <T extends KubeObject>(kind: KindRef<T>, ref: Ref | undefined): Followed<T> | undefined =>
    ref === undefined ? undefined : find(kind, ref);
  const { providerRef, classRef, imageRef, networks = [], placementRef } = vm.spec;
  const provider = find(Provider, providerRef);
  const vmClass = find(VMClass, classRef);
  const image = maybe(VMImage, isNew ? imageRef : undefined);
  const nets = networks.map(({ networkRef }) => maybe(VMNetworkAttachment, networkRef));
  const policy = maybe(VMPlacementPolicy, isNew ? placementRef : undefined);
  const secrets = isNew ? await secretsMissing(vm, look, senses) : [];
  // One that exists needs its provider alone; without its class it only keeps its size.
  const needed = isNew ? [provider, vmClass, image, ...nets, policy, ...secrets] : [provider];
  for (const it of needed) if (it?.is === "refused") return { is: "refused", what: it.what };
  for (const it of needed) if (it?.is === "missing") return { is: "missing", what: it.what };
  if (provider.is !== "found") return { is: "missing", what: provider.what };
  const { namespace = "", name = "" } = provider.object.metadata;
  return {
    is: "there",
    provider: provider.object,
    // As the image's own status names it.
    key: providerKey(objectOf(image)?.metadata.namespace ?? home, { namespace, name }),
    vmClass: objectOf(vmClass),
    image: objectOf(image),
    networks: nets.map(objectOf),
    policy: objectOf(policy),
  };
}

type Ref = { readonly name: string; readonly namespace?: string };

const objectOf = <T>(found: Followed<T> | undefined): T | undefined =>
  found?.is === "found" ? found.object : undefined;

/** Those that are not there. */
async function secretsMissing(vm: VirtualMachine, look: Look, { tls }: Senses): Promise<readonly Followed<never>[]> {
  const { namespace = "" } = vm.metadata;
  const missing: Followed<never>[] = [];
  for (const name of secretsOf(vm)) {
    if (await tls.has({ namespace, name }, look)) continue;
    missing.push({ is: "missing", what: text`${Secret.kind} ${namespace}/${name} not found` });
  }
  return missing;
}

/** Where a new one goes. */
function placingOf(
  vm: VirtualMachine,
  needs: Needs,
  others: readonly VirtualMachine[],
  look: Look,
  places: Reservations,
): Placing | undefined {
  if (needs.is !== "there") return undefined;
  const { provider, vmClass, policy } = needs;
  const stored = storedDecision(vm);
  if (stored !== undefined && policy !== undefined && isRequested(vm, look)) return stored;
  const policies = policy === undefined ? [] : look.list(VMPlacementPolicy, { namespace: vm.metadata.namespace ?? "" });
  const namespaceLabels = (name: string) => look.get(Namespace, { name })?.metadata?.labels;
  const copies = look.where(VMClone, placedCopies.name, providerKeyOf(vm));
  const around = { provider, vmClass, policies, namespaceLabels, now: look.now };
  return places.place(vm, policy, { ...around, others: withCopies(others, copies) });
}

/** The provider was asked to make it, and the end of that is not known: it may have made it where the last decision said. */
function isRequested(vm: VirtualMachine, look: Look): boolean {
  const isKnown = findCondition(vm.status?.conditions, "Provisioning")?.status === "False";
  return recorded(vm, look).record?.op === "Create" && !isKnown;
}

const first = 5_000;
const longest = 60_000;

/** How the provider is asked, where it can be. */
async function channelOf(vm: VirtualMachine, needs: Needs, look: Look, senses: Senses): Promise<Channel> {
  const uid = vm.metadata.uid ?? "";
  const closed = (why: ReturnType<typeof text>): Channel => {
    const { until } = senses.streaks.next(uid, "unreachable", look.now, (count) =>
      Math.min(first * 2 ** (count - 1), longest),
    );
    return { is: "closed", why, again: until };
  };
  if (needs.is !== "there") return { is: "closed", why: needs.what, again: look.now };
  const { provider } = needs;
  const { namespace = "", name = "" } = provider.metadata;
  const isThere = heldOf(vm).id !== undefined || vm.metadata.deletionTimestamp !== undefined;
  if (!isReachable(provider, isThere ? "what exists" : "something new"))
    return closed(unreachable(`${namespace}/${name}`));
  const tls = await senses.tls.of(provider, look);
  if (tls.is === "missing") return closed(tls.why);
  senses.streaks.end(uid, "unreachable");
  return { is: "open", link: senses.links.of(provider, ...(tls.is === "plain" ? [] : [tls.secret])) };
}

function revertOf(vm: VirtualMachine, look: Pick<Look, "get">): Revert {
  const mark = vm.metadata.annotations?.[annotations.lastRevertedSnapshot] ?? "";
  const wanted = vm.spec.snapshot?.revertToRef?.name;
  if (wanted === undefined) return { is: "none", isMarked: mark !== "" };
  const snapshot = look.get(VMSnapshot, { namespace: vm.metadata.namespace ?? "", name: wanted });
  // One that is gone meanwhile may be the one that it went back to.
  const isDone = mark !== "" && (snapshot === undefined || snapshot.metadata.uid === mark);
  return { is: "wanted", name: wanted, snapshot, isDone };
}

function infoOf({ metadata, spec, status }: VMSnapshot): readonly VMSnapshotInfo[] {
  const { phase, snapshotID = "", creationTime } = status ?? {};
  const size = status?.size === undefined ? undefined : parseQuantity(status.size);
  if (phase !== "Ready" || snapshotID === "" || metadata.deletionTimestamp !== undefined) return [];
  const { description, includeMemory } = spec.snapshotConfig ?? {};
  return [
    {
      id: snapshotID,
      name: metadata.name ?? "",
      creationTime: creationTime ?? metadata.creationTimestamp ?? "",
      ...(description === undefined ? {} : { description }),
      ...(includeMemory === undefined ? {} : { hasMemory: includeMemory }),
      ...(size === undefined ? {} : { sizeBytes: quantityToBytes(size) }),
    },
  ];
}

const byTime = (a: VMSnapshotInfo, b: VMSnapshotInfo): number =>
  a.creationTime === b.creationTime ? (a.name < b.name ? -1 : 1) : a.creationTime < b.creationTime ? -1 : 1;
