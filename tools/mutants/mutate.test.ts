import { stripTypeScriptTypes } from "node:module";
import { describe, expect, test } from "vitest";
import { instrumented, mutantsOf } from "./mutate.ts";

const changes = (source: string) => mutantsOf(source).map(({ from, to }) => `${from} → ${to}`);

describe("mutants", () => {
  test("of a condition: always, never, and without each of its parts", () => {
    expect(changes("if (a && b) c = 1;")).toEqual([
      "a && b → true",
      "a && b → false",
      "a && b → a",
      "a && b → b",
      "c = 1 → undefined",
    ]);
  });

  test("of a limit: one more, and the other way round", () => {
    expect(changes("const it = n < 3;")).toEqual(["n < 3 → n <= 3", "n < 3 → n >= 3"]);
  });

  test("keep the parentheses of what they change", () => {
    expect(changes("const it = (n ?? 1) > 0;")).toEqual([
      "(n ?? 1) > 0 → (n ?? 1) >= 0",
      "(n ?? 1) > 0 → (n ?? 1) <= 0",
      "n ?? 1 → n",
      "n ?? 1 → 1",
    ]);
  });

  test("of a loop: none that does not end", () => {
    expect(changes("while (n > 0) {}")).toEqual(["n > 0 → false", "n > 0 → n >= 0", "n > 0 → n <= 0"]);
  });

  test("of a deed: that it is not done", () => {
    expect(changes("async () => { await guard(); }")).toEqual(["await guard() → undefined"]);
  });

  test("of lists and what is done with them", () => {
    expect(changes("const it = x.filter(f);")).toEqual(["x.filter(f) → x"]);
    expect(changes("const it = x.some(f);")).toEqual(["x.some(f) → x.every(f)"]);
    expect(changes("const it = [1];")).toEqual(["[1] → []"]);
  });

  test("none of types, of what only a type wants, and of what would break a chain", () => {
    expect(changes('import type { A } from "a"; type B = true | [1]; const c: true | undefined = d;')).toEqual([]);
    expect(changes('const it = name ?? "";')).toEqual([]);
    expect(changes("const it = x?.filter(f).length;")).toEqual([]);
    expect(changes('const all = ["a"] as const;')).toEqual([]);
  });

  test("have the line on which they stand", () => {
    expect(mutantsOf("\n\nconst it = !a;").map(({ line }) => line)).toEqual([3]);
  });
});

describe("an instrumented module", () => {
  const source = `
    function due({ at, count }: { readonly at: number; readonly count: number }, now: number): boolean {
      if (count < 3 || now - at < 10) return false;
      return [at, now].some((it) => it > 5);
    }
    return due;`;
  const mutants = mutantsOf(`() => {${source}}`);
  const body = instrumented(`() => {${source}}`, mutants, "isOn");
  type Due = (it: { readonly at: number; readonly count: number }, now: number) => boolean;
  const make = new Function("isOn", `return (${stripTypeScriptTypes(body)})();`) as (
    isOn: (index: number) => boolean,
  ) => Due;
  const on = (from: string, to: string) => {
    const mutant = mutants.find((it) => it.from === from && it.to === to);
    return make((index) => index === mutant?.index);
  };

  test("does what it did while no mutant is on", () => {
    const due = make(() => false);
    expect([due({ at: 0, count: 2 }, 20), due({ at: 0, count: 3 }, 5), due({ at: 0, count: 3 }, 20)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("does what the one mutant says that is on, also within another one's place", () => {
    expect(on("count < 3", "count <= 3")({ at: 0, count: 3 }, 20)).toBe(false);
    expect(on("count < 3 || now - at < 10", "now - at < 10")({ at: 0, count: 0 }, 20)).toBe(true);
    expect(on("now - at", "now + at")({ at: 6, count: 3 }, 7)).toBe(true);
    expect(on("[at, now]", "[]")({ at: 0, count: 3 }, 20)).toBe(false);
  });

  test("keeps its lines", () => {
    expect(body.split("\n")).toHaveLength(source.split("\n").length);
  });
});
