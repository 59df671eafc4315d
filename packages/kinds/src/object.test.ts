import { describe, expect, test } from "vitest";
import { Pod } from "./builtin/index.ts";
import { builtin } from "./builtin-kind.ts";
import { deepFreeze, nameKind } from "./object.ts";

describe("the names of a kind", () => {
  test.each([
    ["Widget", "widgets"],
    ["Bus", "buses"],
    ["Box", "boxes"],
    ["Policy", "policies"],
    ["Gateway", "gateways"],
    ["Batch", "batches"],
  ])("the plural of %s is %s", (kind, plural) => {
    expect(nameKind({ group: "a.b", version: "v1", kind }).plural).toBe(plural);
  });

  test("follow from group, version and kind", () => {
    expect(nameKind({ group: "a.b", version: "v1", kind: "Widget" })).toEqual({
      group: "a.b",
      version: "v1",
      apiVersion: "a.b/v1",
      kind: "Widget",
      listKind: "WidgetList",
      plural: "widgets",
      singular: "widget",
      shortNames: [],
      categories: [],
      scope: "Namespaced",
    });
  });

  test("have no slash in the core group", () => {
    expect(nameKind({ group: "", version: "v1", kind: "Pod" }).apiVersion).toBe("v1");
  });
});

describe("freezing", () => {
  test("reaches every list and object", () => {
    const value = deepFreeze({ a: [{ b: 1 }], c: new Map([["d", [1]]]) });
    expect(() => Object.assign(value.a[0] ?? {}, { b: 2 })).toThrow(TypeError);
    expect(() => value.a.push({ b: 2 })).toThrow(TypeError);
    expect(() => value.c.get("d")?.push(2)).toThrow(TypeError);
  });

  test("leaves patterns usable", () => {
    const { pattern } = deepFreeze({ pattern: /a/g });
    expect([pattern.test("a"), pattern.test("a")]).toEqual([true, false]);
  });

  test("holds for built-in kinds down to their lists", () => {
    expect(Object.isFrozen(Pod.shortNames)).toBe(true);
    expect(Object.isFrozen(builtin()({ group: "", version: "v1", kind: "A" }).subresources)).toBe(true);
  });
});
