import { seededRandom } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import {
  defaultBudget,
  type JsonPatchOperation,
  mayRepeat,
  nextDelay,
  type Outcome,
  parseRetryAfter,
  safetyOfJsonPatch,
  safetyOfObject,
} from "./retry.ts";

const answered = (code: number, retryAfter?: number): Outcome =>
  retryAfter === undefined ? { at: "answered", code } : { at: "answered", code, retryAfter };

describe("what may be sent again", () => {
  it.each<[string, Outcome, { safe: boolean; guarded: boolean; unsafe: boolean }]>([
    ["that never left", { at: "unsent" }, { safe: true, guarded: true, unsafe: true }],
    ["whose fate is unknown", { at: "unknown" }, { safe: true, guarded: true, unsafe: false }],
    ["refused at the door (429)", answered(429), { safe: true, guarded: true, unsafe: true }],
    ["answered 500", answered(500), { safe: true, guarded: true, unsafe: false }],
    ["answered 503", answered(503), { safe: true, guarded: true, unsafe: false }],
    ["answered 503 with a time to come back", answered(503, 1000), { safe: true, guarded: true, unsafe: false }],
    ["answered 504", answered(504), { safe: true, guarded: true, unsafe: false }],
    ["answered 501", answered(501), { safe: false, guarded: false, unsafe: false }],
    ["answered 404", answered(404), { safe: false, guarded: false, unsafe: false }],
    ["answered 409", answered(409), { safe: false, guarded: false, unsafe: false }],
  ])("a request %s", (_name, outcome, expected) => {
    expect({
      safe: mayRepeat("safe", outcome),
      guarded: mayRepeat("guarded", outcome),
      unsafe: mayRepeat("unsafe", outcome),
    }).toEqual(expected);
  });
});

describe("when it is sent again", () => {
  const random = () => ({ ...seededRandom(1), next: () => 0.5 });
  const after = (attempts: number, outcome: Outcome, elapsed = 0) =>
    nextDelay({ safety: "safe", outcome, attempts, elapsed }, defaultBudget, random());

  it("waits twice as long each time, up to the longest pause", () => {
    const budget = { attempts: 99, total: 1e9, first: 100, longest: 500 };
    const delays = [1, 2, 3, 4, 5].map((attempts) =>
      nextDelay({ safety: "safe", outcome: { at: "unknown" }, attempts, elapsed: 0 }, budget, random()),
    );
    expect(delays).toEqual([100, 200, 400, 500, 500]);
  });

  it("spreads the pauses by half in either direction", () => {
    const chance = seededRandom(4);
    const delays = Array.from({ length: 1000 }, () =>
      nextDelay({ safety: "safe", outcome: { at: "unknown" }, attempts: 1, elapsed: 0 }, defaultBudget, chance),
    ).filter((delay) => delay !== undefined);
    expect(delays).toHaveLength(1000);
    expect([Math.min(...delays) >= 50, Math.max(...delays) <= 150]).toEqual([true, true]);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(90);
  });

  it("never comes back before the time that the server gave", () => {
    expect(after(1, answered(429, 3000))).toBe(3100);
  });

  it("stops after the last attempt of the budget", () => {
    expect(after(defaultBudget.attempts - 1, answered(503))).toBeDefined();
    expect(after(defaultBudget.attempts, answered(503))).toBeUndefined();
  });

  it("stops when the wait would go beyond the budget's time", () => {
    expect(after(1, answered(429, 60_000))).toBeUndefined();
    expect(after(1, answered(503), defaultBudget.total)).toBeUndefined();
    expect(after(1, answered(503), defaultBudget.total - 100)).toBe(100);
    expect(after(1, answered(503), defaultBudget.total - 99)).toBeUndefined();
  });
});

describe("a JSON Patch", () => {
  const test: JsonPatchOperation = { op: "test", path: "/metadata/uid", value: "u" };
  it.each<[string, JsonPatchOperation[], string]>([
    ["without a test could act twice", [{ op: "add", path: "/a", value: 1 }], "unsafe"],
    ["with a test that sets a member is the same twice", [test, { op: "add", path: "/a", value: 1 }], "guarded"],
    [
      "with a test that replaces a member is the same twice",
      [test, { op: "replace", path: "/a", value: 1 }],
      "guarded",
    ],
    ["with a test that removes a member is the same twice", [test, { op: "remove", path: "/a" }], "guarded"],
    ["with a test that appends to a list could act twice", [test, { op: "add", path: "/a/-", value: 1 }], "unsafe"],
    ["with a test that removes by position could act twice", [test, { op: "remove", path: "/a/0" }], "unsafe"],
    ["with a test that moves could act twice", [test, { op: "move", from: "/a", path: "/b" }], "unsafe"],
    [
      "that tests the version fits once, whatever it does",
      [
        { op: "test", path: "/metadata/resourceVersion", value: "7" },
        { op: "remove", path: "/a/0" },
      ],
      "guarded",
    ],
  ])("%s", (_name, operations, safety) => {
    expect(safetyOfJsonPatch(operations)).toBe(safety);
  });
});

it.each([
  [{ metadata: { resourceVersion: "7" } }, "guarded"],
  [{ metadata: { uid: "u" } }, "guarded"],
  [{ metadata: { name: "a", resourceVersion: "" } }, "unsafe"],
  [{}, "unsafe"],
])("an object %j is %s", (object, safety) => {
  expect(safetyOfObject(object)).toBe(safety);
});

it.each([
  ["7", 7000],
  ["Thu, 01 Jan 1970 00:00:12 GMT", 2000],
  ["Thu, 01 Jan 1970 00:00:01 GMT", 0],
  ["soon", undefined],
  ["", undefined],
  ["  ", undefined],
  [undefined, undefined],
])("Retry-After %s is a wait of %s", (text, wait) => {
  expect(parseRetryAfter(text, 10_000)).toBe(wait);
});
