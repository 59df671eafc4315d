// What a PodDisruptionBudget says: how many pods there are and should be, and how many may go. Pure.
import { formatTime, type Instant, type Ms, parseTime, plus, resolveIntOrPercent } from "@telltale/kinds";
import type { Pod, PodDisruptionBudget } from "@telltale/kinds/builtin";
import { isReady, isTerminating, nameOf } from "../pods/facts.ts";
import type { Expected } from "./expected.ts";

export type Status = NonNullable<PodDisruptionBudget["status"]>;

export interface World {
  readonly budget: PodDisruptionBudget;
  /** All that it selects. */
  readonly pods: readonly Pod[];
  readonly expected: Expected;
}

/** Scales that the server was asked for are asked for again after so long. */
const rereadScales: Ms = 30_000;
/** So long a pod that was evicted may take to be on its way out; then it counts as healthy again. */
const patience: Ms = 120_000;

export function statusOf(world: World, now: Instant): Status {
  const { budget, pods, expected } = world;
  const generation = budget.metadata?.generation;
  if (expected.is === "unknown") {
    const conditions = conditionsFor(budget, { status: "False", reason: "SyncFailed", message: expected.why }, now);
    return { ...zero, ...budget.status, disruptionsAllowed: 0, conditions };
  }
  const awaited = awaitedOf(world, now);
  const expectedPods = expected.count;
  const desiredHealthy = desiredOf(budget, expectedPods);
  const isHealthy = (pod: Pod) => isReady(pod) && !isTerminating(pod) && !awaited.has(nameOf(pod));
  const currentHealthy = pods.filter(isHealthy).length;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const verdict =
    disruptionsAllowed > 0
      ? { status: "True", reason: "SufficientPods", message: "" }
      : { status: "False", reason: "InsufficientPods", message: "" };
  return {
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    ...(awaited.size === 0 ? {} : { disruptedPods: Object.fromEntries(awaited) }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: conditionsFor(budget, verdict, now),
  };
}

const zero = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

/** How many must be healthy. */
function desiredOf({ spec }: PodDisruptionBudget, expected: number): number {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    return Math.max(0, expected - (resolveIntOrPercent(maxUnavailable, expected, "up") ?? 0));
  }
  return minAvailable === undefined ? 0 : (resolveIntOrPercent(minAvailable, expected, "up") ?? 0);
}

/** Pods that were evicted and have not gone yet, by name, with the time of it. */
function awaitedOf({ budget, pods }: World, now: Instant): ReadonlyMap<string, string> {
  const there = new Set(pods.filter((pod) => !isTerminating(pod)).map(nameOf));
  const entries = Object.entries(budget.status?.disruptedPods ?? {});
  return new Map(entries.filter(([name, at]) => there.has(name) && now < endOf(at, now)));
}

const endOf = (at: string, now: Instant): Instant => plus(parseTime(at) ?? now, patience);

/** When to look again: the next pod that was evicted and is still there counts again, or a scale may have changed. */
export function nextLook(world: World, now: Instant): Instant | undefined {
  const ends = [...awaitedOf(world, now).values()].map((at) => endOf(at, now));
  return [...ends, ...(world.expected.isRead ? [plus(now, rereadScales)] : [])].toSorted((a, b) => a - b)[0];
}

type Condition = NonNullable<Status["conditions"]>[number];

function conditionsFor(
  { metadata, status }: PodDisruptionBudget,
  say: Pick<Condition, "status" | "reason" | "message">,
  now: Instant,
): Condition[] {
  const type = "DisruptionAllowed";
  const before = status?.conditions ?? [];
  const old = before.find((it) => it.type === type);
  const next: Condition = {
    type,
    ...say,
    lastTransitionTime: old?.status === say.status ? old.lastTransitionTime : formatTime(now),
    ...(metadata?.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
  return old === undefined ? [...before, next] : before.map((it) => (it === old ? next : it));
}
