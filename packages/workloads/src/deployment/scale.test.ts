import type { ReplicaSet } from "@telltale/kinds/builtin";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetOf } from "./budget.ts";
import { growth, isResized, resized, shrinkage, sizeOf } from "./scale.ts";

function set(
  name: string,
  size: number,
  available: number,
  told: { desired?: number; most?: number } = {},
): ReplicaSet {
  const prefix = "deployment.kubernetes.io/";
  const annotations = {
    ...(told.desired === undefined ? {} : { [`${prefix}desired-replicas`]: String(told.desired) }),
    ...(told.most === undefined ? {} : { [`${prefix}max-replicas`]: String(told.most) }),
  };
  return {
    metadata: { name, annotations, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { replicas: size, selector: {} },
    status: { replicas: size, availableReplicas: available },
  };
}

const rolling = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) =>
  budgetOf({
    spec: {
      replicas,
      selector: {},
      template: {},
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
    },
  });

describe("the budget", () => {
  test("surge rounds up, unavailability down", () => {
    expect(rolling(3, "25%", "25%")).toEqual({ wanted: 3, surge: 1, least: 3 });
    expect(rolling(10, "25%", "25%")).toEqual({ wanted: 10, surge: 3, least: 8 });
  });

  test("with neither one may be missing, or nothing would ever move", () => {
    expect(rolling(3, 0, "10%")).toEqual({ wanted: 3, surge: 0, least: 2 });
  });

  test("no more can be missing than there are", () => {
    expect(rolling(1, 0, 5).least).toBe(0);
  });
});

describe("a rollout", () => {
  test("the new one grows as far as the others leave room", () => {
    const others = [set("old", 4, 4)];
    expect(growth(rolling(4, 1, 1), { current: undefined, others })).toBe(1);
    expect(growth(rolling(4, 1, 1), { current: set("new", 1, 0), others: [set("old", 3, 3)] })).toBe(2);
    expect(growth(rolling(4, 1, 1), { current: set("new", 9, 0), others })).toBe(4);
  });

  test("pods of no use go first, whatever is available", () => {
    const others = [set("old", 4, 2)];
    expect(shrinkage(rolling(4, 1, 1), { current: set("new", 1, 0), others })).toMatchObject([{ to: 3 }]);
  });

  test("nothing shrinks while too few are available", () => {
    expect(shrinkage(rolling(3, 1, 0), { current: set("new", 1, 0), others: [set("old", 3, 3)] })).toEqual([]);
  });

  test("never promises fewer than the least, nor more than the most, and always ends", () => {
    const some = fc.record({
      wanted: fc.integer({ min: 0, max: 12 }),
      surge: fc.integer({ min: 0, max: 5 }),
      spare: fc.integer({ min: 0, max: 5 }),
    });
    fc.assert(
      fc.property(some, ({ wanted, surge, spare }) => {
        const budget = rolling(wanted, surge, spare);
        let [old, fresh] = [set("old", wanted, wanted), set("new", 0, 0)];
        for (let i = 0; i < 100 && (sizeOf(old) > 0 || sizeOf(fresh) !== wanted); i += 1) {
          const history = { current: fresh, others: [old] };
          const size = growth(budget, history);
          if (size !== sizeOf(fresh)) fresh = set("new", size, fresh.status?.availableReplicas ?? 0);
          else {
            const [shrunk] = shrinkage(budget, history);
            if (shrunk !== undefined) old = set("old", shrunk.to, shrunk.to);
            else fresh = set("new", sizeOf(fresh), sizeOf(fresh));
          }
          const available = (old.status?.availableReplicas ?? 0) + (fresh.status?.availableReplicas ?? 0);
          expect(available).toBeGreaterThanOrEqual(budget.least);
          expect(sizeOf(old) + sizeOf(fresh)).toBeLessThanOrEqual(wanted + budget.surge);
        }
        expect([sizeOf(old), sizeOf(fresh)]).toEqual([0, wanted]);
      }),
    );
  });
});

describe("another size", () => {
  test("is told by what the ReplicaSets were told last", () => {
    const history = { current: set("new", 3, 3, { desired: 3 }), others: [] };
    expect([isResized(rolling(3, 1, 0), history), isResized(rolling(5, 1, 0), history)]).toEqual([false, true]);
  });

  test("goes to the only one that has pods", () => {
    const history = { current: set("new", 0, 0), others: [set("old", 2, 2)] };
    expect(resized(rolling(5, 1, 0), history, true)).toMatchObject([{ set: { metadata: { name: "old" } }, to: 5 }]);
  });

  test("empties the others when the new one is all there", () => {
    const history = { current: set("new", 3, 3, { desired: 3 }), others: [set("old", 2, 2)] };
    expect(resized(rolling(3, 1, 0), history, true)).toMatchObject([{ set: { metadata: { name: "old" } }, to: 0 }]);
  });

  test("is shared by size: 4 to 8 with 3 old and 2 new gives 6 and 4", () => {
    const told = { desired: 4, most: 5 };
    const history = { current: set("new", 2, 0, told), others: [set("old", 3, 3, told)] };
    const sizes = resized(rolling(8, "25%", "25%"), history, true).map(({ set: it, to }) => [it.metadata?.name, to]);
    expect(sizes).toEqual([
      ["old", 6],
      ["new", 4],
    ]);
  });

  test("zero empties all", () => {
    const told = { desired: 4, most: 5 };
    const history = { current: set("new", 2, 0, told), others: [set("old", 3, 3, told)] };
    expect(resized(rolling(0, "25%", "25%"), history, true).map(({ to }) => to)).toEqual([0, 0]);
  });

  test("shares add up, unless the largest has not as much as rounding leaves over: no other gives it (as in Kubernetes)", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 5 }), (before, wanted, surge) => {
        const most = before.reduce((a, b) => a + b, 0);
        const all = before.map((size, i) => set(`s${i}`, size, 0, { desired: most, most }));
        const after = resized(rolling(wanted, surge, 1), { current: all[0], others: all.slice(1) }, true);
        const over = after.reduce((sum, { to }) => sum + to, 0) - (wanted + surge);
        expect(over === 0 || (over > 0 && after[0]?.to === 0)).toBe(true);
        expect(after.every(({ to }) => to >= 0)).toBe(true);
      }),
      { examples: [[[4, 4, 4, 4, 4], 3, 0]] },
    );
  });
});
