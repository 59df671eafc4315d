// Which plans are tried, and in which order.
import { beforeAll, describe, expect, it } from "vitest";
import { bakeryScenario } from "../test/bugs/bakery.ts";
import { tiny } from "../test/tiny.ts";
import { distinct, isHidden } from "./causality.ts";
import { Coverage, stepOf } from "./coverage.ts";
import { isTiny, type Strategy, type Trial, trials } from "./explore.ts";
import type { Fault } from "./fault.ts";
import { perturbations } from "./perturbations/index.ts";
import type { Reference } from "./reference.ts";
import { runPlan } from "./run.ts";

let [bakery, dots]: Reference[] = [];
beforeAll(async () => {
  [bakery, dots] = [await referenceOf(bakeryScenario()), await referenceOf(tiny())];
});

const referenceOf = async (scenario: Parameters<typeof runPlan>[0]) =>
  (await runPlan(scenario, { seed: 1, faults: [] })).seen;

const some = (reference: Reference, count: number, ids = perturbations.map(({ id }) => id)) => {
  const chosen = perturbations.filter(({ id }) => ids.includes(id));
  return first(trials(reference, chosen, 1, new Coverage(reference)), count);
};

function first(all: Iterable<Trial>, count: number, as?: Strategy): Trial[] {
  const found: Trial[] = [];
  for (const trial of all) {
    if (found.length === count) break;
    if (as === undefined || trial.as === as) found.push(trial);
  }
  return found;
}

const known = (reference: Reference | undefined): Reference => {
  if (reference === undefined) throw new Error("there is no run yet");
  return reference;
};

describe("each fault alone", () => {
  it("comes first: one of each perturbation before a second of any", () => {
    const tried = some(known(bakery), 30).map(({ plan }) => plan.faults[0]?.p);
    expect(new Set(tried).size).toBe(30);
  });

  it("of one perturbation one of each step comes before a second of any", () => {
    const reference = known(bakery);
    const steps = some(reference, 5, ["P1"]).map(({ plan: { faults } }) => stepOf(faults[0] as Fault, reference));
    expect(steps).toEqual(["finalizer", "act: PATCH configmaps", "act: PATCH services", "status", "ending"]);
  });
});

describe("a tiny world", () => {
  const count = (list: readonly { readonly as: Strategy }[], as: Strategy) => list.filter((it) => it.as === as).length;

  it("is one with few objects and writes", () => {
    expect([isTiny(known(dots)), isTiny(known(bakery))]).toEqual([true, false]);
  });

  it("sees every pair and every triple of faults, but for those that come to the same", () => {
    // Two writes: P1 and P2 are one, since nothing is outside that could tell; and of two on one write one decides.
    const tried = some(known(dots), 200, ["P1", "P2", "P5"]);
    expect(count(tried, "alone")).toBe(6);
    expect(tried.filter(({ as }) => as === "pairs").map(({ plan: { faults } }) => faults)).toEqual([
      [
        { p: "P1", write: 1 },
        { p: "P1", write: 2 },
      ],
      [
        { p: "P1", write: 1 },
        { p: "P5", write: 2 },
      ],
      [
        { p: "P5", write: 1 },
        { p: "P5", write: 2 },
      ],
      [
        { p: "P1", write: 2 },
        { p: "P5", write: 1 },
      ],
    ]);
    expect(count(tried, "triples")).toBe(0);
    expect(count(some(known(dots), 400, ["P1", "P5", "P6"]), "triples")).toBeGreaterThan(20);
  });

  it("has no end: walks follow", () => {
    expect(some(known(dots), 200, ["P1"]).at(-1)?.as).toBe("walks");
  });
});

describe("causality", () => {
  it("a change of somebody else's is the same before and after a write between which nobody reads it", () => {
    // 1 puts the finalizer on, 2 makes the ConfigMap, 3 the Service, 4 is the status: the object itself is read at the start.
    const on = "/example.com/loaves/default/dark";
    const faults = [1, 2, 3, 4].map((write): Fault => ({ p: "P21", write, on }));
    expect(distinct(faults, known(bakery)).map(({ write }) => write)).toEqual([1, 4]);
  });

  it("what is read in between makes a difference", () => {
    const on = (resource: string) =>
      [1, 2, 3, 4].map((write): Fault => ({ p: "P30", how: "deleted", write, on: `//${resource}/default/dark` }));
    const places = (resource: string) => distinct(on(resource), known(bakery)).map(({ write }) => write);
    expect(places("configmaps")).toEqual([1, 2, 4]);
    expect(places("services")).toEqual([1, 2, 3, 4]);
    expect(places("secrets")).toEqual([1]);
  });

  it("a crash before and after an answer differ where something outside may know", () => {
    const both = [
      { p: "P1", write: 2 },
      { p: "P2", write: 2 },
    ];
    expect(distinct(both, known(bakery))).toHaveLength(2);
    expect(distinct(both, known(dots))).toHaveLength(1);
  });

  it("of two faults on one request, or one event, one hides the other", () => {
    expect(isHidden({ p: "P1", write: 2 }, { p: "P5", write: 2 })).toBe(true);
    expect(isHidden({ p: "P1", write: 2 }, { p: "P5", write: 3 })).toBe(false);
    expect(isHidden({ p: "P7", kind: "/pods", event: 2 }, { p: "P11", kind: "/pods", event: 2 })).toBe(true);
    expect(isHidden({ p: "P7", kind: "/pods", event: 2 }, { p: "P1", write: 2 })).toBe(false);
  });
});

describe("a perturbation that others cannot be combined with", () => {
  it("is tried alone only", () => {
    const tried = some(known(dots), 3000, ["P31", "P5", "P6"]).filter(({ plan }) =>
      plan.faults.some(({ p }) => p === "P31"),
    );
    expect(new Set(tried.map(({ as }) => as))).toEqual(new Set(["alone", "walks"]));
    expect(tried.every(({ plan }) => plan.faults.length === 1)).toBe(true);
  });
});

describe("walks", () => {
  it("are the same for a seed, and others for another one", () => {
    const only = perturbations.filter(({ id }) => id === "P1");
    const of = (seed: number) => {
      const all = trials(known(bakery), only, seed, new Coverage(known(bakery)));
      return first(all, 20, "walks").map(({ plan }) => plan);
    };
    expect(of(1)).toEqual(of(1));
    expect(of(1)).not.toEqual(of(2));
  });

  it("take what was tried least", () => {
    const reference = known(bakery);
    const only = perturbations.filter(({ id }) => id === "P5" || id === "P17");
    const coverage = new Coverage(reference);
    for (let i = 0; i < 1000; i += 1) coverage.add({ p: "P5", write: 1 + (i % 13) });
    const all = trials(reference, only, 1, coverage);
    const faults = first(all, 40, "walks").flatMap(({ plan }) => plan.faults);
    const [often, seldom] = ["P5", "P17"].map((p) => faults.filter((it) => it.p === p).length);
    expect(seldom).toBeGreaterThan(2 * (often ?? 0));
  });
});
