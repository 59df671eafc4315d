import { describe, expect, it } from "vitest";
import { readPath, withPath } from "./path.ts";

const status = { progress: { percent: 5 }, list: [1], conditions: [{ type: "a.b/Ready", status: "True" }] };

describe("a path into a status", () => {
  it("leads to a member, a nested member, or one condition by its type", () => {
    expect(readPath(status, "progress.percent")).toBe(5);
    expect(readPath(status, "conditions.a.b/Ready")).toEqual({ type: "a.b/Ready", status: "True" });
  });

  it.each(["other", "progress.percent.x", "list.0", "constructor", "progress.toString", "conditions.Ready"])(
    "%s leads nowhere",
    (path) => {
      expect(readPath(status, path)).toBeUndefined();
      expect(readPath(undefined, path)).toBeUndefined();
    },
  );
});

describe("a copy with another value", () => {
  it("has it, makes the parents that are missing, and leaves the original alone", () => {
    expect(withPath(status, "progress.percent", 6)["progress"]).toEqual({ percent: 6 });
    expect(withPath({}, "a.b.c", 1)).toEqual({ a: { b: { c: 1 } } });
    expect(status.progress.percent).toBe(5);
  });

  it("loses the member when there is no value", () => {
    expect(withPath({ a: 1, b: 2 }, "a", undefined)).toEqual({ b: 2 });
  });
});
