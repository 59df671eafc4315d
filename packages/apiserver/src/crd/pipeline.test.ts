import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { StatusError } from "../status.ts";
import { fromStorage, readBody, validateCreate, validateStatusUpdate, validateUpdate } from "./pipeline.ts";
import type { Schema } from "./schema.ts";
import { type CompiledVersion, compileVersion } from "./version.ts";

function version(schema: Schema, more: JsonObject = {}): CompiledVersion {
  const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
  const openAPIV3Schema = schema as unknown as Json;
  const versions: Json = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, ...more }];
  const crd = { metadata: { name: "widgets.g.io" }, spec: { group: "g.io", names, scope: "Namespaced", versions } };
  const compiled = compileVersion(crd, "v1");
  if (compiled === undefined) throw new Error("no version v1");
  return compiled;
}
const withSpec = (properties: Record<string, Schema>, more: JsonObject = {}) =>
  version({ type: "object", properties: { spec: { type: "object", properties } } }, more);
const widget = (spec: Json, meta: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  apiVersion: "g.io/v1",
  kind: "Widget",
  metadata: { name: "a", namespace: "n", ...meta },
  spec,
  ...more,
});
const free: Schema = { "x-kubernetes-preserve-unknown-fields": true };

// Each answer was asked of a v1.36 server.
describe("reading a body", () => {
  test("unknown metadata is told first, then what was pruned, then metadata of embedded objects", () => {
    const compiled = withSpec({ e: { type: "object", "x-kubernetes-embedded-resource": true, ...free } });
    const body = widget(
      { zz: 1, e: { apiVersion: "v1", kind: "X", metadata: { bogus: 1 } }, aa: 2 },
      { zz: 1, bb: 2 },
      { aaa: 1 },
    );
    const { object, unknown } = readBody(compiled, body);
    expect(unknown).toEqual(["metadata.bb", "metadata.zz", "aaa", "spec.aa", "spec.zz", "spec.e.metadata.bogus"]);
    expect(object["spec"]).toEqual({ e: { apiVersion: "v1", kind: "X", metadata: {} } });
    expect(readBody(compiled, body, { fieldValidation: "Ignore" }).unknown).toEqual([]);
  });

  test("additionalProperties: true keeps scalars and empties objects", () => {
    const { object, unknown } = readBody(
      withSpec({ t: { type: "object", additionalProperties: true } }),
      widget({ t: { a: { b: 1 }, c: 1, d: [{ x: 1 }] } }),
    );
    expect(object["spec"]).toEqual({ t: { a: {}, c: 1, d: [{}] } });
    expect(unknown).toEqual(["spec.t.a.b", "spec.t.d[0].x"]);
  });

  test("a list that keeps unknown fields still prunes inside declared members", () => {
    const items: Schema = {
      type: "object",
      properties: { x: { type: "object", properties: { y: { type: "string" } } } },
    };
    const compiled = withSpec({ l: { type: "array", ...free, items } });
    const { object, unknown } = readBody(compiled, widget({ l: [{ x: { y: "1", z: 2 }, q: 1 }, { a: { b: 1 } }] }));
    expect(object["spec"]).toEqual({ l: [{ x: { y: "1" }, q: 1 }, { a: { b: 1 } }] });
    expect(unknown).toEqual(["spec.l[0].x.z"]);
  });

  test.each<[JsonObject, string]>([
    [{ creationTimestamp: "x" }, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    [
      { creationTimestamp: 5 },
      "json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string",
    ],
    [{ generation: 1.5 }, "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64"],
    [
      { ownerReferences: [{ uid: 5 }] },
      "json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.uid of type types.UID",
    ],
    [
      { ownerReferences: ["x"] },
      "json: cannot unmarshal string into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference",
    ],
    [
      { ownerReferences: {} },
      "json: cannot unmarshal object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
    ],
    [
      { managedFields: [{ manager: 5 }] },
      "json: cannot unmarshal number into Go struct field ManagedFieldsEntry.managedFields.manager of type string",
    ],
    [
      { deletionGracePeriodSeconds: "5" },
      "json: cannot unmarshal string into Go struct field ObjectMeta.deletionGracePeriodSeconds of type int64",
    ],
  ])("metadata of the wrong type is refused: %j", (meta, why) => {
    expect(() => readBody(withSpec({}), widget({}, meta))).toThrow(
      new StatusError(400, "BadRequest", `Widget in version "v1" cannot be handled as a Widget: ${why}`),
    );
  });

  test("unknown members of owner references are told and dropped", () => {
    const owner = { apiVersion: "v1", kind: "K", name: "n", uid: "u" };
    const { object, unknown } = readBody(withSpec({}), widget({}, { ownerReferences: [{ ...owner, foo: 1 }] }));
    expect(unknown).toEqual(["metadata.ownerReferences[0].foo"]);
    expect(object["metadata"]).toMatchObject({ ownerReferences: [owner] });
  });

  test("defaults fill what is missing or null, below defaults too; other bad nulls go", () => {
    const compiled = withSpec({
      o: { type: "object", default: {}, properties: { a: { type: "string", default: "x" } } },
      n: { type: "string", default: "d" },
      gone: { type: "string" },
      kept: { type: "string", nullable: true, default: "d" },
      l: { type: "array", items: { type: "string" } },
      absent: { type: "object", properties: { a: { type: "string", default: "x" } } },
    });
    const { object } = readBody(compiled, widget({ n: null, gone: null, kept: null, l: [null] }));
    expect(object["spec"]).toEqual({ n: "d", kept: null, l: [null], o: { a: "x" } });
  });

  test("the body that came in is left alone", () => {
    const body = widget({ zz: 1, n: null }, { bogus: 1 });
    const before = structuredClone(body);
    readBody(withSpec({ n: { type: "string", default: "d" } }), body);
    expect(body).toEqual(before);
  });

  test("10,000 nested lists are refused, not walked", () => {
    let deep: Json = [];
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(() => readBody(withSpec({ x: free }), widget({ x: deep }))).toThrow(StatusError);
  });

  test("__proto__ and constructor are members like any other", () => {
    const spec = JSON.parse('{"m": {"__proto__": {"p": 1}, "constructor": "c"}, "__proto__": 1}') as Json;
    const compiled = withSpec({ m: { type: "object", additionalProperties: free } });
    const { object, unknown } = readBody(compiled, widget(spec));
    expect(unknown).toEqual(["spec.__proto__"]);
    expect(JSON.stringify(object["spec"])).toBe('{"m":{"__proto__":{"p":1},"constructor":"c"}}');
  });
});

test("stored data is read without refusal: wrong metadata goes, defaults of today come", () => {
  const compiled = withSpec({ d: { type: "string", default: "late" } });
  const stored = { apiVersion: "g.io/v1", kind: "Widget", metadata: "broken", spec: { old: 1 } };
  expect(fromStorage(compiled, stored)).toEqual({
    apiVersion: "g.io/v1",
    kind: "Widget",
    metadata: {},
    spec: { d: "late" },
  });
});

describe("validation", () => {
  const scaled = version(
    {
      type: "object",
      properties: {
        spec: { type: "object", properties: { free } },
        status: {
          type: "object",
          required: ["ok"],
          properties: { ok: { type: "boolean" }, replicas: { type: "integer" } },
        },
      },
    },
    {
      subresources: {
        status: {},
        scale: { specReplicasPath: ".spec.free.replicas", statusReplicasPath: ".status.replicas" },
      },
    },
  );
  const told = (errors: readonly { field: string; body: string }[]) => errors.map((e) => `${e.field}: ${e.body}`);

  test.each<[Json, string]>([
    [{ replicas: -1 }, ".spec.free.replicas: Invalid value: -1: should be a non-negative integer"],
    [
      { replicas: 3000000000 },
      ".spec.free.replicas: Invalid value: 3000000000: should be less than or equal to 2147483647",
    ],
    [
      { replicas: "x" },
      ".spec.free.replicas: Invalid value: 0: .spec.free.replicas accessor error: x is of the type string, expected int64",
    ],
    [
      [{ a: 1 }],
      ".spec.free.replicas: Invalid value: 0: .spec.free.replicas accessor error: [map[a:1]] is of the type []interface {}, expected map[string]interface{}",
    ],
  ])("replicas that cannot be: %j", (value, error) => {
    expect(told(validateCreate(scaled, widget({ free: value })).errors)).toEqual([error]);
  });

  test("status updates check status alone and name its members from there", () => {
    const old = widget({ free: { replicas: 1 } });
    const update = (status: Json) => told(validateStatusUpdate(scaled, { ...old, status }, old).errors);
    expect(update({})).toEqual(["status.ok: Required value"]);
    expect(update("x")).toEqual([
      'status: Invalid value: "string":  in body must be of type object: "string"',
      ".status.replicas: Invalid value: 0: .status.replicas accessor error: x is of the type string, expected map[string]interface{}",
    ]);
    expect(update({ ok: true, replicas: -1 })).toEqual([
      ".status.replicas: Invalid value: -1: should be a non-negative integer",
    ]);
    expect(told(validateStatusUpdate(scaled, old, { ...old, status: { ok: true } }).errors)).toEqual([]);
  });

  test("duplicates count on update only when the old object had none", () => {
    const compiled = withSpec({ s: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } });
    const [clean, double] = [widget({ s: ["a"] }), widget({ s: ["a", "a"] })];
    expect(told(validateUpdate(compiled, double, clean).errors)).toEqual(['spec.s[1]: Duplicate value: "a"']);
    expect(validateUpdate(compiled, widget({ s: ["b", "b"] }), double).errors).toEqual([]);
  });

  test("rules run on what has the right shape, and are told to be unchecked otherwise", () => {
    const rules: Schema["x-kubernetes-validations"] = [{ rule: "false" }];
    const compiled = withSpec({ a: { type: "integer", maximum: 1, "x-kubernetes-validations": rules } });
    const hook = {
      rules: () => ({ errors: [{ type: "FieldValueInvalid" as const, field: "spec", body: "no" }], warnings: ["w"] }),
    };
    expect(told(validateCreate(compiled, widget({ a: "x" }), hook).errors).at(-1)).toContain(
      "some validation rules were not checked",
    );
    expect(validateCreate(compiled, widget({ a: 2 }), hook)).toMatchObject({
      errors: [{}, { body: "no" }],
      warnings: ["w"],
    });
    expect(validateCreate(withSpec({}), widget({}), hook).errors).toEqual([]);
  });
});
