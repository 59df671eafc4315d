import { expect, test } from "vitest";
import { complainOf } from "./errors.ts";
import { findMisfit, misfit } from "./misfit.ts";
import {
  Anything,
  Dictionary,
  Enum,
  Fields,
  Int32,
  IntOrString,
  List,
  Nullable,
  Opaque,
  Optional,
  Quantity,
  Text,
  type TSchema,
  Type,
} from "./schema.ts";
import { toStructural } from "./structural.ts";

test.each<[TSchema, unknown, string | undefined]>([
  [Int32(), 1, undefined],
  [Int32(), 1.5, "it is not of type integer"],
  [Int32({ minimum: 2 }), 1, "it is below 2"],
  [Int32({ maximum: 2 }), 3, "it is above 2"],
  [Type.Number({ exclusiveMinimum: 0 }), 0, "it is not above 0"],
  [Type.Number({ exclusiveMaximum: 1 }), 1, "it is not below 1"],
  [Text(), null, "it is null"],
  [Nullable(Text()), null, undefined],
  [Text({ maxLength: 1 }), "€", undefined],
  [Text({ maxLength: 1 }), "😀", undefined],
  [Text({ maxLength: 1 }), "ab", "it is longer than 1"],
  [Text({ minLength: 2 }), "😀", "it is shorter than 2"],
  [Text({ pattern: "^a$" }), "b", "it does not match ^a$"],
  [Enum(["A", "B"]), "C", "it is not one of A, B"],
  [IntOrString(), "25%", undefined],
  [IntOrString(), true, "it is neither integer nor string"],
  [Quantity(), 5, undefined],
  [Quantity(), "1Gi", undefined],
  [List(Text(), { maxItems: 1 }), ["a", "b"], "it has more than 1 items"],
  [List(Text(), { minItems: 1 }), [], "it has fewer than 1 items"],
  [List(Text()), ["a", 1], "[1] is not of type string"],
  [Dictionary(Text(), { maxProperties: 1 }), { a: "", b: "" }, "it has more than 1 keys"],
  [Dictionary(Text(), { minProperties: 1 }), {}, "it has fewer than 1 keys"],
  [Dictionary(Text()), { a: 1 }, ".a is not of type string"],
  [Fields({ a: Fields({ b: Text() }) }), { a: {} }, ".a.b is missing"],
  [Fields({ a: Optional(Text()) }), {}, undefined],
  [Fields({}), { toString: 1 }, ".toString is not a field"],
  [Fields({}), [], "it is not of type object"],
  [Opaque(), { a: 1 }, undefined],
  [Anything(), { a: [1] }, undefined],
])("%j and %j: %s", (schema, value, problem) => {
  expect(misfit(toStructural(schema, "", complainOf("Widget")), value, "")).toBe(problem);
});

test("a misfit comes in parts too, and fields that the schema does not know can be left alone", () => {
  const schema = toStructural(Fields({ list: List(Int32({ maximum: 3 })) }), "spec", complainOf("Thing"));
  expect(findMisfit(schema, { list: [1, 4] }, "spec")).toEqual({ at: "spec.list[1]", problem: "is above 3" });
  expect(findMisfit(schema, { list: [], more: 1 }, "spec")).toEqual({ at: "spec.more", problem: "is not a field" });
  expect(findMisfit(schema, { list: [], more: 1 }, "spec", { unknown: "ignored" })).toBeUndefined();
});
