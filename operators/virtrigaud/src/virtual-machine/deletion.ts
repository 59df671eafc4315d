// The end of a machine: whoever still needs it is waited for, then the provider removes it, and says itself that it is gone (D1-D10).

import { done, type Finalized, waiting } from "@telltale/runtime";
import { type Draft, type SafeText, text } from "@telltale/status";
import { snapshotsByVM } from "../indexes.ts";
import { VirtualMachine, VMClone, VMSnapshot } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import type { Link } from "../link/links.ts";
import { ProviderError } from "../link/provider-error.ts";
import { lookAtTask } from "../link/task.ts";
import { annotations } from "../names.ts";
import type { VMHands } from "./act.ts";
import { runHook } from "./hooks.ts";
import { isChanging, isCreationOpen } from "./marks.ts";
import { nameOn } from "./name.ts";
import { clonesByVM, observe, type Senses } from "./observe.ts";
import { changing, stand } from "./status.ts";
import type { World } from "./world.ts";

type VMDraft = Draft<typeof VirtualMachine>;
type Reason = "Deleting" | "TaskInProgress" | "MigrationInProgress" | "InUse" | "ProviderError";

/** What stands in the way, if anything does. */
type Obstacle = { readonly reason: Reason; readonly why: SafeText; readonly again: number } | undefined;

export async function finalize(vm: VirtualMachine, hands: VMHands, draft: VMDraft, senses: Senses): Promise<Finalized> {
  draft.phase("Deleting");
  const world = await observe(vm, hands, senses);
  const obstacle = (await dependants(world, hands)) ?? (await onProvider(world, hands, draft, senses));
  if (obstacle === undefined) {
    hands.event("Normal", "Deleted", "The machine and all that was kept of it are gone");
    return done;
  }
  const { reason, why, again } = obstacle;
  if (vm.metadata.annotations?.[annotations.forceDelete] === "true" && reason !== "TaskInProgress") {
    const left = vm.status?.id ?? "";
    hands.event("Warning", "ForceDeleted", `${why}; left on the provider: ${left === "" ? "nothing known" : left}`);
    return done;
  }
  stand(world.told, draft);
  draft.condition("Deleting", true, reason, why).condition("Ready", false, "Deleting", why).set({ message: why });
  return waiting(again);
}

/** D2 to D4: a migration, linked clones, snapshots. */
async function dependants({ vm, lock }: World, hands: VMHands): Promise<Obstacle> {
  if (lock !== undefined) {
    return { reason: "MigrationInProgress", why: text`VMMigration ${lock} has it`, again: 30_000 };
  }
  const { namespace = "", name = "" } = vm.metadata;
  const snapshots = hands.where(VMSnapshot, snapshotsByVM.name, `${namespace}/${name}`);
  const taken = new Set(snapshots.map(({ metadata }) => metadata.name));
  const ofSnapshots = hands
    .list(VMClone, { namespace })
    .filter(({ spec }) => taken.has(spec.source.snapshotRef?.name ?? ""));
  const clones = [...hands.where(VMClone, clonesByVM, `${namespace}/${name}`), ...ofSnapshots].filter((it) =>
    isLinked(it, hands),
  );
  if (clones.length > 0) {
    const names = clones.map(({ metadata }) => metadata.name ?? "").join(", ");
    return { reason: "InUse", why: text`Linked clones hang on its disk: ${names}`, again: 30_000 };
  }
  const kept = snapshots.find(({ spec }) => spec.retentionPolicy?.deleteOnVMDelete === false);
  if (kept !== undefined) {
    return { reason: "InUse", why: text`snapshot ${kept.metadata.name ?? ""} must be kept`, again: 10_000 };
  }
  for (const it of snapshots) {
    if (it.metadata.deletionTimestamp === undefined) await hands.remove(VMSnapshot, it, "Background");
  }
  if (snapshots.length === 0) return undefined;
  return { reason: "Deleting", why: text`Waiting for ${snapshots.length} snapshots to go`, again: 10_000 };
}

function isLinked({ metadata, status, spec }: VMClone, hands: VMHands): boolean {
  if (status?.phase !== "Ready" || status.actualCloneType !== "LinkedClone") return false;
  const namespace = spec.target.namespace ?? metadata.namespace ?? "";
  return hands.get(VirtualMachine, { namespace, name: status.targetRef?.name ?? spec.target.name }) !== undefined;
}

/** D5 to D9: the provider removes it, and says that it is gone. */
async function onProvider(world: World, hands: VMHands, draft: VMDraft, senses: Senses): Promise<Obstacle> {
  const { vm, channel } = world;
  if (vm.metadata.annotations?.[annotations.deletionPolicy] === "Retain") return undefined;
  const isUnknown = world.held.id === undefined && isCreationOpen(world);
  if (world.held.id === undefined && !isUnknown) return undefined;
  if (channel.is === "closed") return { reason: "ProviderError", why: channel.why, again: 15_000 };
  const { link } = channel;
  try {
    const id = world.held.id ?? (await madeUnseen(world, link, hands));
    if (id === undefined) return late(world);
    draft.set({ id });
    return await removed({ ...world, held: { ...world.held, id } }, id, link, hands, draft, senses);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { reason: "ProviderError", why: text`Failed to delete VM: ${error.said}`, again: 15_000 };
  }
}

/** So long after it was sent, a request whose answer was lost may still have an effect. */
const patience = 60_000;

function late({ recordAge }: World): Obstacle {
  const again = patience - recordAge;
  return again <= 0
    ? undefined
    : { reason: "Deleting", why: text`Waiting to see what became of the last attempt to make it`, again };
}

/** D6: what an attempt made whose answer nobody saw. */
async function madeUnseen({ vm, claimed }: World, link: Link, hands: VMHands): Promise<string | undefined> {
  const { vms } = await link.ask("listVMs", {}, { deadline: deadlines.listVMs, signal: hands.signal });
  return vms.find(({ id, name }) => name === nameOn(vm) && !claimed.has(id))?.id;
}

async function removed(
  world: World,
  id: string,
  link: Link,
  hands: VMHands,
  draft: VMDraft,
  senses: Senses,
): Promise<Obstacle> {
  const { signal } = hands;
  const busy: Obstacle = { reason: "TaskInProgress", why: text`The provider is removing it`, again: 5_000 };
  const taskRef = world.held.lastTaskRef ?? "";
  if (taskRef !== "") {
    const look = () => link.ask("taskStatus", { task: { id: taskRef } }, { deadline: deadlines.taskStatus, signal });
    const task = await lookAtTask(look);
    if (task.is === "running") return busy;
    draft.unset("lastTaskRef");
  }
  if (!(await isThere(id, link, signal))) return undefined;
  await stop(world, link, hands, senses);
  try {
    const { task } = await link.ask("delete", { id }, { deadline: deadlines.delete, signal });
    if ((task?.id ?? "") !== "") {
      draft.set({ lastTaskRef: task?.id ?? "" });
      return busy;
    }
  } catch (error) {
    if (error instanceof ProviderError && error.failure === "NotFound") return undefined;
    throw error;
  }
  return (await isThere(id, link, signal)) ? busy : undefined;
}

/** D8: its hook, once. */
async function stop(world: World, link: Link, hands: VMHands, senses: Senses): Promise<void> {
  const { vm, told } = world;
  if (vm.spec.lifecycle?.preStop === undefined || isChanging(told) || world.held.powerState !== "On") return;
  await hands.checkpoint("hook", (draft) => {
    stand(told, draft);
    changing(draft.phase("Deleting"), "Updating", text`Adjusting power state`);
  });
  await runHook("preStop", { world, hands, link, tools: senses });
}

async function isThere(id: string, link: Link, signal: AbortSignal): Promise<boolean> {
  try {
    const { exists } = await link.ask("describe", { id }, { deadline: deadlines.describe, signal });
    return exists;
  } catch (error) {
    if (error instanceof ProviderError && error.failure === "NotFound") return false;
    throw error;
  }
}
