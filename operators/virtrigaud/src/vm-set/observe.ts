// Reads what a pass has to know of one set, all of it from the cache.
import { deepEqual, matchesSelector } from "@telltale/kinds";
import { ControllerRevision, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import type { Look, Name } from "@telltale/runtime";
import { findCondition } from "@telltale/status";
import { VirtualMachine, VMSet } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { memberOf } from "./members.ts";
import { parsedName } from "./objects.ts";
import { hashIn, inOrder, templateOf } from "./revisions.ts";
import { problemOf, rulesOf } from "./rules.ts";
import { nothingMade, type Revision, type Told, type World } from "./world.ts";

/** Machines by the set that their name is of, and claims by the set on their label: `namespace/set`. */
export const byName = "set name";
export const byLabel = "set label";

export function observe(read: VMSet, look: Look): World {
  const { name = "", namespace = "" } = read.metadata;
  // A status that was written in the middle of the pass is in the cache.
  const stored = look.get(VMSet, { namespace, name });
  const set = stored?.metadata.uid === read.metadata.uid ? (stored ?? read) : read;
  const revisions = inOrder(look.children(ControllerRevision, set));
  const told = toldOf(set);
  return {
    set,
    now: look.now,
    rules: rulesOf(set),
    problem: problemOf(set),
    ...machinesOf(set, look),
    revisions,
    claims: look.where(PersistentVolumeClaim, byLabel, `${namespace}/${name}`),
    told,
    update: undefined,
    current: revisionOf(
      set,
      revisions.find(({ metadata }) => metadata?.name === told.currentRevision),
    ),
    made: nothingMade,
  };
}

export function revisionOf(set: VMSet, revision: ControllerRevision | undefined): Revision | undefined {
  const template = templateOf(revision);
  const { name } = revision?.metadata ?? {};
  return template === undefined || name === undefined ? undefined : { name, hash: hashIn(set, name), template };
}

function machinesOf(set: VMSet, look: Look): Pick<World, "members" | "orphans" | "strays" | "taken"> {
  const { name = "", namespace = "", uid } = set.metadata;
  const { selector } = set.spec;
  const owned = look.children(VirtualMachine, set);
  const isOurs = new Set(owned);
  const isLive = (vm: VirtualMachine): boolean => vm.metadata.deletionTimestamp === undefined;
  const isSelected = (vm: VirtualMachine): boolean => matchesSelector(selector, vm.metadata.labels);
  const strays = owned.filter((vm) => isLive(vm) && !isSelected(vm));
  const others = look.where(VirtualMachine, byName, `${namespace}/${name}`).filter((vm) => !isOurs.has(vm));
  const isFree = ({ metadata }: VirtualMachine): boolean =>
    metadata.ownerReferences?.some(({ controller, uid: of }) => controller === true && of !== uid) !== true;
  const orphans = others.filter((vm) => isLive(vm) && isFree(vm) && isSelected(vm));
  const taken = others.filter((vm) => isLive(vm) && !orphans.includes(vm)).map((vm) => memberOf(vm).ordinal);
  const members = owned.map(memberOf).sort((a, b) => a.ordinal - b.ordinal);
  return { members, orphans, strays, taken: new Set(taken) };
}

function toldOf({ status = {} }: VMSet): Told {
  const { collisionCount, currentRevision, updateRevision, updateStatus = {} } = status;
  return {
    collisions: collisionCount,
    currentRevision,
    updateRevision,
    update: updateStatus,
  };
}

/** Which sets a machine concerns: the one that owns it, and the one that it is named after. */
export function setsOf(vm: VirtualMachine | undefined): Name[] {
  const { namespace = "", name = "", ownerReferences = [] } = vm?.metadata ?? {};
  const owners = ownerReferences.filter(
    ({ kind, apiVersion }) => kind === VMSet.kind && apiVersion === VMSet.apiVersion,
  );
  const named = parsedName(name);
  return [...owners.map((it) => it.name), ...(named === undefined ? [] : [named.set])].map((set) => ({
    namespace,
    name: set,
  }));
}

/** What a set looks at. */
export function isNews(a: VirtualMachine, b: VirtualMachine): boolean {
  const [before, after] = [a.metadata, b.metadata];
  return (
    before.generation !== after.generation ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    a.status?.phase !== b.status?.phase ||
    a.status?.id !== b.status?.id ||
    a.status?.powerState !== b.status?.powerState ||
    a.status?.observedGeneration !== b.status?.observedGeneration ||
    before.annotations?.[annotations.lastUpdateTime] !== after.annotations?.[annotations.lastUpdateTime] ||
    !deepEqual(before.labels, after.labels) ||
    !deepEqual(before.ownerReferences, after.ownerReferences) ||
    !deepEqual(findCondition(a.status?.conditions, "Ready"), findCondition(b.status?.conditions, "Ready"))
  );
}
