import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { interner } from "./intern.ts";

it("equal strings are kept once: many objects that say the same take little more than one", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = (keep: (value: unknown) => unknown) => {
    collect();
    const before = process.memoryUsage().heapUsed;
    const kept = Array.from({ length: 2_000 }, () =>
      keep(JSON.parse(JSON.stringify({ a: "x".repeat(200), b: ["y".repeat(200)] }))),
    );
    collect();
    const after = process.memoryUsage().heapUsed;
    expect(kept).toHaveLength(2_000);
    return after - before;
  };
  const intern = interner();
  used(intern);
  expect(used(intern)).toBeLessThan(0.6 * used((value) => value));
});

it("says what was said", () => {
  const value = () => ({ a: ["a long string of text", 1, null, { b: "a long string of text", uid: "u" }] });
  expect(interner()(value())).toEqual(value());
});
