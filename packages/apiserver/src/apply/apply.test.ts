// Apply by topic, on one custom kind and a few built-in ones. What a real server answered is in golden.test.ts.
import type { Structural } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { at, type Json, type JsonObject } from "../json.ts";
import { StatusError } from "../status.ts";
import { type Apply, applyConfig, revertTimestamps, trackUpdate, type Update } from "./apply.ts";
import { fieldSetOf } from "./fieldset.ts";
import { builtinSchema, deducedSchema, structuralSchema, type TypedSchema } from "./schema.ts";

const strings: Structural = { type: "object", additionalProperties: { type: "string" } };
const item: Structural = {
  type: "object",
  properties: { name: { type: "string" }, protocol: { type: "string", default: "TCP" }, value: { type: "integer" } },
};
const spec: Record<string, Structural> = {
  size: { type: "integer" },
  color: { type: "string" },
  nested: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
  map: strings,
  whole: { ...strings, "x-kubernetes-map-type": "atomic" },
  list: { type: "array", items: { type: "string" } },
  set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
  items: {
    type: "array",
    items: item,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name", "protocol"],
  },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};
const kindOf = (fields: Record<string, Structural>): TypedSchema =>
  structuralSchema({
    type: "object",
    properties: {
      spec: { type: "object", properties: fields },
      status: { type: "object", properties: { phase: { type: "string" } } },
    },
  });
const widget = kindOf(spec);

const apiVersion = "g/v1";
const resource = { group: "g", resource: "widgets", kind: "Widget" };
const object = (content: JsonObject, version = apiVersion): JsonObject => ({
  apiVersion: version,
  kind: "Widget",
  metadata: { name: "a" },
  ...content,
});
const door = {
  apiVersion,
  subresource: "",
  schema: widget,
  reset: fieldSetOf(["status"]),
  now: "2026-01-01T00:00:00Z",
};

const applied = (
  live: JsonObject | undefined,
  manager: string,
  content: JsonObject,
  more: Partial<Apply> = {},
): JsonObject =>
  applyConfig({ ...door, live, manager, config: object(content, more.apiVersion), force: false, resource, ...more });
const written = (
  live: JsonObject | undefined,
  manager: string,
  next: JsonObject,
  more: Partial<Update> = {},
): JsonObject => trackUpdate({ ...door, live, next, manager, create: live === undefined, builtin: false, ...more });

const entries = (o: JsonObject): JsonObject[] => (at(o, "metadata", "managedFields") ?? []) as JsonObject[];
const owned = (o: JsonObject): Record<string, Json> =>
  Object.fromEntries(entries(o).map((e) => [String(e["manager"]), e["fieldsV1"] ?? null]));
const refused = (act: () => unknown): StatusError => {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error("was not refused");
};

describe("leaves", () => {
  test("a field that the applier leaves out goes, one that somebody else owns stays", () => {
    let o = applied(undefined, "m1", { spec: { size: 1, color: "red" } });
    o = applied(o, "m2", { spec: { color: "red" } });
    o = applied(o, "m1", { spec: { nested: { a: "1" } } });
    expect(o["spec"]).toEqual({ color: "red", nested: { a: "1" } });
    expect(owned(o)).toEqual({
      m1: { "f:spec": { "f:nested": { "f:a": {} } } },
      m2: { "f:spec": { "f:color": {} } },
    });
  });

  test("three appliers share a field until the last one lets go", () => {
    let o = applied(undefined, "m1", { spec: { size: 1, color: "red" } });
    o = applied(o, "m2", { spec: { size: 1, color: "red" } });
    o = applied(o, "m3", { spec: { size: 1 } });
    for (const m of ["m1", "m2"]) o = applied(o, m, { spec: { color: "red" } });
    expect(o["spec"]).toEqual({ size: 1, color: "red" });
    o = applied(o, "m3", { spec: { color: "red" } });
    expect(o["spec"]).toEqual({ color: "red" });
  });

  test("force takes a field, and the loser's next apply of the rest is no conflict", () => {
    let o = applied(undefined, "m1", { spec: { size: 1, color: "red" } });
    expect(refused(() => applied(o, "m2", { spec: { size: 2 } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "m1": .spec.size',
    );
    o = applied(o, "m2", { spec: { size: 2 } }, { force: true });
    o = applied(o, "m1", { spec: { color: "red" } });
    expect(o["spec"]).toEqual({ size: 2, color: "red" });
  });
});

describe("lists", () => {
  const names = (o: JsonObject): Json[] => (at(o, "spec", "items") as JsonObject[]).map((i) => i["name"] ?? null);

  test("keyed items merge by key, with the default of a key that is left out", () => {
    let o = applied(undefined, "m1", { spec: { items: [{ name: "a", value: 1 }] } });
    o = applied(o, "m2", {
      spec: {
        items: [
          { name: "a", protocol: "TCP" },
          { name: "a", protocol: "UDP" },
        ],
      },
    });
    expect(at(o, "spec", "items")).toEqual([
      { name: "a", value: 1, protocol: "TCP" },
      { name: "a", protocol: "UDP" },
    ]);
  });

  test("A34 the configuration's order counts, what only the live list has stays where it was", () => {
    let o = applied(undefined, "m1", { spec: { items: ["a", "b", "c", "d"].map((name) => ({ name })) } });
    o = applied(o, "m2", { spec: { items: ["x", "c", "y", "a"].map((name) => ({ name })) } });
    expect(names(o)).toEqual(["b", "x", "c", "d", "y", "a"]);
  });

  test("duplicates in a configuration are refused, those in a live object give way to one item as a block", () => {
    const twice = [{ name: "a", value: 1 }, { name: "b" }, { name: "a", value: 2 }];
    expect(refused(() => applied(undefined, "m1", { spec: { items: twice } })).message).toBe(
      'failed to create typed patch object (/a; g/v1, Kind=Widget): .spec.items: duplicate entries for key [name="a",protocol="TCP"]',
    );
    const live = written(undefined, "upd", object({ spec: { items: twice } }));
    const conflict = refused(() => applied(live, "m1", { spec: { items: [{ name: "a", value: 3 }] } }));
    expect(conflict.details?.causes?.map((c) => c.field)).toEqual(['.spec.items[name="a",protocol="TCP"]']);
    const o = applied(live, "m1", { spec: { items: [{ name: "a", value: 3 }] } }, { force: true });
    expect(at(o, "spec", "items")).toEqual([{ name: "a", value: 3 }, { name: "b" }]);
  });

  test("an atomic list is owned and replaced as a whole", () => {
    const o = applied(undefined, "m1", { spec: { list: ["a", "b"], whole: { a: "1" } } });
    expect(owned(o)["m1"]).toEqual({ "f:spec": { "f:list": {}, "f:whole": {} } });
    const next = applied(o, "m1", { spec: { list: ["c"], whole: { b: "1" } } });
    expect(next["spec"]).toEqual({ list: ["c"], whole: { b: "1" } });
  });
});

describe("parts without a schema", () => {
  test("maps merge and lists are replaced", () => {
    let o = applied(undefined, "m1", { spec: { free: { a: { x: 1 }, l: [1] } } });
    o = applied(o, "m2", { spec: { free: { a: { y: 2 } } } });
    expect(at(o, "spec", "free")).toEqual({ a: { x: 1, y: 2 }, l: [1] });
  });

  test("a kind without any schema is tracked all the same", () => {
    const o = applied(undefined, "m1", { spec: { a: { b: 1 } } }, { schema: deducedSchema });
    expect(owned(o)["m1"]).toEqual({ "f:spec": { ".": {}, "f:a": { ".": {}, "f:b": {} } } });
  });

  test("names that objects in JavaScript have anyway are plain data", () => {
    const free = JSON.parse('{"__proto__":{"x":1},"constructor":"c"}') as JsonObject;
    const o = applied(undefined, "m1", { spec: { free } });
    expect(JSON.stringify(at(o, "spec", "free"))).toBe('{"__proto__":{"x":1},"constructor":"c"}');
    expect(Object.hasOwn(at(owned(o)["m1"], "f:spec", "f:free") as JsonObject, "f:__proto__")).toBe(true);
  });
});

describe("doors", () => {
  const status = { subresource: "status", reset: fieldSetOf(["spec"], ["metadata"]) };

  test("A20 what a door ignores is neither owned nor in conflict", () => {
    let o = applied(undefined, "m1", { spec: { size: 1 }, status: { phase: "x" } });
    expect(owned(o)["m1"]).toEqual({ "f:spec": { "f:size": {} } });
    o = applied(o, "s1", { spec: { size: 9 }, status: { phase: "Ready" } }, status);
    expect(owned(o)["s1"]).toEqual({ "f:status": { "f:phase": {} } });
    expect(entries(o).map((e) => e["subresource"])).toEqual([undefined, "status"]);
  });

  test("S02 a write that is not of its type is not tracked, and what was known is forgotten", () => {
    const live = written(undefined, "golden", object({ spec: { size: 1 } }));
    expect(entries(live)).toHaveLength(1);
    expect(entries(written(live, "golden", object({ spec: { size: "x" } }), status))).toEqual([]);
  });
});

describe("versions", () => {
  const { color: _, ...older } = spec;
  const schemas: Record<string, TypedSchema> = { "g/v1": kindOf(older), "g/v2": widget };
  const two = (version: string) => ({
    apiVersion: version,
    schema: schemas[version] ?? widget,
    schemaOf: (wanted: string) => schemas[wanted],
    convert: (o: JsonObject, wanted: string) => (wanted in schemas ? { ...o, apiVersion: wanted } : undefined),
  });

  test("A33 an applier keeps its identity when it changes version", () => {
    const v1 = applied(undefined, "m1", { spec: { size: 1 } }, two("g/v1"));
    const v2 = applied({ ...v1, apiVersion: "g/v2" }, "m1", { spec: { size: 2 } }, two("g/v2"));
    expect(entries(v2).map((e) => [e["manager"], e["apiVersion"]])).toEqual([["m1", "g/v2"]]);
    expect(v2["spec"]).toEqual({ size: 2 });
  });

  test("fields are pruned in the version that they were applied in", () => {
    const v1 = applied(undefined, "m1", { spec: { size: 1, nested: { a: "1" } } }, two("g/v1"));
    const v2 = applied({ ...v1, apiVersion: "g/v2" }, "m1", { spec: { nested: { a: "1" } } }, two("g/v2"));
    expect(v2["spec"]).toEqual({ nested: { a: "1" } });
  });

  test("V33 a field that another manager's version does not know: an apply is refused, an update is not tracked", () => {
    const v1 = applied(undefined, "m1", { spec: { size: 1 } }, two("g/v1"));
    const live = { ...v1, apiVersion: "g/v2" };
    const error = refused(() => applied(live, "m2", { spec: { color: "red" } }, two("g/v2")));
    expect([error.code, error.message]).toEqual([
      500,
      "failed to convert new object: .spec.color: field not declared in schema",
    ]);
    const next = { ...live, spec: { size: 1, color: "red" } };
    expect(entries(written(live, "upd", next, two("g/v2")))).toEqual([]);
  });

  test("managers of a version that is gone are dropped", () => {
    const gone = entries(applied(undefined, "old", { spec: { size: 1 } }))[0] ?? {};
    const live = object({ spec: { size: 1 } }, "g/v2");
    const o = { ...live, metadata: { name: "a", managedFields: [{ ...gone, apiVersion: "g/v0" }] } };
    expect(Object.keys(owned(applied(o, "m1", { spec: { size: 2 } }, two("g/v2"))))).toEqual(["m1"]);
  });
});

describe("changes of the schema", () => {
  const granular = kindOf({ ...spec, whole: strings });

  test("a map that has become atomic is owned as a whole by those who owned a part", () => {
    const o = applied(undefined, "m1", { spec: { whole: { a: "1" } } }, { schema: granular });
    expect(owned(o)["m1"]).toEqual({ "f:spec": { "f:whole": { "f:a": {} } } });
    expect(refused(() => applied(o, "m2", { spec: { whole: { b: "1" } } })).details?.causes?.[0]?.field).toBe(
      ".spec.whole",
    );
    expect(owned(applied(o, "m2", { spec: { size: 1 } }))["m1"]).toEqual({ "f:spec": { "f:whole": {} } });
  });

  test("a map that has become granular is owned at its root only", () => {
    const o = applied(undefined, "m1", { spec: { whole: { a: "1" } } });
    const next = applied(o, "m2", { spec: { whole: { a: "2" } } }, { schema: granular });
    expect(at(next, "spec", "whole")).toEqual({ a: "2" });
    expect(owned(next)).toEqual({
      m1: { "f:spec": { "f:whole": {} } },
      m2: { "f:spec": { "f:whole": { "f:a": {} } } },
    });
  });
});

describe("refusals", () => {
  test.each([
    ["expected string, got &value.valueUnstructured{Value:1}", { color: 1 }, ".spec.color"],
    ["expected numeric (int or float), got string", { size: "x" }, ".spec.size"],
    ["expected numeric (int or float), got map[string]interface {}", { size: {} }, ".spec.size"],
    ["expected map, got &{x}", { nested: "x" }, ".spec.nested"],
    ["expected list, got &{map[a:1]}", { list: { a: 1 } }, ".spec.list"],
    ["expected string, got &value.valueUnstructured{Value:1}", { list: [1] }, ".spec.list[0]"],
    ["field not declared in schema", { yy: 1, zz: 1 }, ".spec.yy"],
    ["element 0: associative list with keys may not have a null element", { items: [null] }, ".spec.items"],
    ["element 0: associative list with keys may not have non-map elements", { items: ["x"] }, ".spec.items"],
    ["element 0: associative list without keys has an element that's an explicit null", { set: [null] }, ".spec.set"],
    ["element 0: associative list without keys has an element that's a map type", { set: [{}] }, ".spec.set"],
    ["element 0: not supported: associative list with lists as elements", { set: [[]] }, ".spec.set"],
  ] as [string, JsonObject, string][])("%s", (problem, content, path) => {
    const error = refused(() => applied(undefined, "m1", { spec: content }));
    expect(error.message).toBe(`failed to create typed patch object (/a; g/v1, Kind=Widget): ${path}: ${problem}`);
    expect([error.code, error.reason]).toEqual([500, ""]);
  });

  test("several problems are listed", () => {
    expect(refused(() => applied(undefined, "m1", { spec: { color: 1, size: "x" } })).message).toContain(
      ": errors:\n  .spec.color: expected string",
    );
  });

  test("10,000 nested maps or arrays are refused, or not tracked, without running out of stack", () => {
    let maps: Json = {};
    let lists: Json = [];
    for (let i = 0; i < 10_000; i += 1) [maps, lists] = [{ a: maps }, [lists]];
    for (const deep of [maps, lists]) {
      expect(refused(() => applied(undefined, "m1", { spec: { free: { deep } } })).code).toBe(400);
      expect(entries(written(undefined, "upd", object({ spec: { free: { deep } } })))).toEqual([]);
    }
  });
});

describe("kubectl", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const configMap = builtinSchema("core.ConfigMap");
  const core = { apiVersion: "v1", schema: configMap, reset: fieldSetOf() };
  const cm = (data: JsonObject, annotations?: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c", ...(annotations === undefined ? {} : { annotations }) },
    data,
  });
  const apply = (live: JsonObject, manager: string, data: JsonObject): JsonObject =>
    applyConfig({
      ...door,
      ...core,
      live,
      manager,
      config: cm(data),
      force: false,
      resource: { group: "", resource: "configmaps", kind: "ConfigMap" },
    });
  const last = { [annotation]: `${JSON.stringify(cm({ a: "1", b: "1" }, {}))}\n` };
  const created = written(undefined, "kubectl-client-side-apply", cm({ a: "1", b: "1" }, last), core);

  test("takes over what still has the value of the last client-side apply", () => {
    expect(refused(() => apply(created, "other", { a: "9" })).reason).toBe("Conflict");
    const o = apply(created, "kubectl", { a: "9<" });
    expect(o["data"]).toEqual({ a: "9<", b: "1" });
    expect(at(o, "metadata", "annotations", annotation)).toBe(
      '{"apiVersion":"v1","data":{"a":"9\\u003c"},"kind":"ConfigMap","metadata":{"name":"c"}}\n',
    );
  });

  test("conflicts over what somebody else has changed since, and only over that", () => {
    const changed = written(created, "upd", { ...created, data: { a: "1", b: "2" } }, core);
    expect(refused(() => apply(changed, "kubectl", { a: "9", b: "9" })).message).toBe(
      'Apply failed with 1 conflict: conflict with "upd" using v1: .data.b',
    );
  });
});

describe("times", () => {
  const later = { now: "2026-01-01T01:00:00Z" };

  test("A02 applying the same thing again leaves the object as it is", () => {
    const first = applied(undefined, "m1", { spec: { size: 1 } });
    const again = applyConfig({
      ...door,
      ...later,
      live: first,
      manager: "m1",
      config: object({ spec: { size: 1 } }),
      force: false,
      resource,
    });
    expect(again).toEqual(first);
  });

  test("A07 an entry that appears while the object stays the same has no time", () => {
    const o = applied(applied(undefined, "m1", { spec: { size: 1 } }), "m2", { spec: { size: 1 } }, later);
    expect(entries(o).map((e) => [e["manager"], e["time"]])).toEqual([
      ["m2", undefined],
      ["m1", door.now],
    ]);
  });

  test("times that are the only difference are put back, others are not", () => {
    const old = applied(undefined, "m1", { spec: { size: 1 } });
    const timed = applied(undefined, "m1", { spec: { size: 1 } }, later);
    expect(revertTimestamps(old, timed)).toEqual(old);
    const more = { ...timed, spec: { size: 2 } };
    expect(revertTimestamps(old, more)).toEqual(more);
  });

  test("entries are sorted: appliers first, then the older ones", () => {
    let o = written(undefined, "b", object({ spec: { size: 1 } }));
    o = written(o, "a", { ...o, spec: { size: 1, color: "red" } }, later);
    o = applied(o, "z", { spec: { nested: { a: "1" } } }, later);
    expect(entries(o).map((e) => e["manager"])).toEqual(["z", "b", "a"]);
  });
});
