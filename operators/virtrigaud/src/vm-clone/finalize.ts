// The end of a clone: the copy stays. Only what nobody has bound yet is removed, and only where somebody asks for that (3.9).
import { type Ms, parseTime } from "@telltale/kinds";
import { done, type Finalized, waiting } from "@telltale/runtime";
import { type Draft, type SafeText, text } from "@telltale/status";
import { VirtualMachine, type VMClone } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import type { Link } from "../link/links.ts";
import { ProviderError } from "../link/provider-error.ts";
import { lookAtTask, taskPolls } from "../link/task.ts";
import { annotations } from "../names.ts";
import { answered, type CloneHands, callName, type Outcome, probe } from "./act.ts";
import { copyOp } from "./decide.ts";
import { observe, type Senses } from "./observe.ts";
import { machineIdOf, placeOf } from "./target.ts";
import type { World } from "./world.ts";

/** So long what is under way is waited for. */
const patience: Ms = 120_000;

export async function finalize(
  clone: VMClone,
  hands: CloneHands,
  draft: Draft<typeof VMClone>,
  senses: Senses,
): Promise<Finalized> {
  const world = await observe(clone, hands, senses);
  const isForced = clone.metadata.annotations?.[annotations.forceDelete] === "true";
  const isCleaned = clone.metadata.annotations?.[annotations.cloneCleanup] === "true";
  const { isOurs, object } = world.target;
  const isBound = isOurs && object !== undefined && machineIdOf(object) === world.held.targetVMID;
  if (world.told.phase === "Ready" || isForced || isBound) return done;
  const isAsked =
    world.record?.op === copyOp || (world.held.taskRef ?? "") !== "" || (world.held.targetVMID ?? "") !== "";
  if (!isAsked) return done;
  if (world.channel.is === "closed") return isCleaned ? later(draft, world.channel.why) : done;
  try {
    return await ended(world, world.channel.link, isCleaned, hands, draft);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return isCleaned ? later(draft, error.said) : done;
  }
}

function later(draft: Draft<typeof VMClone>, why: SafeText): Finalized {
  return says(draft, "ProviderError", text`Failed to remove the copy: ${why}`, 30_000);
}

/** With the deletion comes another generation: every condition speaks for that one too. */
function says(draft: Draft<typeof VMClone>, reason: "Cloning" | "ProviderError", why: SafeText, again: Ms): Finalized {
  draft.keep("Cloning", "Customizing", "Failed").condition("Ready", false, reason, why).set({ message: why });
  return waiting(again);
}

async function ended(
  world: World,
  link: Link,
  isCleaned: boolean,
  hands: CloneHands,
  draft: Draft<typeof VMClone>,
): Promise<Finalized> {
  const { record, clone, now } = world;
  const { signal } = hands;
  const isOver = now - (parseTime(clone.metadata.deletionTimestamp) ?? now) >= patience;
  const wait = (why: SafeText): Finalized => says(draft, "Cloning", why, taskPolls.clone);
  let { held } = world;
  if (record?.op === copyOp && (held.targetVMID ?? "") === "" && (held.taskRef ?? "") === "") {
    const called = hands.call<Outcome>(callName(record.attempt), (stop) => probe(world, link, stop));
    if (called.as === "running") return isOver && !isCleaned ? done : wait(text`Waiting until the copy is through`);
    if (called.as === "done" && called.result.is === "answered") held = answered(world, called.result.answer).held;
    if (called.as === "done" && called.result.is === "found") held = { ...held, targetVMID: called.result.id };
    if (called.as === "done" && called.result.is === "unsure" && isCleaned) throw called.result.error;
    // What was learnt is stored: the call itself is forgotten with this pass.
    if (held.taskRef !== undefined) draft.set({ taskRef: held.taskRef });
    if (held.targetVMID !== undefined) draft.set({ targetVMID: held.targetVMID });
  }
  const taskRef = held.taskRef ?? "";
  if (taskRef !== "") {
    const options = { deadline: deadlines.taskStatus, signal };
    const task = await lookAtTask(() => link.ask("taskStatus", { task: { id: taskRef } }, options));
    if (task.is === "running" && !isOver) return wait(text`Waiting until the provider is through`);
    draft.unset("taskRef");
  }
  const id = held.targetVMID ?? "";
  // Only half a copy is removed: a machine that an object has, by whatever way it came to it, is that object's.
  if (!isCleaned || id === "" || (await isHad(id, world, hands))) return done;
  try {
    const { exists } = await link.ask("describe", { id }, { deadline: deadlines.describe, signal });
    if (!exists) return done;
    const { task } = await link.ask("delete", { id }, { deadline: deadlines.delete, signal });
    if ((task?.id ?? "") !== "") draft.set({ taskRef: task?.id ?? "" });
  } catch (error) {
    if (error instanceof ProviderError && error.failure === "NotFound") return done;
    throw error;
  }
  return wait(text`Waiting until the provider has removed the copy`);
}

/** The cache may be older than the object. */
async function isHad(id: string, { clone, claimed }: World, hands: CloneHands): Promise<boolean> {
  if (claimed.has(id)) return true;
  const object = await hands.live(VirtualMachine, placeOf(clone));
  return object !== undefined && machineIdOf(object) === id;
}
