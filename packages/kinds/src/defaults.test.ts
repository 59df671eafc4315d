import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Gadget } from "../test/gadget.ts";
import { applyDefaults } from "./defaults.ts";
import { complainOf } from "./errors.ts";
import { Anything, Dictionary, Fields, Int32, List, Nullable, Opaque, Optional, Text, type TSchema } from "./schema.ts";
import { toStructural } from "./structural.ts";
import { arbitraryOf } from "./testing.ts";

const schema = (s: TSchema) => toStructural(s, "spec", complainOf("Widget"));
const size = Optional(Int32({ default: 1 }));

// Each of these was seen on a real server: `crd.real.test.ts`.
describe("a default", () => {
  test.each<[string, TSchema, unknown, unknown]>([
    ["stands for a missing field", Fields({ size }), {}, { size: 1 }],
    ["leaves a given one alone", Fields({ size }), { size: 0 }, { size: 0 }],
    ["stands for an undefined one", Fields({ size }), { size: undefined }, { size: 1 }],
    ["stands for a null that may not be", Fields({ size }), { size: null }, { size: 1 }],
    ["leaves a null that may be", Fields({ a: Nullable(Text({ default: "x" })) }), { a: null }, { a: null }],
    ["does not make its parent", Fields({ a: Optional(Fields({ size })) }), {}, {}],
    ["fills a given parent", Fields({ a: Optional(Fields({ size })) }), { a: {} }, { a: { size: 1 } }],
    ["fills a parent's default", Fields({ a: Fields({ size }, { default: {} }) }), {}, { a: { size: 1 } }],
    [
      "fills the items of a list",
      Fields({ a: List(Fields({ size })) }),
      { a: [{}, { size: 2 }] },
      { a: [{ size: 1 }, { size: 2 }] },
    ],
    ["stands for a null item", Fields({ a: List(Text({ default: "x" })) }), { a: [null, "y"] }, { a: ["x", "y"] }],
    [
      "fills the values of a map",
      Fields({ a: Dictionary(Fields({ size })) }),
      { a: { b: {} } },
      { a: { b: { size: 1 } } },
    ],
    [
      "stands for a null in a map",
      Fields({ a: Dictionary(Text({ default: "x" })) }),
      { a: { b: null } },
      { a: { b: "x" } },
    ],
    ["leaves free-form parts alone", Fields({ a: Opaque() }), { a: { b: null } }, { a: { b: null } }],
  ])("%s", (_, s, value, filled) => {
    expect(applyDefaults(schema(s), value)).toEqual(filled);
  });
});

describe("a null that may not be, without a default", () => {
  test.each<[string, TSchema, unknown, unknown]>([
    ["is dropped from an object", Fields({ a: Optional(Text()) }), { a: null }, {}],
    ["is dropped from a map", Fields({ a: Dictionary(Text()) }), { a: { b: null, c: "d" } }, { a: { c: "d" } }],
    ["is dropped even where anything goes", Fields({ a: Optional(Anything()) }), { a: null }, {}],
    ["stays in a list", Fields({ a: List(Text()) }), { a: [null] }, { a: [null] }],
  ])("%s", (_, s, value, filled) => {
    const out = applyDefaults(schema(s), value);
    expect(JSON.stringify(out)).toBe(JSON.stringify(filled));
  });
});

test("the value and the schema stay as they were", () => {
  const s = schema(Fields({ a: Fields({ list: List(Text(), { default: ["x"] }) }, { default: {} }) }));
  const value = {};
  const one = applyDefaults(s, value) as { a: { list: string[] } };
  one.a.list.push("y");
  expect(value).toEqual({});
  expect(applyDefaults(s, value)).toEqual({ a: { list: ["x"] } });
});

test("a field named __proto__ is a field like any other", () => {
  const out = applyDefaults(
    { type: "object", additionalProperties: { type: "string" } },
    JSON.parse('{"__proto__":"x"}'),
  );
  expect(JSON.stringify(out)).toBe('{"__proto__":"x"}');
  const properties = JSON.parse('{"__proto__":{"type":"object","default":{"a":1}}}');
  expect(JSON.stringify(applyDefaults({ type: "object", properties }, {}))).toBe('{"__proto__":{"a":1}}');
});

test("filling in twice is filling in once", () => {
  fc.assert(
    fc.property(arbitraryOf(fc, Gadget.schema.spec), (value) => {
      const once = applyDefaults(Gadget.schema.spec, value);
      expect(applyDefaults(Gadget.schema.spec, once)).toEqual(once);
    }),
    { seed: 7 },
  );
});
