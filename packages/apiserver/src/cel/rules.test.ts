// What no recording covers: budgets, hostile input, nulls, names.
import type { Structural } from "@telltale/kinds";
import { beforeAll, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { compile, isCompiled, loadCel } from "./engine.ts";
import { checkRules } from "./rule-check.ts";
import { compileRules } from "./rules.ts";

beforeAll(loadCel);

const judge = (schema: Structural, object: Json, old?: Json): string[] => {
  const { rules } = compileRules(schema, "s");
  return checkRules(rules, object, old).errors.map((e) => `${e.field}: ${e.body}`);
};
const withRule = (properties: Record<string, Structural>, rule: string): Structural => ({
  type: "object",
  properties: { spec: { type: "object", properties, "x-kubernetes-validations": [{ rule, message: "" }] } },
});

test("a null property is absent", () => {
  const schema = withRule({ n: { type: "string", nullable: true } }, "has(self.n)");
  expect(judge(schema, { spec: { n: null } })).toEqual(["spec: Invalid value: failed rule: has(self.n)"]);
  const reading = withRule({ n: { type: "string", nullable: true } }, "self.n != 'x'");
  expect(judge(reading, { spec: { n: null } })[0]).toContain("no such key: n evaluating rule");
});

test("a rule that costs too much ends the validation", () => {
  const schema = withRule(
    { l: { type: "array", items: { type: "integer" } } },
    "self.l.all(x, self.l.all(y, x + y >= 0))",
  );
  const l = Array.from({ length: 2000 }, (_, i) => i);
  expect(judge(schema, { spec: { l } })).toEqual([
    "spec: Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.l.all(x, self.l.all(y, x + y >= 0))",
  ]);
});

test("all rules of an object share one budget", () => {
  const rule = "self.all(x, self.all(y, x + y >= 0))";
  const items: Structural = {
    type: "array",
    items: { type: "integer" },
    "x-kubernetes-validations": [{ rule, message: "" }],
  };
  const schema: Structural = { type: "object", properties: { l: { type: "array", items } } };
  const row = Array.from({ length: 300 }, (_, i) => i);
  const errors = judge(schema, { l: Array.from({ length: 40 }, () => row) });
  expect(errors.at(-1)).toContain("running out of cost budget");
  expect(errors).toHaveLength(1);
});

test("an expression that nests too deep is refused, not followed", () => {
  const made = compile(`${"(".repeat(10_000)}1${")".repeat(10_000)} == 1`, { variables: new Map() });
  expect(isCompiled(made)).toBe(false);
});

test("an object with __proto__ has it as a key like any other", () => {
  const schema: Structural = {
    type: "object",
    properties: {
      m: {
        type: "object",
        additionalProperties: { type: "string" },
        "x-kubernetes-validations": [{ rule: "'__proto__' in self && self.size() == 1", message: "" }],
      },
    },
  };
  expect(judge(schema, JSON.parse('{"m":{"__proto__":"x"}}') as JsonObject)).toEqual([]);
  expect(judge(schema, { m: { a: "x" } })).toHaveLength(1);
});

test("a long duration of the format counts in days", () => {
  const schema = withRule({ d: { type: "string", format: "duration" } }, "self.d == duration('24h')");
  expect(judge(schema, { spec: { d: "1d" } })).toEqual([]);
  expect(judge(schema, { spec: { d: "2d" } })).toHaveLength(1);
});

test("integers beyond 2^53 are exact", () => {
  const schema = withRule({ i: { type: "integer" } }, "self.i == 9007199254740993");
  expect(judge(schema, { spec: { i: 9007199254740993n } })).toEqual([]);
  expect(judge(schema, { spec: { i: 9007199254740994n } })).toHaveLength(1);
});

test("an embedded resource shows its name only", () => {
  const inner: Structural = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
    "x-kubernetes-validations": [{ rule: "self.metadata.name != 'bad'", message: "" }],
  };
  const schema: Structural = { type: "object", properties: { t: inner } };
  expect(judge(schema, { t: { apiVersion: "v1", kind: "Pod", metadata: { name: "bad" } } })).toHaveLength(1);
  const labels = { ...inner, "x-kubernetes-validations": [{ rule: "self.metadata.labels == {}", message: "" }] };
  const { errors } = compileRules({ type: "object", properties: { t: labels } }, "s");
  expect(errors[0]?.body).toContain("undefined field 'labels'");
});

test("what a failing rule found unchanged is a warning only if asked for", () => {
  const schema = withRule({ a: { type: "string" } }, "self.a != 'x'");
  const { rules } = compileRules(schema, "s");
  const object = { spec: { a: "x" } };
  expect(checkRules(rules, object, object, { unchangedIsWarning: false }).errors).toHaveLength(1);
  expect(checkRules(rules, object, object, { unchangedIsWarning: true })).toEqual({
    errors: [],
    warnings: ["spec: Invalid value: failed rule: self.a != 'x'"],
  });
});

test("values and schemas that nest deep do not end the process", () => {
  const deep = (open: string, close: string): Json => JSON.parse(`${open.repeat(5000)}1${close.repeat(5000)}`) as Json;
  const free: Structural = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = withRule({ free }, "self.free == self.free");
  expect(judge(schema, { spec: { free: { a: deep("[", "]") } } }).length).toBeLessThanOrEqual(1);

  let nested: Structural = { type: "string", "x-kubernetes-validations": [{ rule: "true", message: "" }] };
  for (let i = 0; i < 10_000; i++) nested = { type: "array", items: nested };
  expect(() => compileRules(nested, "s")).toThrow(expect.objectContaining({ code: 400 }));
});

test("a chain of operators longer than the stack is refused, a long one is not", () => {
  const long = compile(Array.from({ length: 500 }, () => "true").join(" && "), { variables: new Map() });
  expect(isCompiled(long) && long.evaluate({})).toMatchObject({ ok: true });
  const made = compile(Array.from({ length: 40_000 }, () => "1").join("+"), { variables: new Map() });
  expect(isCompiled(made) ? "compiled" : made.errors).toContain("expression recursion limit exceeded");
});

test("a message is trimmed, a duplicate scalar shown", () => {
  const schema: Structural = {
    type: "object",
    properties: {
      a: {
        type: "string",
        "x-kubernetes-validations": [{ rule: "false", message: "", reason: "FieldValueDuplicate" }],
      },
      b: {
        type: "integer",
        "x-kubernetes-validations": [{ rule: "false", message: "", messageExpression: "'  padded '" }],
      },
    },
  };
  expect(judge(schema, { a: "x", b: 1 })).toEqual(['a: Duplicate value: "x"', "b: Invalid value: 1: padded"]);
});
