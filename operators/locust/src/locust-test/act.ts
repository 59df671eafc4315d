// Makes, removes and stops what was planned. What goes wrong with making is told, not thrown: the status says it.
import { ApiError, ConnectionError, type JsonPatchOperation, TimeoutError } from "@telltale/client";
import { formatTime, type Instant } from "@telltale/kinds";
import { Job, Service } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";
import { buildJob, buildService } from "../build/index.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import { sanitize } from "../sanitize.ts";
import { decide, factsOf } from "./decide.ts";
import { type Plan, stops } from "./plan.ts";
import { isMissing, type Making, type Named, objectOf, type Part, parts, type World } from "./world.ts";

type TestHands = Hands<typeof LocustTest>;

export async function act(
  plan: Plan,
  hands: TestHands,
  world: World,
  observe: (test: LocustTest, hands: TestHands) => Promise<World>,
): Promise<World> {
  for (const part of plan.remove) await remove(part, hands, world);
  const making = await make(plan.make, hands, world);
  const isChanged = plan.remove.length > 0 || plan.make.length > 0;
  const seen = isChanged ? await observe(world.test, hands) : world;
  const missing = world.unread === undefined ? parts.filter((part) => isMissing(world[part])) : [];
  const after = { ...seen, making: { ...making, isAgain: plan.isAgain === true, missing } };
  const isStopped = await stop(after, hands);
  return { ...after, making: { ...after.making, isLeft: !isStopped } };
}

async function remove(part: Part, hands: TestHands, world: World): Promise<void> {
  if (part === "service") {
    const service = objectOf(world.service);
    if (service !== undefined) await hands.remove(Service, service, "Background");
    return;
  }
  const job = objectOf(world[part]);
  if (job !== undefined) await hands.remove(Job, job, "Background");
}

async function make(
  wanted: readonly Part[],
  hands: TestHands,
  { test, config }: World,
): Promise<Pick<Making, "created" | "failure">> {
  const created: Named[] = [];
  for (const part of wanted) {
    const kind = part === "service" ? "Service" : "Job";
    const object = part === "service" ? buildService(test, config) : buildJob(test, part, config);
    const named: Named = { kind, name: object.metadata?.name ?? "" };
    try {
      const { as } =
        part === "service"
          ? await hands.ensure(Service, object as Service, { mode: "createOnly" })
          : await hands.ensure(Job, object as Job, { mode: "createOnly" });
      if (as === "created") created.push(named);
      // The name is taken: what has it is seen in the next look.
      else if (as !== "unchanged") return { created };
    } catch (error) {
      return { created, failure: { ...named, ...failureOf(error) } };
    }
  }
  return { created };
}

function failureOf(error: unknown): { readonly cause: string; readonly isHopeless: boolean } {
  if (error instanceof ApiError) {
    return {
      cause: sanitize(error.status.message || `HTTP ${error.code}`),
      isHopeless: error.code === 400 || error.code === 422,
    };
  }
  if (error instanceof TimeoutError) return { cause: "the API server did not answer in time", isHopeless: false };
  if (error instanceof ConnectionError) return { cause: "the API server cannot be reached", isHopeless: false };
  throw error;
}

/**
 * A final phase means no more load. That a test has come to its end is told also where a Job cannot be stopped yet: the next
 * pass tries again, and then there is nothing else to tell.
 */
async function stop(world: World, hands: TestHands): Promise<boolean> {
  const facts = factsOf(world, hands.now);
  const decision = decide(world, facts, hands.now);
  try {
    for (const role of stops(world, facts, ending(world, decision, hands.now), hands.now).stop) {
      const job = objectOf(world[role]);
      if (job !== undefined) await hands.patch(Job, job, suspension);
    }
    return true;
  } catch (error) {
    if (decision.is === "over" || !(error instanceof ApiError)) throw error;
    hands.log.warn("a Job of a test that has failed could not be stopped", { err: error });
    return false;
  }
}

const suspension: readonly JsonPatchOperation[] = [{ op: "add", path: "/spec/suspend", value: true }];

/** The status as far as stopping depends on it: what is decided in this pass counts at once. */
function ending({ test }: World, decision: ReturnType<typeof decide>, now: Instant) {
  const stored = test.status ?? {};
  if (decision.is !== "fail" || decision.by !== "operator") return stored;
  return { ...stored, phase: "Failed" as const, completionTime: stored.completionTime ?? formatTime(now) };
}
