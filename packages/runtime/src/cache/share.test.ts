import { deepFreeze } from "@telltale/kinds";
import fc from "fast-check";
import { expect, it } from "vitest";
import { share } from "./share.ts";

const json = fc.jsonValue({ depthSize: "small" });
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

it("what is new stays what it is, whatever was before", () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      const [old, next] = [copy(before), copy(after)];
      expect(share(old, next)).toEqual(copy(after));
      expect(old).toEqual(copy(before));
    }),
  );
});

it("what is as it was is the very same", () => {
  fc.assert(
    fc.property(json, (value) => {
      const before = { spec: copy(value), status: 1 };
      const after = share(before, { spec: copy(value), status: 2 }) as typeof before;
      expect(after.spec).toBe(before.spec);
      expect(share(before, copy(before))).toBe(before);
    }),
  );
});

it.each([
  ["a member less", { a: { b: 1, c: 2 } }, { a: { b: 1 } }],
  ["a member more", { a: { b: 1 } }, { a: { b: 1, c: 2 } }],
  ["an item less", [[1, 2]], [[1]]],
  ["another order", { a: [1, 2] }, { a: [2, 1] }],
  ["a list in place of an object", { a: { 0: "x" } }, { a: ["x"] }],
  ["nothing in place of something", { a: {} }, { a: null }],
])("%s is a change", (_what, before, after) => {
  expect(share(before, copy(after))).toEqual(after);
  expect(share(copy(after), copy(before))).toEqual(before);
});

it("leaves alone what nobody may change", () => {
  const after = deepFreeze({ a: "equal", b: { c: 1 } });
  expect(share({ a: "equal", b: { c: 1 }, d: 1 }, after)).toBe(after);
});
