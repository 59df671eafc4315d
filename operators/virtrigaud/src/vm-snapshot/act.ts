// A pass over a snapshot: asks and does what `decide` says, until it says to rest.
import { formatTime } from "@telltale/kinds";
import type { Hands } from "@telltale/runtime";
import type { Answer, Method, Request } from "../contract/contract.ts";
import type { VMSnapshot } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import { isUnreachable } from "../link/failure.ts";
import type { Link } from "../link/links.ts";
import { ProviderError } from "../link/provider-error.ts";
import { lookAtTask } from "../link/task.ts";
import { decide, sent } from "./decide.ts";
import { type Deeds, deeds } from "./deeds.ts";
import { gibibytes } from "./sizes.ts";
import type { Deed, Question, Rest } from "./step.ts";
import type { Heard, Requesting, World } from "./world.ts";

export type SnapshotHands = Hands<typeof VMSnapshot>;

/** More than any pass takes: a table that leads nowhere is a defect, and not the end of the process. */
const enough = 30;

export async function act(_none: undefined, hands: SnapshotHands, world: World): Promise<World> {
  let now = world;
  for (let i = 0; i < enough; i += 1) {
    const step = decide(now);
    if (step.is === "rest") {
      // What was begun has come to its end, well or not: the record has done its duty.
      const isOver = ["ready", "failed", "stuck", "expired", "scheduled"].includes(step.as.is);
      if (isOver || isUndone(step.as, now)) hands.settled();
      return { ...now, rest: step.as };
    }
    now = step.is === "ask" ? await ask(step.what, now, hands) : await perform(step.deed, now, hands);
  }
  throw new Error(`a pass over ${world.snapshot.metadata.namespace}/${world.snapshot.metadata.name} comes to no end`);
}

/** A first attempt that found the machine busy left nothing behind. A later one may follow one that nobody has heard of. */
const isUndone = (rest: Rest, { record }: World): boolean => rest.is === "busy" && record?.attempt === 1;

export const hearing = (world: World, heard: Heard): World => ({ ...world, heard: { ...world.heard, ...heard } });

export function linkOf({ channel }: World): Link {
  if (channel.is === "closed") throw new Error(channel.why);
  return channel.link;
}

/** Asks the provider. What it refuses is part of the world; everything else is not expected. */
export async function tried<M extends Method>(
  link: Link,
  method: M & keyof typeof deadlines,
  request: Request<M>,
  signal: AbortSignal,
): Promise<Answer<M> | ProviderError> {
  try {
    return await link.ask(method, request, { deadline: deadlines[method], signal });
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

async function ask(what: Question, world: World, hands: SnapshotHands): Promise<World> {
  const link = linkOf(world);
  const { signal } = hands;
  switch (what) {
    case "capabilities": {
      const answer = await tried(link, "getCapabilities", {}, signal);
      return hearing(world, answer instanceof ProviderError ? { trouble: answer } : { capabilities: answer });
    }
    case "task": {
      try {
        const request = { task: { id: world.held.taskRef ?? "" } };
        const task = await lookAtTask(() =>
          link.ask("taskStatus", request, { deadline: deadlines.taskStatus, signal }),
        );
        return hearing(sized(world, task), { task });
      } catch (error) {
        if (error instanceof ProviderError) return hearing(world, { trouble: error });
        throw error;
      }
    }
    case "disk":
      return hearing(world, await diskOf(link, world.vm?.status?.id ?? "", signal));
    case "request":
      return requested(world, link, hands);
  }
}

/** What the end of a task tells of the snapshot. */
function sized(world: World, task: NonNullable<Heard["task"]>): World {
  if (task.is !== "done") return world;
  const { size_bytes: size, quiesced } = task.result ?? {};
  const entry = typeof quiesced === "boolean" ? { entry: stated(world, quiesced) } : {};
  return {
    ...world,
    held: {
      ...world.held,
      ...(typeof size === "number" && size > 0 && { size: gibibytes(BigInt(Math.floor(size))) }),
      ...entry,
    },
  };
}

const stated = ({ held, snapshot, vm }: World, isQuiet: boolean): NonNullable<World["held"]["entry"]> => {
  const isAsked = snapshot.spec.snapshotConfig?.quiesce !== false && vm?.status?.powerState === "On";
  return { ...held.entry, available: false, state: isAsked && !isQuiet ? "Unquiesced" : "Creating" };
};

/** Which snapshots a machine has there. */
export async function diskOf(
  link: Link,
  vmId: string,
  signal: AbortSignal,
): Promise<Pick<Heard, "disk"> | Pick<Heard, "trouble">> {
  const answer = await tried(link, "getDiskInfo", { vmId }, signal);
  if (!(answer instanceof ProviderError)) return { disk: answer };
  if (answer.failure === "NotFound") return { disk: "missing" };
  return answer.failure === "NotSupported" ? { disk: "unsupported" } : { trouble: answer };
}

/** What a request to take it came to, and what was found where nobody knows. */
export type Outcome =
  | { readonly is: "answered"; readonly answer: Answer<"snapshotCreate"> }
  | { readonly is: "refused"; readonly error: ProviderError }
  | { readonly is: "found"; readonly id: string }
  | { readonly is: "lost" }
  | { readonly is: "unsure"; readonly error: ProviderError };

export const callName = (attempt: number): string => `take ${attempt}`;

/** The request of this attempt, if this process sent it; else what the machine has is looked up. Neither holds up a worker. */
async function requested(world: World, link: Link, hands: SnapshotHands): Promise<World> {
  const called = hands.call<Outcome>(callName(world.record?.attempt ?? 1), (signal) => probe(world, link, signal));
  if (called.as === "failed") throw called.error;
  const saying = (request: Requesting) => hearing(world, { request });
  if (called.as === "running") return saying({ is: "running" });
  const { result } = called;
  if (result.is === "found") return { ...world, held: { ...world.held, snapshotID: result.id } };
  if (result.is === "refused") return ended(saying(result), result.error);
  if (result.is !== "answered") return saying(result);
  const { snapshotId, task, sizeBytes, quiesced } = result.answer;
  const id = snapshotId !== "" || (task?.id ?? "") !== "" ? snapshotId : sent(world);
  const { snapshotID: _old, taskRef: _none, ...held } = world.held;
  const knows = world.held.entry?.state === "Quiescing";
  return {
    ...world,
    held: {
      ...held,
      ...(id !== "" && { snapshotID: id }),
      ...((task?.id ?? "") !== "" && { taskRef: task?.id ?? "" }),
      ...(sizeBytes > 0n && { size: gibibytes(sizeBytes) }),
      ...(knows && (task?.id ?? "") === "" && { entry: stated(world, quiesced) }),
    },
  };
}

/** Whether the work may still go on is stored: whoever comes after a crash has to know. */
function ended(world: World, { failure }: ProviderError): World {
  const { entry } = world.held;
  if (entry === undefined) return world;
  const state = failure === "Busy" ? "Busy" : isUnreachable(failure) ? "Lost" : "Refused";
  const noted = { ...entry, state, ...(failure === "Busy" && { lastUpdated: formatTime(world.now) }) };
  return { ...world, held: { ...world.held, entry: noted } };
}

async function probe(world: World, link: Link, signal: AbortSignal): Promise<Outcome> {
  const found = await diskOf(link, world.vm?.status?.id ?? "", signal);
  if ("trouble" in found && found.trouble !== undefined) return { is: "unsure", error: found.trouble };
  const disk = "disk" in found ? found.disk : undefined;
  const isThere =
    disk !== undefined && disk !== "missing" && disk !== "unsupported" && disk.snapshots.includes(sent(world));
  return isThere ? { is: "found", id: sent(world) } : { is: "lost" };
}

const perform = (what: Deed, world: World, hands: SnapshotHands): Promise<World> => {
  // Each deed has its own function in the table.
  const doing = deeds[what.is] as Deeds[Deed["is"]];
  return (doing as (deed: Deed, world: World, hands: SnapshotHands) => Promise<World>)(what, world, hands);
};

export const stamp = (hands: Pick<SnapshotHands, "now">): string => formatTime(hands.now);
