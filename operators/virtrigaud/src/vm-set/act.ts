// Does what is planned for a set. What the server refuses is told, not thrown: the status says it.
import { ApiError, ConnectionError, isConflict, TimeoutError } from "@telltale/client";
import { formatTime } from "@telltale/kinds";
import { ControllerRevision, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { type SafeText, text } from "@telltale/status";
import { VirtualMachine, type VMSet } from "../kinds/index.ts";
import { labels } from "../names.ts";
import { redact } from "../redact.ts";
import type { Action } from "./actions.ts";
import { changesTo } from "./change.ts";
import { claimsOf, machineOf } from "./objects.ts";
import { observe, revisionOf } from "./observe.ts";
import { plan } from "./plan.ts";
import { meanwhile, referenceTo, revise, type SetHands } from "./revise.ts";
import { type Hash, hashIn, templateOf, unneeded } from "./revisions.ts";
import { shortFailure } from "./room.ts";
import { standing } from "./standing.ts";
import { failedVM } from "./update.ts";
import type { Made, Revision, World } from "./world.ts";

export async function act(world: World, hands: SetHands, hash: Hash, planned = plan): Promise<World> {
  if (world.problem !== undefined) return world;
  const update = revisionOf(world.set, await revise(world, hands, hash));
  if (update === undefined) return world;
  const known = { ...observe(world.set, hands), update };
  const actions = planned(known, update);
  await remember(actions, known, update, hands);
  const made = await perform(actions, known, hands);
  const { currentRevision, updateRevision } = known.told;
  for (const old of unneeded(known, [currentRevision, updateRevision, update.name])) {
    await hands.remove(ControllerRevision, old, "Background");
  }
  return { ...observe(world.set, hands), update, made };
}

/** That a machine is tried again is known before the old one is gone. */
async function remember(actions: readonly Action[], world: World, update: Revision, hands: SetHands): Promise<void> {
  const retried = actions.flatMap((it) => (it.do === "remove" && it.why === "retry" ? [it.member] : []));
  if (retried.length === 0) return;
  const stand = standing(world, update);
  const { before, tries } = stand;
  const { failedVMs = [] } = before;
  const isRetried = new Set(retried.map(({ name }) => name));
  const entries = retried.map((member) => ({
    ...shortFailure(failedVM(member, world, stand, undefined)),
    retryCount: (tries.get(member.name) ?? 0) + 1,
    lastAttempt: formatTime(world.now),
  }));
  const next = [...failedVMs.filter(({ name }) => !isRetried.has(name)), ...entries];
  const updateStatus = {
    ...world.set.status?.updateStatus,
    ...before,
    failedVMs: next.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
  await hands.checkpoint("retry", (draft) => void meanwhile(world.set, draft).set({ updateStatus }));
}

/** One, two, four, ... at a time: what the server refuses once it is not asked for a hundred times more. */
async function perform(actions: readonly Action[], world: World, hands: SetHands): Promise<Made> {
  let begun = 0;
  let done = 0;
  let taken = 0;
  for (let size = 1; begun < actions.length; size *= 2) {
    const batch = actions.slice(begun, begun + size);
    begun += batch.length;
    const ends = await Promise.allSettled(batch.map((action) => performOne(action, world, hands)));
    for (const [i, end] of ends.entries()) {
      if (end.status === "fulfilled") {
        done += Number(end.value);
        taken += Number(isUpdate(batch[i]));
      } else if (refusalOf(end.reason) === undefined) throw end.reason;
    }
    const refused = ends.flatMap((end) => (end.status === "rejected" ? (refusalOf(end.reason) ?? []) : []))[0];
    if (refused !== undefined) return { taken, done, refused };
  }
  return { taken, done };
}

const isUpdate = (action: Action | undefined): boolean =>
  action?.do === "change" || (action?.do === "remove" && action.why === "update");

/** Undefined: it is nothing for people, and ends the pass. */
function refusalOf(error: unknown): SafeText | undefined {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return text`the API server does not answer`;
  if (error instanceof Taken) return error.said;
  return error instanceof ApiError && !isConflict(error) ? redact(error.status.message ?? error) : undefined;
}

class Taken extends Error {
  readonly said: SafeText;

  constructor(said: SafeText) {
    super(said);
    this.said = said;
  }
}

/** Whether it was done: what has to wait is not. */
async function performOne(action: Action, world: World, hands: SetHands): Promise<boolean> {
  const { set, revisions, now } = world;
  switch (action.do) {
    case "adopt":
      await adopt(action.vm, set, hands);
      return true;
    case "release":
      await release(action.vm, set, hands);
      return true;
    case "remove":
      await hands.remove(VirtualMachine, action.member.vm, "Background");
      return true;
    case "drop claim":
      await hands.remove(PersistentVolumeClaim, action.claim, "Background");
      return true;
    case "create":
      return create(action.ordinal, action.of, world, hands);
    case "change": {
      const { member, to } = action;
      const seat = { ordinal: member.ordinal, hash: to.hash };
      const old = templateOf(revisions.find(({ metadata }) => hashIn(set, metadata?.name) === member.revision));
      await hands.patch(
        VirtualMachine,
        member.vm,
        changesTo(member.vm, set, { seat, template: to.template, old, now }),
      );
      return true;
    }
  }
}

/** Its claims first: a machine that is there may be used. */
async function create(ordinal: number, of: Revision, { set, claims }: World, hands: SetHands): Promise<boolean> {
  let isNew = false;
  for (const claim of claimsOf(set, ordinal)) {
    const { as } = await hands.ensure(PersistentVolumeClaim, claim, { mode: "createOnly", owner: "none" });
    if (as === "terminating") return false; // the machine waits for a new one
    isNew ||= as === "created";
  }
  if (isNew && claims.length === 0) {
    hands.event("Warning", "VolumeClaimsNotAttached", "claims are made, and no provider attaches them to machines");
  }
  const wanted = machineOf(set, { ordinal, hash: of.hash }, of.template);
  const { as, live } = await hands.ensure(VirtualMachine, wanted, { mode: "createOnly" });
  if (as === "foreign") throw new Taken(text`VirtualMachine ${live.metadata.name ?? ""} belongs to somebody else`);
  return as === "created";
}

async function adopt(vm: VirtualMachine, set: VMSet, hands: SetHands): Promise<void> {
  const { ownerReferences, labels: on = {}, name = "" } = vm.metadata;
  const { name: owner = "" } = set.metadata;
  const ours = { [labels.vmSet]: owner, [labels.vmSetOrdinal]: name.slice(owner.length + 1) };
  await hands.patch(VirtualMachine, vm, [
    { op: "test", path: "/metadata/ownerReferences", value: ownerReferences ?? null },
    { op: "add", path: "/metadata/ownerReferences", value: [...(ownerReferences ?? []), referenceTo(set)] },
    { op: "test", path: "/metadata/labels", value: on },
    { op: "add", path: "/metadata/labels", value: { ...on, ...ours } },
  ]);
}

async function release(vm: VirtualMachine, set: VMSet, hands: SetHands): Promise<void> {
  const { ownerReferences = [], name = "" } = vm.metadata;
  const others = ownerReferences.filter(({ uid }) => uid !== set.metadata.uid);
  await hands.patch(VirtualMachine, vm, [
    { op: "test", path: "/metadata/ownerReferences", value: ownerReferences },
    { op: "add", path: "/metadata/ownerReferences", value: others },
  ]);
  hands.event("Normal", "VMReleased", text`${name} is not selected any more, and is let go`);
}
