import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Change, difference, isObject, type Json, type JsonObject, sent } from "./json.ts";

/** A JSON Patch applied as the RFC says, for members of objects. */
function applied(object: JsonObject, changes: readonly Change[]): JsonObject {
  const result = structuredClone(object);
  for (const change of changes) {
    const steps = change.path.split("/").slice(1);
    const name = (steps.pop() ?? "").replaceAll("~1", "/").replaceAll("~0", "~");
    let at: Json | undefined = result;
    for (const step of steps) at = isObject(at) ? at[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
    if (!isObject(at)) throw new Error(`${change.path}: there is no such object`);
    if (change.op !== "add" && !Object.hasOwn(at, name)) throw new Error(`${change.path}: there is no such member`);
    if (change.op === "remove") delete at[name];
    else at[name] = change.value;
  }
  return result;
}

describe("the difference of two objects", () => {
  it("is empty for equal ones, whatever their order", () => {
    expect(difference({ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 })).toEqual([]);
  });

  it("names only what differs, and replaces lists whole", () => {
    const before = { a: 1, b: { c: "x", d: true }, gone: null, list: [1, 2] };
    const after = { a: 1, b: { c: "y", d: true }, new: {}, list: [1, 3] };
    expect(difference(before, after)).toEqual([
      { op: "remove", path: "/gone" },
      { op: "replace", path: "/b/c", value: "y" },
      { op: "add", path: "/new", value: {} },
      { op: "replace", path: "/list", value: [1, 3] },
    ]);
  });

  it("escapes names as a pointer needs it", () => {
    expect(difference({}, { "a/b~c": 1 })).toEqual([{ op: "add", path: "/a~1b~0c", value: 1 }]);
  });

  it("leads from the one to the other", () => {
    const names = fc.constantFrom("a", "b", "a/b", "~", "~1", "");
    const values = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<Json>(null, 0, "", "x", true),
        fc.array(fc.integer(), { maxLength: 3 }) as fc.Arbitrary<Json>,
        tie("object"),
      ),
      object: fc.dictionary(names, tie("value"), { noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(values.object, values.object, (before, after) => {
        expect(applied(before, difference(before, after))).toEqual(after);
      }),
    );
  });
});

it("what was sent has no undefined members, and nothing is nothing", () => {
  expect([sent({ a: undefined, b: 1 }), sent(undefined)]).toEqual([{ b: 1 }, null]);
});
