// What a pass can do to a machine, one function each. What the provider refuses becomes part of the world.
import { formatTime, type Ms } from "@telltale/kinds";
import { Failed, text } from "@telltale/status";
import { PowerOp } from "../contract/contract.ts";
import { VirtualMachine } from "../kinds/index.ts";
import { deadlines, powerDeadline } from "../link/deadlines.ts";
import { isUnreachable } from "../link/failure.ts";
import { ProviderError } from "../link/provider-error.ts";
import { annotations } from "../names.ts";
import type { Decided } from "../placement/decision.ts";
import { failureOf, hearing, holding, type Pass, tried, troubled, uidOf } from "./act.ts";
import { runHook } from "./hooks.ts";
import { graceOf, isCreationOpen, isMaking } from "./marks.ts";
import { anothers, nameOn } from "./name.ts";
import { count } from "./placement-stats.ts";
import { createRequest, desiredJson } from "./request.ts";
import { settledSize } from "./sizing.ts";
import { changing, shuttingDown, stand } from "./status.ts";
import type { Deed } from "./step.ts";
import type { Parts, World } from "./world.ts";

/** Policies of others ask where a machine is, whoever said where it goes. */
const isTold = ({ at }: Decided, { policy }: Parts): boolean => policy !== undefined || Object.keys(at).length > 0;

export type Deeds = { readonly [D in Deed["is"]]: (deed: Extract<Deed, { is: D }>, pass: Pass) => Promise<World> };

export const deeds: Deeds = {
  async claim({ id }, { world, hands }) {
    hands.settled();
    return holding(world, { id });
  },

  async create(_deed, pass) {
    const after = await make(pass, async (call) => {
      const { world, hands } = pass;
      if (world.placing?.is === "placed" && isTold(world.placing, partsOf(world)))
        await hands.annotate({ [annotations.placement]: world.placing.decision });
      // Stored before it is sent: what one before was told is no answer to this one.
      if (world.record?.op === "Create" && !isCreationOpen(world))
        await hands.checkpoint("create", (draft) => {
          stand(world.told, draft);
          draft.condition(
            "Provisioning",
            true,
            "Creating",
            text`The provider was asked to make it, and has not answered`,
          );
        });
      const done = await hands.once({
        op: "Create",
        probe: async () => "none", // the table has looked already
        call,
        goesOn: ({ task }) => task !== "",
      });
      if (done.as === "ambiguous") throw new Error("a probe that finds nothing found several");
      return done.result;
    });
    return checkName(after, pass);
  },

  async repeat({ id }, pass) {
    const { world } = pass;
    const after = await make(pass, (call) => call());
    const { trouble } = after.heard;
    if (trouble?.during !== "create") return after;
    // There is one of its name: none was made, whatever became of the request.
    if (isUnreachable(trouble.error.failure)) return hearing(world, { trouble: { ...trouble, during: "look" } });
    return trouble.error.failure === "Conflict" ? hearing(world, { taken: anothers(world.vm, id) }) : after;
  },

  async forget(_deed, pass) {
    const { world, hands, tools } = pass;
    const { id: _gone, powerState: _power, ips: _ips, consoleURL: _url, provider: _said, ...held } = world.held;
    const { seen: _seen, misses: _misses, listed: _listed, ...heard } = world.heard;
    const after: World = { ...world, held, heard };
    tools.streaks.end(uidOf(world), "missing");
    await hands.annotate({ [annotations.providerId]: undefined });
    if (heard.task?.is === "failed" && isMaking(world.told)) {
      return checkName(troubled(after, tools, "createTask", failureOf(heard.task, "create")), pass);
    }
    hands.event("Normal", "VMRecreating", "The machine is gone from the provider and is made again");
    return hearing(after, { done: { is: "forgotten" } });
  },

  async hook({ at }, pass) {
    const { world, hands } = pass;
    // Written before it is run: whoever begins anew in the middle of it does not run it twice.
    await hands.checkpoint("hook", (draft) => {
      stand(world.told, draft);
      const said = text`Adjusting power state`;
      if (at === "postStart") draft.set({ powerState: "On" }).condition("Ready", false, "Updating", said);
      else changing(draft, "Updating", said);
    });
    await runHook(at, pass);
    return hearing(world, { hooked: at });
  },

  async power({ to, isForced }, pass) {
    const { world, hands } = pass;
    if (isForced) {
      hands.event("Warning", "GracefulShutdownTimedOut", "The guest did not go down in its time: it is switched off");
    }
    const op = to === "On" ? PowerOp.ON : PowerOp.OFF;
    const request = { id: world.held.id ?? "", op };
    return tried(pass, "power", "power", request, powerDeadline(), ({ task }) => {
      const held = (task?.id ?? "") === "" ? world : holding(world, { lastTaskRef: task?.id ?? "" });
      return hearing(held, { done: { is: "powered", how: isForced ? "forced" : "power" } });
    });
  },

  async shutDown({ seconds }, { world, hands, link }) {
    // Sent once: what was asked for is stored first, and the answer, which may take as long as the guest does, is not waited for.
    await hands.checkpoint("shutdown", (draft) => {
      stand(world.told, draft);
      shuttingDown(draft, { restamp: true });
    });
    const request = { id: world.held.id ?? "", op: PowerOp.SHUTDOWN_GRACEFUL, gracefulTimeoutSeconds: seconds };
    const deadline: Ms = powerDeadline(graceOf(world.vm));
    hands.call(`shutdown ${hands.now}`, (signal) => link.ask("power", request, { deadline, signal }));
    return hearing(world, { done: { is: "powered", how: "graceful" } });
  },

  async settleSize(_deed, { world }) {
    return settledSize(world);
  },

  async resize(_deed, pass) {
    const { world, hands, tools } = pass;
    const request = { id: world.held.id ?? "", desiredJson: desiredJson(world.vm, partsOf(world), world.held) };
    const after = await tried(pass, "reconfigure", "reconfigure", request, deadlines.reconfigure, ({ task }) => {
      const held = holding(world, { lastReconfigureTime: formatTime(hands.now) });
      if ((task?.id ?? "") !== "") return hearing(holding(held, { reconfigureTaskRef: task?.id ?? "" }), resized);
      return hearing(settledSize(held), resized);
    });
    const { trouble } = after.heard;
    const isLater = trouble?.during === "reconfigure" && /restart/i.test(trouble.error.said);
    if (!isLater || trouble?.error.failure !== "FailedPrecondition") return after;
    tools.streaks.end(uidOf(world), "reconfigure");
    return hearing(world, { unapplied: text`CPU/memory change needs the VM to be off` });
  },

  async unmark(_deed, { world, hands }) {
    await hands.annotate({ [annotations.lastRevertedSnapshot]: undefined });
    return { ...world, revert: { is: "none", isMarked: false } };
  },

  async revert({ snapshotId }, pass) {
    const { world } = pass;
    const request = { vmId: world.held.id ?? "", snapshotId };
    return tried(pass, "revert", "snapshotRevert", request, deadlines.snapshotRevert, ({ task }) => {
      const held = (task?.id ?? "") === "" ? world : holding(world, { lastTaskRef: task?.id ?? "" });
      return hearing(held, { done: { is: "reverting" } });
    });
  },

  async markReverted(_deed, { world, hands }) {
    if (world.revert.is !== "wanted") return world;
    const { name, snapshot } = world.revert;
    await hands.annotate({
      [annotations.lastRevertedSnapshot]: snapshot?.metadata.uid ?? "",
      [annotations.currentSnapshot]: name,
    });
    hands.event("Normal", "SnapshotReverted", `The machine is as VMSnapshot ${name} has it`);
    const { seen: _old, done: _done, ...heard } = world.heard;
    return { ...world, heard, revert: { ...world.revert, isDone: true } };
  },
};

interface Made {
  readonly id: string;
  readonly task: string;
}

async function make(pass: Pass, send: (call: () => Promise<Made>) => Promise<Made>): Promise<World> {
  const { world, hands, link, tools } = pass;
  await stillNew(pass);
  const request = await createRequest(world, partsOf(world), hands);
  if ("lacking" in request) return hearing(world, { lacking: request.lacking });
  let made: Made;
  try {
    made = await send(async () => {
      const options = { deadline: deadlines.create, signal: hands.signal };
      // One machine for one object, also where the record of it was lost.
      const { id, task } = await link.ask("create", { ...request, requestId: uidOf(world) }, options);
      return { id, task: task?.id ?? "" };
    });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return troubled(world, tools, "create", error);
  }
  tools.streaks.end(uidOf(world), "create", "createTask");
  if (world.claimed.has(made.id))
    return hearing(world, { taken: text`It is what another VirtualMachine has: ${made.id}` });
  if (world.placing?.is === "placed") await count(world, { is: "placed", at: world.placing.at }, hands);
  hands.event("Normal", "Created", `The provider was asked for a machine named ${nameOn(world.vm)}`);
  const { lastTaskRef: _none, ...held } = world.held;
  const task = made.task === "" ? {} : { lastTaskRef: made.task };
  return hearing(settledSize({ ...world, held: { ...held, id: made.id, ...task } }), { done: { is: "created" } });
}

/**
 * What exists already may be a machine of its name, or a disk, an address or an image: the code is the same for all. The list tells
 * whether it is the name. Where it cannot be had, what the provider said stands.
 */
async function checkName(world: World, { link, hands }: Pass): Promise<World> {
  const { trouble } = world.heard;
  if (trouble?.error.failure !== "Conflict") return world;
  try {
    const { vms } = await link.ask("listVMs", {}, { deadline: deadlines.listVMs, signal: hands.signal });
    const isNameTaken = vms.some(({ name }) => name === nameOn(world.vm));
    return hearing(world, { trouble: { ...trouble, isNameTaken } });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return world;
  }
}

const resized = { done: { is: "resized" } } as const;

const partsOf = ({ needs }: World): Parts => {
  if (needs.is !== "there") throw new Error("what it refers to is not there");
  return needs;
};

/** The server itself says that nobody has made it meanwhile: creating is not to be done on old news. */
async function stillNew({ world, hands }: Pass): Promise<void> {
  const { namespace = "", name = "", uid } = world.vm.metadata;
  const live = await hands.live(VirtualMachine, { namespace, name });
  const isSame = live?.metadata.uid === uid && live?.metadata.deletionTimestamp === undefined;
  if (isSame && (live?.status?.id ?? "") === "") return;
  throw new Failed({ class: "conflict", reason: "ReconcileFailed", message: text`It has changed meanwhile` });
}
