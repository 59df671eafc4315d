import { instant } from "@telltale/kinds";
import { expect, it } from "vitest";
import { Trace } from "./trace.ts";

const at = (ms: number) => instant(1_000_000 + ms);

it("a trace shows who did what when, from the first step on", () => {
  const trace = new Trace();
  trace.note(at(0), "person", "applies");
  trace.note(at(1250), "operator-1", () => "begins");
  expect(trace.text()).toBe("    +0.000  person      applies\n    +1.250  operator-1  begins");
  expect(trace.text(1)).toBe("       ...  1 steps before\n    +1.250  operator-1  begins");
});

it("words are made once, and only when somebody reads them", () => {
  const trace = new Trace();
  let count = 0;
  trace.note(at(0), "server", () => `said ${++count}`);
  expect(count).toBe(0);
  expect([trace.steps[0]?.what, trace.steps[0]?.what]).toEqual(["said 1", "said 1"]);
});

it("two traces have one hash when every step is the same", () => {
  const hash = (what: string, ms = 0) => {
    const trace = new Trace();
    trace.note(at(ms), "server", what);
    return trace.hash();
  };
  expect(hash("a")).toBe(hash("a"));
  expect(new Set([hash("a"), hash("b"), hash("a", 1)]).size).toBe(3);
});
