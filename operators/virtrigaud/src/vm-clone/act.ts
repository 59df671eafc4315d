// A pass over a clone: asks and does what `decide` says, until it says to rest.
import { formatTime } from "@telltale/kinds";
import type { Hands } from "@telltale/runtime";
import type { Answer } from "../contract/contract.ts";
import type { VMClone } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import type { Link } from "../link/links.ts";
import { ProviderError } from "../link/provider-error.ts";
import { lookAtTask } from "../link/task.ts";
import { tried } from "../vm-snapshot/act.ts";
import { decide } from "./decide.ts";
import { type Deeds, deeds } from "./deeds.ts";
import type { Deed, Question, Rest } from "./step.ts";
import { hostName, typeOf } from "./target.ts";
import type { Heard, Requesting, World } from "./world.ts";

export type CloneHands = Hands<typeof VMClone>;

/** More than any pass takes: a table that leads nowhere is a defect, and not the end of the process. */
const enough = 30;

export async function act(_none: undefined, hands: CloneHands, world: World): Promise<World> {
  const { startTime = formatTime(hands.now) } = world.held;
  let now: World = { ...world, held: { ...world.held, startTime } };
  for (let i = 0; i < enough; i += 1) {
    const step = decide(now);
    if (step.is === "rest") {
      // What was begun has come to its end, well or not: the record has done its duty.
      if (ends.has(step.as.is) || isUndone(step.as, now)) hands.settled();
      return { ...now, rest: step.as };
    }
    now = step.is === "ask" ? await ask(step.what, now, hands) : await perform(step.deed, now, hands);
  }
  throw new Error(`a pass over ${world.clone.metadata.namespace}/${world.clone.metadata.name} comes to no end`);
}

/** A first attempt that found the machine busy left nothing behind. A later one may follow one that nobody has heard of. */
const isUndone = (rest: Rest, { record }: World): boolean => rest.is === "busy" && record?.attempt === 1;

const ends: ReadonlySet<string> = new Set(["done", "stuck", "failed", "customizing", "starting", "ready"]);

export const hearing = (world: World, heard: Heard): World => ({ ...world, heard: { ...world.heard, ...heard } });

export function linkOf({ channel }: World): Link {
  if (channel.is === "closed") throw new Error(channel.why);
  return channel.link;
}

async function ask(what: Question, world: World, hands: CloneHands): Promise<World> {
  const link = linkOf(world);
  const { signal } = hands;
  switch (what) {
    case "capabilities": {
      const answer = await tried(link, "getCapabilities", {}, signal);
      return hearing(world, answer instanceof ProviderError ? { trouble: answer } : { capabilities: answer });
    }
    case "list": {
      const answer = await tried(link, "listVMs", {}, signal);
      return hearing(world, answer instanceof ProviderError ? { trouble: answer } : { listed: answer.vms });
    }
    case "task": {
      try {
        const request = { task: { id: world.held.taskRef ?? "" } };
        const options = { deadline: deadlines.taskStatus, signal };
        return hearing(world, { task: await lookAtTask(() => link.ask("taskStatus", request, options)) });
      } catch (error) {
        if (error instanceof ProviderError) return hearing(world, { trouble: error });
        throw error;
      }
    }
    case "request":
      return requested(world, link, hands);
    case "self":
      await hands.fresh();
      return hearing(world, { isFresh: true });
  }
}

/** What a request to copy came to, and what was found where nobody knows. */
export type Outcome =
  | { readonly is: "answered"; readonly answer: Answer<"clone"> }
  | Exclude<Requesting, { readonly is: "running" }>;

export const callName = (attempt: number): string => `copy ${attempt}`;

/** The request of this attempt, if this process sent it; else the provider is asked for its machines. Neither holds up a worker. */
async function requested(world: World, link: Link, hands: CloneHands): Promise<World> {
  const called = hands.call<Outcome>(callName(world.record?.attempt ?? 1), (signal) => probe(world, link, signal));
  if (called.as === "failed") throw called.error;
  if (called.as === "running") return hearing(world, { request: { is: "running" } });
  return called.result.is === "answered"
    ? answered(world, called.result.answer)
    : hearing(world, { request: called.result });
}

export function answered(world: World, { targetVmId, task }: Answer<"clone">): World {
  const taskRef = task?.id ?? "";
  const { targetVMID: _old, taskRef: _none, ...held } = world.held;
  return {
    ...world,
    // Said when it was asked for, which may have been lost.
    held: {
      actualCloneType: typeOf(world.clone),
      ...held,
      ...(targetVmId !== "" && { targetVMID: targetVmId }),
      ...(taskRef !== "" && { taskRef }),
    },
    // An answer that names neither a machine nor a task: what there is has to be looked up.
    ...(targetVmId === "" && taskRef === "" && { heard: { ...world.heard, request: { is: "lost" } } }),
  };
}

export async function probe(world: World, link: Link, signal: AbortSignal): Promise<Outcome> {
  const answer = await tried(link, "listVMs", {}, signal);
  if (answer instanceof ProviderError) return { is: "unsure", error: answer };
  const name = hostName(world.clone);
  const [found, ...others] = answer.vms.filter((it) => it.name === name && !world.claimed.has(it.id));
  if (found === undefined) return { is: "lost" };
  return others.length > 0 ? { is: "many" } : { is: "found", id: found.id };
}

const perform = (what: Deed, world: World, hands: CloneHands): Promise<World> => {
  // Each deed has its own function in the table.
  const doing = deeds[what.is] as Deeds[Deed["is"]];
  return (doing as (deed: Deed, world: World, hands: CloneHands) => Promise<World>)(what, world, hands);
};
