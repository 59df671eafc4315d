import { describe, expect, test } from "vitest";
import { complainOf } from "./errors.ts";
import {
  Anything,
  AtomicDictionary,
  Dictionary,
  Double,
  Duration,
  described,
  EmbeddedResource,
  Enum,
  Fields,
  Flag,
  Immutable,
  Int32,
  Int64,
  IntOrString,
  List,
  ListMap,
  ListSet,
  Nullable,
  Opaque,
  Optional,
  Quantity,
  Text,
  Time,
  type TSchema,
  Type,
  UInt32,
} from "./schema.ts";
import { type Structural, schemaAt, structuralOf, toStructural } from "./structural.ts";

const structural = (schema: TSchema): Structural => toStructural(schema, "spec", complainOf("Widget"));
const immutable = { rule: "self == oldSelf", message: "cannot be changed" };

describe("the structural form of a schema", () => {
  test.each<[string, TSchema, Structural]>([
    ["a 32-bit integer", Int32({ minimum: 1 }), { type: "integer", format: "int32", minimum: 1 }],
    [
      "rule 11: a 64-bit integer",
      Int64(),
      { type: "integer", format: "int64", minimum: -(2 ** 53 - 1), maximum: 2 ** 53 - 1 },
    ],
    ["rule 11: an unsigned integer", UInt32(), { type: "integer", format: "int64", minimum: 0, maximum: 2 ** 32 - 1 }],
    ["a float", Double({ multipleOf: 0.5 }), { type: "number", format: "double", multipleOf: 0.5 }],
    ["a text", Text({ maxLength: 3, pattern: /^a/ }), { type: "string", maxLength: 3, pattern: "^a" }],
    ["a flag", Flag({ default: false }), { type: "boolean", default: false }],
    ["a time", Time(), { type: "string", format: "date-time" }],
    ["rule 12: an enum", Enum(["A", "B"]), { type: "string", enum: ["A", "B"] }],
    ["an opaque object", Opaque(), { type: "object", "x-kubernetes-preserve-unknown-fields": true }],
    ["anything", Anything(), { "x-kubernetes-preserve-unknown-fields": true }],
    ["TypeBox's unknown", Type.Unknown(), { "x-kubernetes-preserve-unknown-fields": true }],
    [
      "an open object",
      Type.Object({}, { additionalProperties: true }),
      { type: "object", properties: {}, "x-kubernetes-preserve-unknown-fields": true },
    ],
    ["a closed object", Type.Object({}, { additionalProperties: false }), { type: "object", properties: {} }],
    [
      "an embedded object",
      EmbeddedResource(),
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    ],
    [
      "a list",
      List(Text(), { maxItems: 2 }),
      { type: "array", items: { type: "string" }, maxItems: 2, "x-kubernetes-list-type": "atomic" },
    ],
    ["a set", ListSet(Text()), { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" }],
    [
      "a map",
      Dictionary(Int32(), { maxProperties: 2 }),
      { type: "object", additionalProperties: { type: "integer", format: "int32" }, maxProperties: 2 },
    ],
    [
      "an atomic map",
      AtomicDictionary(Text()),
      { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
    ],
    [
      "an object",
      Fields({ a: Text(), b: Optional(Flag()) }),
      { type: "object", required: ["a"], properties: { a: { type: "string" }, b: { type: "boolean" } } },
    ],
    ["an immutable text", Immutable(Text()), { type: "string", "x-kubernetes-validations": [immutable] }],
    ["a described text", described(Text(), "What it is"), { type: "string", description: "What it is" }],
    ["a nullable text", Nullable(Text()), { type: "string", nullable: true }],
    ["a literal", Type.Literal("A"), { type: "string", enum: ["A"] }],
    ["a union of literals", Type.Union([Type.Literal("A"), Type.Literal("B")]), { type: "string", enum: ["A", "B"] }],
    ["a union of fractions", Type.Union([Type.Literal(1), Type.Literal(0.5)]), { type: "number", enum: [1, 0.5] }],
    [
      "a union with null",
      Type.Union([Int32({ minimum: 1 }), Type.Null()], { description: "x" }),
      { type: "integer", format: "int32", minimum: 1, nullable: true, description: "x" },
    ],
    [
      "exclusive bounds",
      Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
      { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    ],
    [
      "a choice between required fields",
      { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    ],
  ])("of %s", (_, schema, form) => {
    expect(structural(schema)).toEqual(form);
  });

  test("of an int-or-string has no type of its own", () => {
    const anyOf = [{ type: "integer" }, { type: "string" }];
    expect(structural(IntOrString())).toEqual({ anyOf, "x-kubernetes-int-or-string": true });
    expect(structural(Quantity())).toMatchObject({
      anyOf,
      "x-kubernetes-int-or-string": true,
      pattern: expect.any(String),
    });
  });

  test("of a list-map keeps its keys", () => {
    const list = structural(ListMap(Fields({ name: Text() }), ["name"]));
    expect(list).toMatchObject({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] });
  });

  test("of joined objects is one object with the rules and fields of all", () => {
    const rule = { rule: "has(self.a)", message: "no" };
    const joined = Type.Intersect([Fields({ a: Text() }, { rules: [rule] }), Fields({ b: Optional(Flag()) })], {
      description: "x",
    });
    expect(structural(Immutable(joined))).toEqual({
      type: "object",
      description: "x",
      required: ["a"],
      properties: { a: { type: "string" }, b: { type: "boolean" } },
      "x-kubernetes-validations": [immutable, rule],
    });
  });

  test("of joined objects stays open when one of them is", () => {
    expect(structural(Type.Intersect([Fields({ a: Text() }), Opaque() as never]))).toMatchObject({
      "x-kubernetes-preserve-unknown-fields": true,
    });
  });

  test("of an immutable or nullable union keeps both", () => {
    const union = Type.Union([Type.Literal("A"), Type.Literal("B")], { default: "A" });
    expect(structural(Immutable(union))).toEqual({
      type: "string",
      enum: ["A", "B"],
      default: "A",
      "x-kubernetes-validations": [immutable],
    });
    expect(structural(Nullable(union))).toMatchObject({ nullable: true });
  });

  test("of a nullable enum is a pattern: the server refuses null beside an enum", () => {
    const form: Structural = { type: "string", nullable: true, pattern: "^(?:A\\.b|C)$" };
    expect(structural(Nullable(Enum(["A.b", "C"])))).toEqual(form);
    expect(structural(Type.Union([Type.Literal("A.b"), Type.Literal("C"), Type.Null()]))).toEqual(form);
  });

  test("completes a default: the server checks it before it fills in what is below", () => {
    const port = Fields({ port: Int32(), protocol: Enum(["TCP", "UDP"], { default: "TCP" }) });
    expect(structural(List(port, { default: [{ port: 80 }] })).default).toEqual([{ port: 80, protocol: "TCP" }]);
    expect(structural(Fields({ retries: Int32({ default: 3 }) }, { default: {} })).default).toEqual({ retries: 3 });
  });

  test("shares nothing with the schema that it came from", () => {
    const schema = Fields({ a: Enum(["A"], { rules: [{ rule: "true", message: "x" }] }) }, { default: { a: "A" } });
    const before = JSON.stringify(schema);
    const form = structural(schema);
    (form.default as { a: string }).a = "B";
    form.properties?.["a"]?.enum?.push("B");
    form.properties?.["a"]?.["x-kubernetes-validations"]?.pop();
    expect(JSON.stringify(schema)).toBe(before);
  });

  test("of a duration takes what Go takes", () => {
    const pattern = new RegExp(structural(Duration()).pattern ?? "", "u");
    for (const good of ["1h30m", "0", "-1.5h", "100ms", "1µs", ".5s", "1.s"]) expect(good).toMatch(pattern);
    for (const bad of ["", "1d", "1", "h", "1h 30m", "1h-2m", "."]) expect(bad).not.toMatch(pattern);
  });
});

describe("the schema at a path", () => {
  const s = structural(Fields({ a: Fields({ b: Text() }), m: Dictionary(Flag()), o: Opaque(), l: List(Text()) }));
  test.each<[string, string | undefined]>([
    ["a.b", "string"],
    ["m.any", "boolean"],
    ["o.x.y", "object"],
    ["a.c", undefined],
    ["a.b.c", undefined],
    ["l.0", undefined],
    ["toString", undefined],
  ])("%s is of type %s", (path, type) => {
    expect(schemaAt(s, path.split("."))?.type).toBe(type);
  });
});

test("a schema by itself has the same form, and complains by its own name", () => {
  const size = Fields({ size: Int32({ default: 1 }) });
  expect(structuralOf("Size", size)).toEqual(structural(size));
  expect(() => structuralOf("Size", Type.Union([Text(), Fields({})]))).toThrow(
    "Size: Size: a union of different shapes",
  );
});
