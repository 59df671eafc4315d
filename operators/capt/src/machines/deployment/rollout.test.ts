import fc from "fast-check";
import { expect, test } from "vitest";
import type { CaptMachineDeployment } from "../../kinds/capt-machine-deployment.ts";
import { limitsOf, rollout, type SetCount } from "./rollout.ts";

type Spec = CaptMachineDeployment["spec"];
const nodeGroupRef = { name: "workers", namespace: "t1" };
const template = { spec: { nodeGroupRef, workspaceTemplateRef: { name: "m" }, instanceType: "small" } };
const spec = (
  replicas: number,
  rollingUpdate: object = {},
  type: "RollingUpdate" | "Recreate" = "RollingUpdate",
): Spec => ({
  replicas,
  template,
  strategy: { type, rollingUpdate },
});
const set = (
  name: string,
  wanted: number,
  available = wanted,
  present = wanted,
  free = Math.max(0, wanted - available),
): SetCount => ({ name, wanted, present, available, free });
const none = set("new", 0);

test("14.3 with one to spare, the new set begins with one and the old one waits for it", () => {
  expect(rollout(spec(3), none, [set("old", 3)])).toEqual({ next: 1, old: new Map() });
  expect(rollout(spec(3), set("new", 1, 0), [set("old", 3)])).toEqual({ next: 1, old: new Map() });
  expect(rollout(spec(3), set("new", 1), [set("old", 3)])).toEqual({ next: 1, old: new Map([["old", 2]]) });
  expect(rollout(spec(3), set("new", 1), [set("old", 2, 2, 3)])).toEqual({ next: 1, old: new Map() });
  expect(rollout(spec(3), set("new", 1), [set("old", 2)])).toEqual({ next: 2, old: new Map() });
});

test("14.3 without surge, one old machine goes before a new one comes", () => {
  const update = { maxSurge: 0, maxUnavailable: 1 };
  expect(rollout(spec(3, update), none, [set("old", 3)])).toEqual({ next: 0, old: new Map([["old", 2]]) });
  expect(rollout(spec(3, update), none, [set("old", 2)])).toEqual({ next: 1, old: new Map() });
});

test("14.3 machines that do not run go first", () => {
  const old = [set("broken", 2, 0), set("fine", 3)];
  expect(rollout(spec(3), none, old).old).toEqual(new Map([["broken", 0]]));
});

test("14.3 nor do they go while new ones are not available, which may never be", () => {
  expect(rollout(spec(3), set("new", 1, 0), [set("old", 3, 2)]).old).toEqual(new Map());
  expect(rollout(spec(3), set("new", 1), [set("old", 3, 2)]).old).toEqual(new Map([["old", 2]]));
});

test("14.3 machines of which nobody knows whether they run are neither taken nor counted as running", () => {
  // Three wanted, none known to run: neither the old nor the new ones.
  const update = { maxSurge: 0, maxUnavailable: 1 };
  expect(rollout(spec(3, update), none, [set("old", 3, 0, 3, 0)]).old).toEqual(new Map());
  // One is known to be down: it may go.
  expect(rollout(spec(3, update), none, [set("old", 3, 0, 3, 1)]).old).toEqual(new Map([["old", 2]]));
  // The new one may not run either: then none of the old ones that do goes.
  expect(rollout(spec(3), set("new", 1, 0, 1, 0), [set("old", 3)]).old).toEqual(new Map());
});

test("14.3 Recreate waits until everything old is gone", () => {
  const recreate = spec(2, {}, "Recreate");
  expect(rollout(recreate, none, [set("old", 2)])).toEqual({ next: 0, old: new Map([["old", 0]]) });
  expect(rollout(recreate, none, [set("old", 0, 0, 1)])).toEqual({ next: 0, old: new Map() });
  expect(rollout(recreate, none, [set("old", 0)])).toEqual({ next: 2, old: new Map() });
});

test("14.3 Recreate leaves a set alone whose template has not changed", () => {
  expect(rollout(spec(2, {}, "Recreate"), set("new", 2), [])).toEqual({ next: 2, old: new Map() });
});

test.each([
  [
    { maxSurge: "25%", maxUnavailable: "25%" },
    { surge: 3, unavailable: 2 },
  ],
  [
    { maxSurge: 0, maxUnavailable: 0 },
    { surge: 0, unavailable: 1 },
  ],
  [
    { maxSurge: "2", maxUnavailable: 20 },
    { surge: 2, unavailable: 10 },
  ],
  [{}, { surge: 1, unavailable: 0 }],
])("14.3 %j of ten machines is %j", (rollingUpdate, limits) => {
  expect(limitsOf(spec(10, rollingUpdate), 10)).toEqual(limits);
});

test("14.3 a rollout ends, never has more machines than it may, and never fewer that run", () => {
  const numbers = fc.record({
    replicas: fc.integer({ min: 0, max: 8 }),
    surge: fc.integer({ min: 0, max: 3 }),
    unavailable: fc.integer({ min: 0, max: 3 }),
    old: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(numbers, ({ replicas, surge, unavailable, old }) => {
      const wanted = spec(replicas, { maxSurge: surge, maxUnavailable: unavailable });
      const limits = limitsOf(wanted, replicas);
      let next = none;
      let others = old.map((count, i) => set(`old-${i}`, count));
      const most = Math.max(replicas + limits.surge, sum(others, "wanted"));
      const least = Math.min(replicas - limits.unavailable, sum(others, "available"));
      for (let i = 0; i < 60; i += 1) {
        const goal = rollout(wanted, next, others);
        next = set("new", goal.next);
        others = others.map(({ name, wanted: now }) => set(name, goal.old.get(name) ?? now));
        expect(next.wanted + sum(others, "wanted")).toBeLessThanOrEqual(most);
        expect(next.available + sum(others, "available")).toBeGreaterThanOrEqual(least);
      }
      expect([next.wanted, sum(others, "wanted")]).toEqual([replicas, 0]);
    }),
  );
});

const sum = (sets: readonly SetCount[], of: "wanted" | "available"): number =>
  sets.reduce((all, it) => all + it[of], 0);
