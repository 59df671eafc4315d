import type { ConditionStatus, Polarity } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Aggregate, type Contribution } from "./aggregate.ts";
import { text } from "./text.ts";

const make = (polarity?: Polarity) =>
  new Aggregate({
    ...(polarity === undefined ? {} : { polarity }),
    empty: { status: "True", reason: "NoneWanted", message: text`Nothing is wanted` },
    ok: { reason: "AllReady", message: (total) => text`All ${total} are ready` },
  });
const says = (status: ConditionStatus, message = "", reason = "Said"): Contribution => ({ status, reason, message });
const of = (children: Record<string, Contribution>, polarity?: Polarity) => {
  const aggregate = make(polarity);
  for (const [name, contribution] of Object.entries(children)) aggregate.set(name, contribution);
  return aggregate.value();
};

describe("an aggregate", () => {
  it("rule 74: over no children says what was declared for that", () => {
    expect(of({})).toEqual({ status: "True", reason: "NoneWanted", message: "Nothing is wanted", total: 0, good: 0 });
  });

  it("is good when all are", () => {
    expect(of({ a: says("True"), b: says("True") })).toEqual({
      status: "True",
      reason: "AllReady",
      message: "All 2 are ready",
      total: 2,
      good: 2,
    });
  });

  it("rule 40: an issue beats unknown, however many unknowns there are", () => {
    const value = of({
      a: says("Unknown", "lost"),
      b: says("Unknown", "lost"),
      c: says("False", "broken", "Broken"),
      d: says("True"),
    });
    expect(value).toMatchObject({
      status: "False",
      reason: "Broken",
      message: "broken (c); lost (a, b)",
      total: 4,
      good: 1,
    });
    expect(of({ a: says("Unknown", "lost", "Lost"), b: says("True") })).toMatchObject({
      status: "Unknown",
      reason: "Lost",
    });
  });

  it("turns over with its polarity", () => {
    expect(of({ a: says("False") }, "negative")).toMatchObject({ status: "False", reason: "AllReady", good: 1 });
    expect(of({ a: says("True", "cracked") }, "negative")).toMatchObject({ status: "True", message: "cracked (a)" });
  });

  it("rule 75: shows at most three messages with three names each, and counts the rest", () => {
    const children: Record<string, Contribution> = {};
    for (const [i, message] of ["one", "two", "three", "four", "five"].entries()) {
      for (let n = 0; n <= 5 - i; n++) children[`${message}-${n}`] = says("False", message);
    }
    expect(of(children).message).toBe(
      "one (one-0, one-1, one-2, and 3 more); two (two-0, two-1, two-2, and 2 more); " +
        "three (three-0, three-1, three-2, and 1 more); 5 more with other issues",
    );
  });

  it("rule 75: puts equal numbers into the order of their texts", () => {
    expect(of({ z: says("False", "alpha"), a: says("False", "beta") }).message).toBe("alpha (z); beta (a)");
  });

  it("shows the reason of a child that has no message", () => {
    expect(of({ a: says("False", "", "Crashing") }).message).toBe("Crashing (a)");
  });

  it("does not mind the loss of a child that it does not know", () => {
    const aggregate = make();
    aggregate.delete("a");
    aggregate.set("a", says("False", "bad"));
    aggregate.delete("a");
    expect([aggregate.size, aggregate.value().reason]).toEqual([0, "NoneWanted"]);
  });

  it("rule 75: is the same after any history and in any order as if it were counted anew", () => {
    const contribution = fc.record({
      status: fc.constantFrom<ConditionStatus>("True", "False", "Unknown"),
      reason: fc.constantFrom("R", "S"),
      message: fc.constantFrom("", "m", "n", "o"),
    });
    const step = fc.record({
      child: fc.integer({ min: 0, max: 12 }).map((n) => `child-${n}`),
      contribution: fc.option(contribution, { nil: undefined }),
    });
    const polarity = fc.constantFrom<Polarity>("positive", "negative");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), polarity, fc.boolean(), (steps, sign, backwards) => {
        const grown = make(sign);
        const final = new Map<string, Contribution>();
        for (const { child, contribution: c } of steps) {
          if (c === undefined) grown.delete(child);
          else grown.set(child, c);
          if (c === undefined) final.delete(child);
          else final.set(child, c);
        }
        const entries = backwards ? [...final].reverse() : [...final];
        const counted = make(sign);
        for (const [child, c] of entries) counted.set(child, c);
        expect(grown.value()).toEqual(counted.value());
        expect(grown.size).toBe(final.size);
      }),
      { numRuns: 300 },
    );
  });
});
