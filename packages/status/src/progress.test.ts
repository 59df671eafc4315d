import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { band, type Progress, percent, progress, remaining } from "./progress.ts";

describe("progress", () => {
  it("rule 82: never runs backwards within one epoch", () => {
    expect(progress({ epoch: "a", done: 5, total: 10 }, { epoch: "a", done: 3, total: 10 }).done).toBe(5);
  });

  it("rule 82: starts anew with another epoch", () => {
    expect(progress({ epoch: "a", done: 5, total: 10 }, { epoch: "b", done: 3, total: 10 }).done).toBe(3);
  });

  it("rule 82: does not run back with a total that shrinks", () => {
    expect(progress({ epoch: "a", done: 8, total: 10 }, { epoch: "a", done: 8, total: 5 })).toEqual({
      epoch: "a",
      done: 8,
      total: 8,
    });
  });

  it("is never above the total, and nothing but a number from 0 on", () => {
    expect(progress(undefined, { epoch: "a", done: 12, total: 10 })).toEqual({ epoch: "a", done: 10, total: 10 });
    for (const done of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(progress(undefined, { epoch: "a", done, total: 10 }).done).toBe(0);
    }
  });

  it("rule 82: holds for any sequence of reports", () => {
    const report = fc.record({
      epoch: fc.constantFrom("a", "b"),
      done: fc.oneof(fc.integer({ min: -5, max: 200 }), fc.constant(Number.NaN)),
      total: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(report), (reports) => {
        let shown: Progress | undefined;
        for (const next of reports) {
          const before = shown;
          shown = progress(before, next);
          if (before?.epoch === shown.epoch) expect(shown.done).toBeGreaterThanOrEqual(before.done);
          expect(shown.done).toBeLessThanOrEqual(shown.total ?? 0);
          expect(shown.done).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});

describe("percent", () => {
  it.each([
    [0, 10, 0],
    [29, 100, 29],
    [999, 1000, 99],
    [10, 10, 100],
    [20, 10, 100],
    [-1, 10, 0],
  ])("of %i in %i is %i", (done, total, expected) => {
    expect(percent({ epoch: "", done, total })).toBe(expected);
  });

  it("is not known without a total", () => {
    expect(percent({ epoch: "", done: 3 })).toBeUndefined();
    expect(percent({ epoch: "", done: 3, total: 0 })).toBeUndefined();
  });
});

describe("a band", () => {
  it("goes from its entry to its end", () => {
    expect([0, 0.5, 1].map((f) => band(30, 48, f))).toEqual([30, 39, 48]);
  });
  it("is not left, and stands at its entry where nothing is known", () => {
    expect([-1, 2, undefined, Number.NaN].map((f) => band(30, 48, f))).toEqual([30, 48, 30, 30]);
  });
});

describe("the time that remains", () => {
  it("follows from the rate so far", () => {
    expect(remaining({ epoch: "", done: 25, total: 100 }, 1000)).toBe(3000);
    expect(remaining({ epoch: "", done: 100, total: 100 }, 1000)).toBe(0);
  });
  it("is not guessed from nothing", () => {
    expect(remaining({ epoch: "", done: 0, total: 100 }, 1000)).toBeUndefined();
    expect(remaining({ epoch: "", done: 5 }, 1000)).toBeUndefined();
    expect(remaining({ epoch: "", done: 5, total: 100 }, 0)).toBeUndefined();
  });
});
