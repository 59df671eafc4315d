import { expect, it } from "vitest";
import { withFinalizer, withoutFinalizer } from "./finalizers.ts";

const path = "/metadata/finalizers";
const held = (...finalizers: string[]) => ({ metadata: { finalizers } });

it("a finalizer is put on once, and the list must be the one that was read", () => {
  expect(withFinalizer({}, "a")).toEqual([
    { op: "test", path, value: null },
    { op: "add", path, value: ["a"] },
  ]);
  expect(withFinalizer(held("b"), "a")[1]).toEqual({ op: "add", path, value: ["b", "a"] });
  expect(withFinalizer(held("a"), "a")).toEqual([]);
});

it("a finalizer is taken off, and the others stay", () => {
  expect(withoutFinalizer(held("a", "b"), "a")).toEqual([
    { op: "test", path, value: ["a", "b"] },
    { op: "replace", path, value: ["b"] },
  ]);
  expect(withoutFinalizer(held("a"), "a")[1]).toEqual({ op: "remove", path });
  expect(withoutFinalizer({}, "a")).toEqual([]);
});
