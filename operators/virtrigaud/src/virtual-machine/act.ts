// A pass over a machine: asks and does what `decide` says, until it says to rest.
import type { Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Hands } from "@telltale/runtime";
import type { Answer, Method, Request } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { VirtualMachine } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import type { Link, Links } from "../link/links.ts";
import { observedOf } from "../link/observed.ts";
import { ProviderError } from "../link/provider-error.ts";
import { lookAtTask, type Task } from "../link/task.ts";
import { waitFor } from "../link/wait.ts";
import { decide } from "./decide.ts";
import { type Deeds, deeds } from "./deeds.ts";
import type { HttpGet } from "./hooks.ts";
import { isMaking, isReverting } from "./marks.ts";
import { count } from "./placement-stats.ts";
import { settledSize, withDisks } from "./sizing.ts";
import type { Deed, Question } from "./step.ts";
import type { Streaks } from "./streaks.ts";
import type { Doing, Heard, Held, World } from "./world.ts";

export type VMHands = Hands<typeof VirtualMachine>;

export interface Tools {
  readonly links: Links;
  readonly streaks: Streaks;
  readonly random: Random;
  readonly httpGet: HttpGet;
}

/** More than any pass takes: a table that leads nowhere is a defect, and not the end of the process. */
const enough = 40;

export async function act(
  _none: undefined,
  hands: VMHands,
  world: World,
  tools: Tools,
  next: typeof decide = decide,
): Promise<World> {
  let now = world;
  for (let i = 0; i < enough; i += 1) {
    const step = next(now);
    if (step.is === "rest") {
      if (now.placing?.is === "nowhere" && step.as.is === "unplaced") await count(now, now.placing, hands);
      // What was made is known: a record that is still there has done its duty.
      if (now.record !== undefined && now.held.id !== undefined && now.held.lastTaskRef === undefined) hands.settled();
      return { ...now, rest: step.as };
    }
    const pass = { world: now, hands, tools, link: linkOf(now) };
    now = step.is === "ask" ? await ask(step.what, pass) : await perform(step.deed, pass);
  }
  throw new Error(`a pass over ${world.vm.metadata.namespace}/${world.vm.metadata.name} comes to no end`);
}

function linkOf({ channel }: World): Link {
  if (channel.is === "closed") throw new Error(channel.why);
  return channel.link;
}

/** One moment of a pass. */
export interface Pass {
  readonly world: World;
  readonly hands: VMHands;
  readonly tools: Tools;
  readonly link: Link;
}

export const hearing = (world: World, heard: Heard): World => ({ ...world, heard: { ...world.heard, ...heard } });
export const holding = (world: World, held: Held): World => ({ ...world, held: { ...world.held, ...held } });

/** Asks the provider. What it refuses is part of the world; everything else is not expected. */
export async function tried<M extends Method>(
  { world, hands, tools, link }: Pass,
  during: Doing,
  method: M,
  request: Request<M>,
  deadline: Ms,
  then: (answer: Answer<M>) => World | Promise<World>,
): Promise<World> {
  let answer: Answer<M>;
  try {
    answer = await link.ask(method, request, { deadline, signal: hands.signal });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return troubled(world, tools, during, error);
  }
  tools.streaks.end(uidOf(world), during);
  return then(answer);
}

export function troubled(world: World, { streaks, random }: Tools, during: Doing, error: ProviderError): World {
  const wait = (count: number) => waitFor(error, count, random);
  const { count, until } = streaks.next(uidOf(world), during, world.now, (it) => wait(it) ?? 0);
  const again = wait(count) === undefined ? undefined : until;
  return hearing(world, { trouble: { during, error, count, again } });
}

export const uidOf = ({ vm }: Pick<World, "vm">): string => vm.metadata.uid ?? "";

function ask(what: Question, pass: Pass): Promise<World> {
  const { world } = pass;
  switch (what) {
    case "task":
      return askTask(pass);
    case "resize":
      return askResize(pass);
    case "describe":
      return describe(pass);
    case "list":
      return tried(pass, "look", "listVMs", {}, deadlines.listVMs, ({ vms }) => hearing(world, { listed: vms }));
    case "capabilities":
      return tried(pass, "look", "getCapabilities", {}, deadlines.getCapabilities, (capabilities) =>
        hearing(world, { capabilities }),
      );
  }
}

async function askTask(pass: Pass): Promise<World> {
  const { world, hands, tools } = pass;
  const task = await looked(pass, world.held.lastTaskRef);
  if (task instanceof ProviderError) return troubled(world, tools, "look", task);
  const heard = hearing(world, { task });
  if (task.is === "running") return heard;
  const { lastTaskRef: _ended, ...held } = heard.held;
  // What was begun has come to its end: the record of the attempt has done its duty, unless there is to be another.
  if (task.is !== "failed") hands.settled();
  const after = { ...heard, held };
  if (task.is !== "failed" || isMaking(world.told)) return after;
  return isReverting(world.told) ? after : troubled(after, tools, "power", failureOf(task, "power"));
}

async function askResize(pass: Pass): Promise<World> {
  const { world, hands, tools } = pass;
  const task = await looked(pass, world.held.reconfigureTaskRef);
  if (task instanceof ProviderError) return troubled(world, tools, "look", task);
  const heard = hearing(world, { resize: task });
  if (task.is === "running") return heard;
  const { reconfigureTaskRef: _ended, ...held } = heard.held;
  const after = { ...heard, held };
  if (task.is === "failed") return troubled(after, tools, "reconfigure", failureOf(task, "reconfigure"));
  if (task.is === "forgotten") return after;
  hands.event("Normal", "Reconfigured", "The machine has its new size");
  return settledSize(after);
}

/** A task that failed has no code: its words have to do. */
export const failureOf = ({ said }: Task & { readonly is: "failed" }, method: Method): ProviderError =>
  ProviderError.of(new RpcError("UNKNOWN", said), method);

async function looked({ link, hands }: Pass, id = ""): Promise<Task | ProviderError> {
  try {
    const options = { deadline: deadlines.taskStatus, signal: hands.signal };
    return await lookAtTask(() => link.ask("taskStatus", { task: { id } }, options));
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

async function describe(pass: Pass): Promise<World> {
  const { world, hands, tools } = pass;
  const uid = uidOf(world);
  let answer: Answer<"describe">;
  try {
    const options = { deadline: deadlines.describe, signal: hands.signal };
    answer = await pass.link.ask("describe", { id: world.held.id ?? "" }, options);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return error.failure === "NotFound" ? missed(pass) : troubled(world, tools, "look", error);
  }
  if (!answer.exists) return missed(pass);
  tools.streaks.end(uid, "look", "missing");
  const { power, provider, ...held } = observedOf(answer, world.held);
  const all = { ...held, provider: withDisks(provider, world.held) };
  return holding(hearing(world, { seen: { is: "there", power } }), all);
}

function missed({ world, tools }: Pass): World {
  tools.streaks.end(uidOf(world), "look");
  const { count, since } = tools.streaks.next(uidOf(world), "missing", world.now, () => 1_000);
  return hearing(world, { seen: { is: "missing" }, misses: { count, since } });
}

const perform = (deed: Deed, pass: Pass): Promise<World> => {
  // Each deed has its own function in the table.
  const doing = deeds[deed.is] as Deeds[Deed["is"]];
  return (doing as (deed: Deed, pass: Pass) => Promise<World>)(deed, pass);
};
