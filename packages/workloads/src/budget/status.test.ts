import { type Instant, instant } from "@telltale/kinds";
import type { Pod, PodDisruptionBudget } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { nextLook, statusOf, type World } from "./status.ts";

const now = instant(Date.UTC(2026, 0, 1, 0, 10));
const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString().replace(".000", "");

const pod = (name: string, { ready = true, leaving = false } = {}): Pod => ({
  metadata: { name, ...(leaving ? { deletionTimestamp: at(0) } : {}) },
  status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
});
const pods = (count: number) => Array.from({ length: count }, (_, i) => pod(`p${i}`));
const budget = (
  spec: NonNullable<PodDisruptionBudget["spec"]>,
  status: Partial<PodDisruptionBudget["status"]> = {},
): PodDisruptionBudget => ({
  metadata: { name: "web", generation: 3 },
  spec,
  status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, ...status },
});
const world = (of: PodDisruptionBudget, list: readonly Pod[], count = list.length): World => ({
  budget: of,
  pods: list,
  expected: { is: "known", isRead: false, count, unmanaged: [] },
});
const counts = (it: World, when: Instant = now) => {
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = statusOf(it, when);
  return [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed];
};

describe("how many must be healthy", () => {
  it("is a number, or a share of all, rounded up", () => {
    expect(counts(world(budget({ minAvailable: 2 }), pods(5)))).toEqual([5, 2, 5, 3]);
    expect(counts(world(budget({ minAvailable: "50%" }), pods(5)))).toEqual([5, 3, 5, 2]);
  });

  it("is what remains when so many are missing, a share of them rounded up", () => {
    expect(counts(world(budget({ maxUnavailable: 1 }), pods(5)))).toEqual([5, 4, 5, 1]);
    expect(counts(world(budget({ maxUnavailable: "30%" }), pods(5)))).toEqual([5, 3, 5, 2]);
    expect(counts(world(budget({ maxUnavailable: 9 }), pods(5)))).toEqual([5, 0, 5, 5]);
  });

  it("counts those that are wanted, not those that are there", () => {
    expect(counts(world(budget({ maxUnavailable: 1 }), pods(5), 10))).toEqual([10, 9, 5, 0]);
  });

  it("where nobody wants any, none may go", () => {
    expect(counts(world(budget({ maxUnavailable: 1 }), pods(2), 0))).toEqual([0, 0, 2, 0]);
  });
});

it("a pod that is not ready, or on its way out, is not healthy", () => {
  const list = [pod("a"), pod("b", { ready: false }), pod("c", { leaving: true })];
  expect(counts(world(budget({ minAvailable: 1 }), list))).toEqual([3, 1, 1, 0]);
});

describe("a pod that was evicted", () => {
  const evicted = (seconds: number) =>
    budget({ minAvailable: 1 }, { disruptedPods: { p0: at(-seconds), gone: at(-seconds) } });

  it("is not healthy while it is expected to go, and one that is gone is forgotten", () => {
    const it_ = world(evicted(60), pods(3));
    expect(counts(it_)).toEqual([3, 1, 2, 1]);
    expect(statusOf(it_, now).disruptedPods).toEqual({ p0: at(-60) });
    expect(nextLook(it_, now)).toBe(now + 60_000);
  });

  it("counts again after two minutes", () => {
    const it_ = world(evicted(120), pods(3));
    expect(counts(it_)).toEqual([3, 1, 3, 2]);
    expect(statusOf(it_, now)).not.toHaveProperty("disruptedPods");
    expect(nextLook(it_, now)).toBeUndefined();
  });

  it("is forgotten once it is on its way", () => {
    const it_ = world(evicted(1), [pod("p0", { leaving: true }), pod("p1")]);
    expect(statusOf(it_, now)).not.toHaveProperty("disruptedPods");
  });
});

describe("the condition", () => {
  const conditionOf = (it: World, when = now) => statusOf(it, when).conditions?.[0];

  it("says whether a pod may go, without a message", () => {
    expect(conditionOf(world(budget({ minAvailable: 1 }), pods(2)))).toEqual({
      type: "DisruptionAllowed",
      status: "True",
      reason: "SufficientPods",
      message: "",
      lastTransitionTime: at(0),
      observedGeneration: 3,
    });
    expect(conditionOf(world(budget({ minAvailable: 2 }), pods(2)))).toMatchObject({
      status: "False",
      reason: "InsufficientPods",
    });
  });

  it("keeps its time while it stays the same, and others keep their place", () => {
    const other = { type: "Other", status: "True", reason: "X", message: "", lastTransitionTime: at(-9) };
    const first = statusOf(world(budget({ minAvailable: 1 }), pods(2)), now);
    const before = { ...budget({ minAvailable: 1 }, { conditions: [...(first.conditions ?? []), other] }) };
    const later = instant(now + 60_000);
    expect(statusOf(world(before, pods(3)), later).conditions).toEqual([...(first.conditions ?? []), other]);
  });

  it("says where it cannot be told, and lets nobody go", () => {
    const unknown: World = {
      budget: budget({ maxUnavailable: 1 }, { disruptionsAllowed: 2, expectedPods: 3, observedGeneration: 2 }),
      pods: pods(3),
      expected: { is: "unknown", isRead: true, why: "jobs.batch does not implement the scale subresource" },
    };
    expect(statusOf(unknown, now)).toMatchObject({ disruptionsAllowed: 0, expectedPods: 3, observedGeneration: 2 });
    expect(conditionOf(unknown)).toMatchObject({
      status: "False",
      reason: "SyncFailed",
      message: "jobs.batch does not implement the scale subresource",
    });
    expect(nextLook(unknown, now)).toBe(now + 30_000);
  });
});
