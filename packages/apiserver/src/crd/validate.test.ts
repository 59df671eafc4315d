import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import type { FieldError } from "../status.ts";
import type { Schema } from "./schema.ts";
import { validateValue } from "./validate.ts";

const told = (errors: readonly FieldError[]) => errors.map((e) => `${e.field || "<nil>"}: ${e.body}`);
const spec = (properties: Record<string, Schema>): Schema => ({ properties: { spec: { type: "object", properties } } });
const check = (schema: Schema, value: Json) => told(validateValue(spec({ x: schema }), { spec: { x: value } }));

// Each line was asked of a v1.36 server.
describe("values that the recordings leave out", () => {
  test("a formatted string tells the format when the value is no text", () => {
    const date: Schema = { type: "string", format: "date" };
    expect(check(date, 5)).toEqual(['spec.x: Invalid value: "int64": spec.x in body must be of type date: "int64"']);
    expect(check(date, 1.5)).toEqual([
      'spec.x: Invalid value: "float64": spec.x in body must be of type date: "float64"',
    ]);
    expect(check(date, {})).toEqual(['spec.x: Invalid value: "": spec.x in body must be of type date: ""']);
    expect(check(date, [])).toEqual([]);
  });

  test("bounds that are no integers are told beside the value", () => {
    expect(check({ type: "integer", minimum: 0.5, maximum: 10.5 }, 0)).toEqual([
      '<nil>: Invalid value: "": Minimum boundary value must be of type integer (default format) in spec.x',
      "spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 0.5",
      '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in spec.x',
    ]);
  });

  test("large floats print as Go prints them", () => {
    expect(check({ type: "number", maximum: 10000000000 }, 20000000000.5)).toEqual([
      "spec.x: Invalid value: 2.00000000005e+10: spec.x in body should be less than or equal to 1e+10",
    ]);
  });

  test("a float is checked against a float factor and bound, a whole number against whole ones", () => {
    const schema: Schema = { type: "number", minimum: 0.5, multipleOf: 0.1 };
    expect(check(schema, 0.45)).toEqual([
      "spec.x: Invalid value: 0.45: spec.x in body should be a multiple of 0.1",
      "spec.x: Invalid value: 0.45: spec.x in body should be greater than or equal to 0.5",
    ]);
    expect(check(schema, 0)).toEqual([
      "spec.x: Invalid value: 0: factor MultipleOf declared for spec.x must be positive: 0",
    ]);
    expect(check(schema, 0.7)).toEqual([]);
  });

  test("a number that no float32 holds breaks the format float", () => {
    expect(check({ type: "number", format: "float" }, 1e300)).toEqual([
      '<nil>: Invalid value: "": Checked value must be of type number with format float in spec.x',
    ]);
  });

  test("additionalProperties: false forbids by name", () => {
    expect(check({ type: "object", additionalProperties: false }, { a: 1 })).toEqual([
      'spec.x: Invalid value: "a": spec.x.a in body is a forbidden property',
    ]);
  });

  test("of failed branches the one where more was checked is told", () => {
    const schema: Schema = {
      type: "object",
      anyOf: [{ required: ["a"] }, { required: ["b"], properties: { b: { minLength: 3 } } }],
    };
    expect(check(schema, { b: "x" })).toEqual([
      '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
      'spec.x.b: Invalid value: "x": spec.x.b in body should be at least 3 chars long',
    ]);
  });

  test("an enum of objects shows them as JSON", () => {
    expect(check({ type: "object", enum: [{ a: 1 }] }, { a: 2 })).toEqual([
      'spec.x: Unsupported value: {"a":2}: supported values: "{\\"a\\":1}"',
    ]);
  });

  test("items come before counts, counts before members, members before what is missing", () => {
    expect(check({ type: "array", items: { type: "string" }, minItems: 3, maxItems: 1 }, [1, 2])).toEqual([
      'spec.x[0]: Invalid value: "integer": spec.x[0] in body must be of type string: "integer"',
      'spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"',
      "spec.x: Invalid value: 2: spec.x in body should have at least 3 items",
      "spec.x: Too many: 2: must have at most 1 item",
    ]);
    expect(check({ type: "object", minProperties: 1, required: ["q"] }, {})).toEqual([
      "spec.x: Invalid value: 0: spec.x in body should have at least 1 properties",
      "spec.x.q: Required value",
    ]);
  });
});

describe("hostile input", () => {
  test("a pattern that would take a backtracking engine forever is linear", () => {
    expect(check({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`)).toHaveLength(1);
  });

  test("a list of a million wrong items answers with the first ones", () => {
    const errors = validateValue({ type: "array", items: { type: "string" } }, new Array<Json>(1_000_000).fill(1));
    expect(errors).toHaveLength(10_000);
  });

  test("names of the prototype are names like any other", () => {
    const schema: Schema = { type: "object", properties: { a: { type: "string" } }, required: ["constructor"] };
    expect(told(validateValue(schema, { a: "x" }))).toEqual(["constructor: Required value"]);
    const map: Schema = { type: "object", additionalProperties: { type: "string" } };
    const value = JSON.parse('{"__proto__": 1, "toString": 2}') as Json;
    expect(validateValue(map, value).map((e) => e.field)).toEqual(["__proto__", "toString"]);
  });
});

test("a member that the schema does not name makes everything around it count as changed", () => {
  const free: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema: Schema = {
    properties: { spec: { type: "object", required: ["r"], properties: { e: free, s: { type: "string" } } } },
  };
  const same = (spec: Json) => told(validateValue(schema, { spec, other: 1 }, { old: { value: { spec } } }));
  expect(same({ s: "x" })).toEqual([]);
  expect(same({ e: {} })).toEqual([]);
  expect(same({ e: { any: 1 } })).toEqual(["spec.r: Required value"]);
});

test("what equals its old value passes, what stands in a branch does not", () => {
  const schema = spec({
    a: { type: "string", maxLength: 1 },
    b: { type: "string", allOf: [{ maxLength: 1 }] },
    n: { type: "integer" },
    o: {
      type: "object",
      properties: { p: { type: "string", maxLength: 1 } },
      allOf: [{ properties: { p: { pattern: "^x" } } }],
    },
  });
  const old = { value: { spec: { a: "long", b: "long", o: { p: "long" } } } };
  expect(told(validateValue(schema, { spec: { a: "long", b: "long", o: { p: "long" }, n: 1 } }, { old }))).toEqual([]);
  expect(told(validateValue(schema, { spec: { a: "long", b: "long", o: { p: "long", q: 1 } } }, { old }))).toEqual([
    "spec.o.p: Invalid value: \"long\": spec.o.p in body should match '^x'",
    '<nil>: Invalid value: "": "spec.o" must validate all the schemas (allOf). None validated',
  ]);
});
