// The end of a Workspace: what is running is stopped, what was made is destroyed, and nothing of it is left behind: no process,
// no folder, no Secret.
import { done, type Finalized, waiting } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import type { Workspace } from "../kinds/workspace.ts";
import { annotations } from "../names.ts";
import { failed, orderOf, resume, save, type WorkspaceHands } from "./act.ts";
import { decideEnd } from "./decide.ts";
import type { Order, Outcome } from "./engine.ts";
import { tell } from "./events.ts";
import { inputsOf, observe, type Surroundings } from "./observe.ts";
import { troubleOf } from "./runs.ts";
import { clearShelf, connectionOf, disconnect, readShelf } from "./shelf.ts";
import { failing, noRunner, progressing, type WorkspaceDraft } from "./status.ts";
import { type Shelved, uidOf } from "./world.ts";

/** A run wakes us when it ends; this is for what nobody tells of. */
const glance = 5_000;

export async function finalize(
  workspace: Workspace,
  hands: WorkspaceHands,
  draft: WorkspaceDraft,
  around: Surroundings,
): Promise<Finalized> {
  const { runs, shelf } = around;
  const uid = uidOf(workspace);
  const world = await observe(workspace, hands, around);
  const shelved = await found(await readShelf(hands, uid, shelf), workspace, hands, around);
  const move = decideEnd(world, shelved, hands.now);
  draft.condition("Ready", false, "Deleting", "What the module describes is being destroyed");
  if (world.engine === "simulated") draft.keep("Simulated");
  switch (move.do) {
    case "clear":
      await clear(workspace, hands, around);
      return done;
    case "leave":
      await runs.engine.clear(uid);
      return done;
    case "destroy":
      destroy(workspace, hands, shelved, around);
      break;
    case "resume":
      await resume(move.left, hands, workspace, around);
      break;
    case "cancel":
      runs.cancel(uid, move.why);
      break;
    case "save":
      await save(move, hands, workspace, around);
      break;
    case "refuse":
      await complain(move.why, hands, workspace, draft);
      break;
    case "publish": {
      const { order, outcome } = move;
      await save({ ...outcome, order }, hands, workspace, around);
      tell(order, outcome, hands);
      if (outcome.as === "failed") await say(outcome, hands, workspace, draft);
      runs.settle(order, outcome);
      if (outcome.as !== "destroyed") break;
      await clear(workspace, hands, around);
      return done;
    }
    case "nothing":
      break;
  }
  const { standing } = world;
  if (standing.at === "running") draft.set(progressing(workspace, standing.progress));
  return waiting(glance);
}

/** A state that is only in the folder, as somebody took its Secret away, is destroyed with the spec as it is. */
async function found(
  shelved: Shelved,
  workspace: Workspace,
  hands: WorkspaceHands,
  { runs: { engine } }: Surroundings,
): Promise<Shelved> {
  const state = shelved.is === "none" ? await engine.stateOf(uidOf(workspace)) : undefined;
  if (state === undefined || state.resources === 0) return shelved;
  const gathered = await inputsOf(workspace, hands);
  if (gathered.as !== "inputs") return { is: "unreadable" };
  return { is: "kept", kept: { engine: engine.name, inputs: gathered.inputs, state } };
}

function destroy(workspace: Workspace, hands: WorkspaceHands, shelved: Shelved, around: Surroundings): void {
  if (shelved.is !== "kept") return;
  const order: Order = orderOf("destroy", workspace, around, shelved.kept.inputs, shelved);
  around.runs.start(order);
  hands.event("Normal", "RunStarted", `destroy has begun as run ${order.id}`);
}

/** The record last: as long as it is there, somebody comes back. */
async function clear(workspace: Workspace, hands: WorkspaceHands, { runs, shelf }: Surroundings): Promise<void> {
  const uid = uidOf(workspace);
  await runs.engine.clear(uid);
  const shelved = await readShelf(hands, uid, shelf);
  const { connection, left = {} } = shelved.is === "kept" ? shelved.kept : {};
  const names = new Set([connection, connectionOf(workspace), ...Object.keys(left)]);
  for (const name of names) await disconnect(hands, workspace, name);
  await clearShelf(hands, uid, shelf);
}

async function complain(
  why: "unreadable" | "real" | "noRunner",
  hands: WorkspaceHands,
  workspace: Workspace,
  draft: WorkspaceDraft,
): Promise<void> {
  if (why === "noRunner") {
    draft.condition("Ready", false, "Deleting", text`What the module made is still there: ${noRunner}`);
    return;
  }
  const message: SafeText =
    why === "unreadable"
      ? text`the kept state cannot be read`
      : text`a real run made what there is; destroy it with tofu or terraform`;
  await say(failed("StateConflict", message), hands, workspace, draft);
}

async function say(
  outcome: Outcome,
  hands: WorkspaceHands,
  workspace: Workspace,
  draft: WorkspaceDraft,
): Promise<void> {
  if (outcome.as !== "failed") return;
  await hands.annotate({ [annotations.errorClass]: outcome.class });
  failing(draft, workspace, troubleOf(outcome), hands.now);
  draft.condition("Ready", false, "Deleting", "What the module describes is being destroyed");
}
