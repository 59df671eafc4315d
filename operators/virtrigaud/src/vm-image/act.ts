// Has a provider prepare an image, and asks how far it is. The call itself may take as long as a download: it outlives the pass.
import { ApiError, ConnectionError, TimeoutError } from "@telltale/client";
import type { Hands } from "@telltale/runtime";
import type { Provider, VMImage } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import { ProviderError } from "../link/provider-error.ts";
import { lookAtTask } from "../link/task.ts";
import { failuresIn, isPassing, isUnheard } from "./entry.ts";
import { type Finding, lateAt, learn } from "./learn.ts";
import type { Plan } from "./plan.ts";
import { targetName } from "./request.ts";
import { linkTo, send, type Tools } from "./send.ts";
import type { Flight, World } from "./world.ts";

type ImageHands = Hands<typeof VMImage>;

export async function act(plan: Plan, hands: ImageHands, world: World, tools: Tools): Promise<World> {
  // A record has done its duty where nothing is to be begun any more, and no answer is owed.
  const isOwed = Object.values(world.memory.entries).some(isUnheard);
  if (plan.do !== "prepare" && !isOwed) hands.settled();
  try {
    const finding = await found(plan, hands, world, tools);
    return { ...world, finding, memory: learn(world.memory, finding, world, world.now) };
  } catch (error) {
    // The API server did not take the note. What is known is said all the same.
    if ([ApiError, ConnectionError, TimeoutError].some((kind) => error instanceof kind))
      return { ...world, trouble: error };
    throw error;
  }
}

async function found(plan: Plan, hands: ImageHands, world: World, tools: Tools): Promise<Finding> {
  switch (plan.do) {
    case "nothing":
      return { is: "nothing" };
    case "giveUp":
      return { is: "late", key: plan.key };
    case "poll":
      return poll(plan.provider, plan.flight, hands, tools);
    case "prepare":
      return prepare(plan.key, plan.provider, hands, world, tools);
  }
}

async function poll(provider: Provider, { key, task }: Flight, hands: ImageHands, tools: Tools): Promise<Finding> {
  try {
    const { ask } = await linkTo(provider, hands, tools);
    const options = { deadline: deadlines.taskStatus, signal: hands.signal };
    return { is: "task", key, task: await lookAtTask(() => ask("taskStatus", { task: { id: task } }, options)) };
  } catch (error) {
    if (error instanceof ProviderError) return { is: "unheard", key, said: error.said };
    throw error;
  }
}

async function prepare(
  key: string,
  provider: Provider,
  hands: ImageHands,
  world: World,
  tools: Tools,
): Promise<Finding> {
  const { image, memory, rules, now } = world;
  const left = memory.flight?.key === key ? lateAt(memory, rules, now) - now : rules.timeout;
  // One name per attempt: what an earlier one came to is nobody's business any more.
  const name = `ImagePrepare ${key} ${targetName(image, provider)} ${failuresIn(memory.entries[key])}`;
  const begin = async () => hands.call(name, (signal) => send({ key, provider, left, signal }, hands, world, tools));
  const sent = await hands.once({
    op: "ImagePrepare",
    // By its target name a repetition is known: whether the last one got through need not be asked.
    probe: async () => ({ found: await begin() }),
    call: begin,
    goesOn: (called) => called.as === "running" || (called.as === "done" && isUnanswered(called.result)),
  });
  if (sent.as === "ambiguous" || sent.result.as === "running") return { is: "begun", key };
  if (sent.result.as === "failed") throw sent.result.error;
  return sent.result.result;
}

/** Whether it was done nobody knows: it is asked for again. */
const isUnanswered = (finding: Finding): boolean => finding.is === "error" && isPassing(finding.failure);
