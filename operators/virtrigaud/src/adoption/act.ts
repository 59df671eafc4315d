// Asks a provider for its machines, and makes objects of those that nobody manages, a few at a time.
import { ApiError, isConflict } from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import { failureFrom, type Hands } from "@telltale/runtime";
import type { SafeText } from "@telltale/status";
import type { Answer } from "../contract/contract.ts";
import { type Provider, VirtualMachine, VMClass } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import type { Links } from "../link/links.ts";
import { ProviderError } from "../link/provider-error.ts";
import { type Deed, type Discovery, discover } from "./discovery.ts";
import { type Listed, listedOf } from "./listing.ts";
import { classOf, machineOf, seedOf } from "./objects.ts";
import type { Outcome, State, World } from "./world.ts";

type AdoptionHands = Hands<typeof Provider>;

export interface Tools {
  readonly links: Links;
  readonly clock: Clock;
  /** What became of an answer: a pass that has to be begun again finds it done. */
  readonly worked: WeakMap<Answer<"listVMs">, Outcome>;
}

/** Between two machines. */
const pause = 200;
/** Between two tries to write what somebody else is writing too (2.6). */
const tries = 5;
const again = 10;

export async function act(world: World, hands: AdoptionHands, tools: Tools): Promise<World> {
  const { it, state } = world;
  if (state.is !== "due") return world;
  const asked = hands.call("list", (signal) => list(it, state, tools.links, signal));
  if (asked.as === "running") return { ...world, outcome: { is: "asking" } };
  if (asked.as === "failed") {
    if (!(asked.error instanceof ProviderError)) throw asked.error;
    return { ...world, outcome: { is: "refused", said: asked.error.said } };
  }
  const before = tools.worked.get(asked.result);
  if (before !== undefined) return { ...world, outcome: before };
  const discovery = discover(asked.result.vms.map(listedOf), state.filter, state.known);
  const after = await adopt(world, discovery, hands, tools);
  tools.worked.set(asked.result, after.outcome);
  return { ...world, ...after };
}

function list(
  it: Provider,
  { tls }: Extract<State, { is: "due" }>,
  links: Links,
  signal: AbortSignal,
): Promise<Answer<"listVMs">> {
  return links.of(it, tls).ask("listVMs", {}, { deadline: deadlines.listVMs, signal });
}

async function adopt(
  { it, adopted }: World,
  { found, deeds, left, taken, obstacles }: Discovery,
  hands: AdoptionHands,
  { clock }: Tools,
): Promise<{ readonly outcome: Outcome; readonly adopted: number }> {
  const failed = [...obstacles];
  let count = 0;
  for (const [i, deed] of deeds.entries()) {
    if (i > 0) await sleep(clock, pause, hands.signal);
    const why = await tried(() => done(deed, it, hands, clock));
    if (why === undefined) count += 1;
    else failed.push({ name: deed.listed.name, why });
  }
  const outcome = { is: "discovered", at: hands.now, found, adopted: count, left, taken, failed } as const;
  return { outcome, adopted: adopted + count };
}

/** Why it could not be done. What is no answer of the server ends the pass. */
async function tried(deed: () => Promise<void>): Promise<SafeText | undefined> {
  try {
    await deed();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || failureFrom(error).class === "throttled") throw error;
    return failureFrom(error).message;
  }
}

async function done(deed: Deed, it: Provider, hands: AdoptionHands, clock: Clock): Promise<void> {
  const { listed } = deed;
  if (deed.is === "seed") return seed(deed.object, listed, hands, clock);
  const { namespace = "" } = it.metadata;
  const size = classOf(listed, namespace);
  if (hands.get(VMClass, { namespace, name: size.metadata.name ?? "" }) === undefined) {
    await hands.ensure(VMClass, size, { mode: "createOnly", owner: "none" });
  }
  const object = await hands.create(VirtualMachine, machineOf(deed.as, listed, it), { owner: "none" });
  return seed(object, listed, hands, clock);
}

/** Its own controller writes there too, so that it may take a few tries. Whoever has given it an id first was right. */
async function seed(object: VirtualMachine, listed: Listed, hands: AdoptionHands, clock: Clock): Promise<void> {
  const { name = "", namespace = "" } = object.metadata;
  // What was just made has no status in the answer, and may have one in the store.
  let now = object.status === undefined ? await hands.live(VirtualMachine, { name, namespace }) : object;
  for (let i = 1; now !== undefined && !now.status?.id; i += 1) {
    try {
      await hands.patchStatus(VirtualMachine, now, seedOf(now, listed));
      return;
    } catch (error) {
      if (!isConflict(error) || i >= tries) throw error;
    }
    await sleep(clock, again, hands.signal);
    now = await hands.live(VirtualMachine, { name, namespace });
    if (now?.metadata.uid !== object.metadata.uid) return;
  }
}
