// Does what was decided: begins runs, saves states, and publishes what a run came to. In this order after an apply: state,
// connection Secret, status; whoever sees Ready finds the Secret.
import { ApiError } from "@telltale/client";
import { uuid } from "@telltale/clock";
import type { Hands } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import type { Workspace } from "../kinds/workspace.ts";
import { annotations, finalizers } from "../names.ts";
import { sanitize } from "../sanitize.ts";
import { type Move, secretIn } from "./decide.ts";
import type { LeftRun, Operation, Order, Outcome } from "./engine.ts";
import type { ErrorClass } from "./error-class.ts";
import type { Inputs } from "./inputs.ts";
import { inputsOf, type Surroundings } from "./observe.ts";
import { directed, type Kept } from "./record.ts";
import { connect, connectionOf, disconnect, indexOf, keep, readShelf, shelvedIn } from "./shelf.ts";
import { generationOf, mayDo, noteOf, type Shelved, uidOf, type World } from "./world.ts";

export type WorkspaceHands = Hands<typeof import("../kinds/workspace.ts").Workspace>;

export async function act(move: Move, hands: WorkspaceHands, world: World, around: Surroundings): Promise<World> {
  const { workspace } = world;
  const { runs } = around;
  if (world.rival === undefined && world.engine !== "none") await hold(hands, workspace, around);
  switch (move.do) {
    case "nothing":
      return world;
    case "rest":
      runs.rest(uidOf(workspace), nameOf(workspace));
      return world;
    case "plan":
      return begin(hands, world, around);
    case "resume":
      await resume(move.left, hands, workspace, around);
      return now(world, around);
    case "save":
      await save(move, hands, workspace, around);
      return world;
    case "cancel":
      runs.cancel(uidOf(workspace), move.why);
      return now(world, around);
    case "publish":
      return publish(move, hands, world, around);
  }
}

/** Not the runtime's business, as a Workspace that somebody else runs must not get it. */
async function hold(hands: WorkspaceHands, workspace: Workspace, { kind }: Surroundings): Promise<void> {
  const held = workspace.metadata.finalizers;
  if (held?.includes(finalizers.workspaceRunner) === true) return;
  await hands.patch(kind, workspace, [
    { op: "test", path: "/metadata/finalizers", value: held ?? null },
    { op: "add", path: "/metadata/finalizers", value: [...(held ?? []), finalizers.workspaceRunner] },
  ]);
}

/** The world with its run as it stands now. */
async function now(world: World, { runs }: Surroundings): Promise<World> {
  return { ...world, standing: await runs.standing(uidOf(world.workspace)) };
}

async function begin(hands: WorkspaceHands, world: World, around: Surroundings): Promise<World> {
  const { workspace } = world;
  const { runs, shelf } = around;
  const shelved = await readShelf(hands, uidOf(workspace), shelf);
  const strange = strangerOf(shelved, world);
  const gathered = strange === undefined ? await inputsOf(workspace, hands) : undefined;
  const order = orderOf("plan", workspace, around, gathered?.as === "inputs" ? gathered.inputs : nothing, shelved);
  if (gathered?.as === "inputs") {
    runs.start(order);
    return now(world, around);
  }
  const outcome =
    strange ??
    (gathered?.as === "refused" ? failed(gathered.class, gathered.message) : failed("PlanFailed", gathered?.message));
  runs.refuse(order, outcome);
  return publish({ order, outcome }, hands, world, around);
}

/** What somebody else made is not gone on with. */
function strangerOf(shelved: Shelved, { workspace, engine }: World): Outcome | undefined {
  if (shelved.is === "unreadable") return failed("StateConflict", text`the kept state cannot be read`);
  const made = shelved.is === "kept" ? shelved.kept.engine : noteOf(workspace, "runner");
  if (made === undefined || (made === "simulated") === (engine === "simulated")) return undefined;
  const message =
    engine === "simulated"
      ? text`a real run made what there is; run it with tofu or terraform`
      : text`the simulated runner made what there is; delete the Workspace and make it again`;
  return failed("StateConflict", message);
}

export async function resume(
  left: LeftRun,
  hands: WorkspaceHands,
  workspace: Workspace,
  around: Surroundings,
): Promise<void> {
  const shelved = await readShelf(hands, uidOf(workspace), around.shelf);
  const inputs = shelved.is === "kept" ? shelved.kept.inputs : nothing;
  const order = orderOf(left.operation, workspace, around, inputs, shelved);
  around.runs.start({ ...order, id: left.id, generation: left.generation }, left);
}

/** The state as a run leaves it. What it was made from is what was kept before the run began. */
export async function save(
  { state, order }: Pick<Kept, "state"> & { readonly order: Order },
  hands: WorkspaceHands,
  workspace: Workspace,
  { runs, shelf }: Surroundings,
): Promise<void> {
  if (state === undefined) return;
  const uid = uidOf(workspace);
  const index = await indexOf(hands, uid, shelf);
  const shelved = await shelvedIn(index, hands, uid, shelf);
  if (shelved.is === "none" && order.operation === "plan") return;
  const before = shelved.is === "kept" ? shelved.kept : { engine: runs.engine.name, inputs: order.inputs };
  // All that was kept has gone with what was made: whoever had the lease meanwhile has come to the same end.
  const isOver = shelved.is === "none" && order.operation === "destroy" && state.resources === 0;
  if (!isOver) await keep(hands, uid, { ...before, state }, shelf, index);
  runs.saved(uid, state);
}

async function publish(
  ended: { readonly order: Order; readonly outcome: Outcome },
  hands: WorkspaceHands,
  world: World,
  around: Surroundings,
): Promise<World> {
  const { order, outcome } = ended;
  const { workspace } = world;
  const isGood = outcome.as === "settled" || outcome.as === "applied" || outcome.as === "changes";
  if (!isGood) await save({ ...outcome, order }, hands, workspace, around);
  // Of another generation, or of a Workspace that somebody else runs by now, only the state counts.
  if (order.generation !== generationOf(workspace) || world.rival !== undefined) {
    if (outcome.as === "applied") await keepAll(order, outcome, hands, workspace, around);
    return { ...world, told: ended };
  }
  if (outcome.as === "changes") return apply(order, outcome, hands, world, around);
  if (outcome.as === "stale") return { ...world, told: ended };
  const told =
    outcome.as === "failed" || outcome.as === "destroyed" ? outcome : await show(ended, hands, world, around);
  await hands.annotate({
    [annotations.errorClass]: told.as === "failed" ? told.class : undefined,
    ...(world.engine === "simulated" && told.as !== "failed" ? { [annotations.runner]: "simulated" } : {}),
  });
  return { ...world, told: { order, outcome: told } };
}

/** The inputs are kept before anything is made from them: they are needed to take it away again. */
async function apply(order: Order, outcome: Outcome, hands: WorkspaceHands, world: World, around: Surroundings) {
  const { workspace } = world;
  const { runs } = around;
  const what = order.stored === undefined ? "Create" : "Update";
  if (!mayDo(workspace, what)) {
    const refused = failed("PlanFailed", text`there are changes, and managementPolicies has no ${what}`);
    return { ...world, told: { order, outcome: refused } };
  }
  if (!world.isOpen) return { ...world, told: { order, outcome: { as: "stale" } as const } };
  const kept = await keepAll(order, outcome, hands, workspace, around);
  if (world.engine === "simulated" && noteOf(workspace, "runner") === undefined) {
    await hands.annotate({ [annotations.runner]: "simulated" });
    hands.event("Warning", "Simulated", "Nothing is real: the operator only pretends to run this Workspace");
  }
  const { simulation, inputs } = order;
  const next = {
    ...orderOf("apply", workspace, around, inputs, { is: "kept", kept }),
    ...(simulation === undefined ? {} : { simulation }),
  };
  runs.settle(order, outcome);
  runs.start(next);
  hands.event("Normal", "RunStarted", `apply has begun as run ${next.id}`);
  return { ...(await now(world, around)), isApplying: true };
}

/** Keeps the state, what it was made from, and where its outputs go, before they do. */
async function keepAll(
  { uid, inputs, stored }: Order,
  outcome: Outcome,
  hands: WorkspaceHands,
  workspace: Workspace,
  { runs, shelf }: Surroundings,
): Promise<Kept> {
  const index = await indexOf(hands, uid, shelf);
  const shelved = await shelvedIn(index, hands, uid, shelf);
  const before = shelved.is === "kept" ? shelved.kept : {};
  const state = outcome.state ?? stored;
  const kept: Kept = {
    engine: runs.engine.name,
    inputs,
    ...(state === undefined ? {} : { state }),
    ...directed(before, connectionOf(workspace), hands.now),
  };
  await keep(hands, uid, kept, shelf, index);
  return kept;
}

/** A request without an answer is carried out within this time, or never. */
const straggling = 120_000;

/** The outputs are under another name by now, or nowhere: no other name has them. */
async function leave(kept: Kept, hands: WorkspaceHands, workspace: Workspace, { shelf }: Surroundings): Promise<void> {
  const { left = {}, ...rest } = kept;
  const names = Object.entries(left);
  if (names.length === 0) return;
  for (const [name] of names) await disconnect(hands, workspace, name);
  const later = names.filter(([, since]) => hands.now - since < straggling);
  const uid = uidOf(workspace);
  const known = later.length === 0 ? rest : { ...rest, left: Object.fromEntries(later) };
  await keep(hands, uid, known, shelf, await indexOf(hands, uid, shelf));
}

async function show(
  { order, outcome }: { readonly order: Order; readonly outcome: Outcome },
  hands: WorkspaceHands,
  world: World,
  around: Surroundings,
): Promise<Outcome> {
  if (outcome.as !== "settled" && outcome.as !== "applied") return outcome;
  const { workspace, quirks } = world;
  const kept = await keepAll(order, outcome, hands, workspace, around);
  if (secretIn(world, hands.now) > 0) return outcome;
  const shown = Object.entries(outcome.outputs).filter(([name]) => !quirks.dropKeys.includes(name));
  const { namespace = "", name = "" } = workspace.spec.writeConnectionSecretToRef ?? {};
  let as: Awaited<ReturnType<typeof connect>>;
  try {
    as = await connect(hands, workspace, Object.fromEntries(shown));
  } catch (error) {
    // Its namespace is not there, or not open to us: a person has to know.
    if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 403)) throw error;
    const why = sanitize(error.status.message ?? `the server answered ${error.code}`);
    return failed("ApplyFailed", text`Secret ${namespace}/${name} cannot be written: ${why}`);
  }
  if (as !== "foreign") {
    await leave(kept, hands, workspace, around);
    return outcome;
  }
  return failed("ApplyFailed", text`Secret ${namespace}/${name} belongs to somebody else; name another one`);
}

export function orderOf(
  operation: Operation,
  workspace: Workspace,
  { random }: Surroundings,
  inputs: Inputs,
  shelved: Shelved,
): Order {
  const script = noteOf(workspace, "simScript");
  const outputs = noteOf(workspace, "simOutputs");
  const stored = shelved.is === "kept" ? shelved.kept.state : undefined;
  return {
    id: uuid(random).slice(0, 8),
    uid: uidOf(workspace),
    workspace: nameOf(workspace),
    operation,
    generation: generationOf(workspace),
    inputs,
    ...(stored === undefined ? {} : { stored }),
    simulation: { ...(script === undefined ? {} : { script }), ...(outputs === undefined ? {} : { outputs }) },
  };
}

export const nameOf = ({ metadata }: Workspace): { name: string; namespace?: string } => ({
  name: metadata.name ?? "",
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
});

export const failed = (as: ErrorClass, message: SafeText = text``): Outcome => ({ as: "failed", class: as, message });

/** Where nothing could be gathered, and nothing is run. */
const nothing: Inputs = {
  module: "",
  format: "HCL",
  entrypoint: "",
  variables: {},
  variableFiles: [],
  env: {},
  args: { init: [], plan: [], apply: [], destroy: [] },
  hasLog: false,
};
