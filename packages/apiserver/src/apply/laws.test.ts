// What must hold for any objects: laws of apply, of comparing and of field sets.
import type { Structural } from "@telltale/kinds";
import fc from "fast-check";
import { expect, test } from "vitest";
import { at, type Json, type JsonObject } from "../json.ts";
import { applyConfig } from "./apply.ts";
import { compare } from "./compare.ts";
import { FieldSet, fieldSetOf } from "./fieldset.ts";
import { withoutManagers } from "./managers.ts";
import { merge } from "./merge.ts";
import { structuralSchema } from "./schema.ts";
import { removeItems, toFieldSet } from "./value.ts";

const seeded = { seed: 20_260_101, numRuns: 300 };

const leaf: Structural = { type: "string" };
const schema = structuralSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: leaf,
        b: leaf,
        c: leaf,
        map: { type: "object", additionalProperties: leaf },
        list: { type: "array", items: leaf },
        set: { type: "array", items: leaf, "x-kubernetes-list-type": "set" },
        items: {
          type: "array",
          items: { type: "object", properties: { name: leaf, value: leaf } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
});

const word = fc.constantFrom("x", "y", "z");
/** Content whose names all come from one alphabet: two alphabets have no field in common. */
const content = (names: readonly string[]): fc.Arbitrary<JsonObject> => {
  const name = fc.constantFrom(...names);
  return fc.record(
    {
      map: fc.dictionary(name, word, { noNullPrototype: true }),
      set: fc.uniqueArray(name),
      items: fc.uniqueArray(fc.record({ name, value: word }, { requiredKeys: ["name"], noNullPrototype: true }), {
        selector: (item) => item.name,
      }),
      free: fc.dictionary(name, fc.oneof(word, fc.array(word), fc.dictionary(name, word, { noNullPrototype: true })), {
        noNullPrototype: true,
      }),
    },
    { requiredKeys: [], noNullPrototype: true },
  ) as fc.Arbitrary<JsonObject>;
};
const any = content(["p", "q", "r"]).chain((spec) =>
  fc
    .record({ a: word, b: word, list: fc.array(word) }, { requiredKeys: [], noNullPrototype: true })
    .map((more) => ({ ...spec, ...more })),
);

const object = (spec: JsonObject): JsonObject => ({
  apiVersion: "g/v1",
  kind: "Widget",
  metadata: { name: "a" },
  spec,
});
const apply = (live: JsonObject | undefined, manager: string, spec: JsonObject, force = false): JsonObject =>
  applyConfig({
    live,
    config: object(spec),
    manager,
    apiVersion: "g/v1",
    subresource: "",
    force,
    schema,
    reset: fieldSetOf(),
    now: "2026-01-01T00:00:00Z",
    resource: { group: "g", resource: "widgets", kind: "Widget" },
  });
const owners = (o: JsonObject): Json => at(o, "metadata", "managedFields") ?? [];

test("applying the same thing twice is applying it once", () => {
  fc.assert(
    fc.property(any, any, (mine, theirs) => {
      const once = apply(apply(undefined, "m1", theirs), "m2", mine, true);
      expect(apply(once, "m2", mine)).toEqual(once);
    }),
    seeded,
  );
});

test("appliers of different fields may come in any order", () => {
  fc.assert(
    fc.property(content(["p", "q"]), content(["s", "t"]), (one, two) => {
      const fields = (o: JsonObject): Json => toFieldSet(withoutManagers(o), schema).toJson();
      const first = apply(apply(undefined, "m1", one), "m2", two, true);
      const second = apply(apply(undefined, "m2", two), "m1", one, true);
      expect(fields(first)).toEqual(fields(second));
    }),
    seeded,
  );
});

test("what is applied is there afterwards, and owned", () => {
  fc.assert(
    fc.property(any, any, any, (theirs, before, mine) => {
      const live = apply(apply(undefined, "m1", theirs), "m2", before, true);
      const o = apply(live, "m2", mine, true);
      const config = toFieldSet({ spec: mine }, schema);
      const here = toFieldSet(withoutManagers(o), schema);
      // An empty map that others fill is no field of the object, though it is one of the configuration.
      expect(config.leaves().difference(here).difference(hollow(mine)).toJson()).toEqual({});
      const set = FieldSet.parse(
        at(
          (owners(o) as JsonObject[]).find((e) => e["manager"] === "m2"),
          "fieldsV1",
        ),
      );
      expect(set?.toJson() ?? {}).toEqual(config.toJson());
    }),
    seeded,
  );
});

const hollow = (spec: JsonObject): FieldSet =>
  fieldSetOf(["spec"], ...Object.keys(spec).map((name) => ["spec", name])).union(
    fieldSetOf(...Object.keys((spec["free"] as JsonObject | undefined) ?? {}).map((name) => ["spec", "free", name])),
  );

test("an applier that lets go of everything leaves what the others own", () => {
  fc.assert(
    fc.property(content(["p", "q"]), content(["s", "t"]), (one, two) => {
      const kept = { ...one, a: "x" };
      const alone = apply(undefined, "m1", kept);
      const o = apply(apply(alone, "m2", { ...two, b: "y" }, true), "m2", {}, true);
      const fields = (x: JsonObject): FieldSet => toFieldSet(withoutManagers(x), schema).leaves();
      const empties = fieldSetOf(...["map", "free"].map((name) => ["spec", name]));
      expect(fields(o).difference(empties).toJson()).toEqual(fields(alone).difference(empties).toJson());
    }),
    seeded,
  );
});

test("a value differs from itself in nothing, and merging it with itself is itself", () => {
  fc.assert(
    fc.property(any, (spec) => {
      const o = object(spec);
      const { added, modified, removed } = compare(o, o, schema);
      expect([added, modified, removed].every((set) => set.isEmpty)).toBe(true);
      expect(merge(o, o, schema)).toEqual(o);
    }),
    seeded,
  );
});

test("what is added one way is removed the other way", () => {
  fc.assert(
    fc.property(any, any, (one, two) => {
      const there = compare(object(one), object(two), schema);
      const back = compare(object(two), object(one), schema);
      expect(there.added.toJson()).toEqual(back.removed.toJson());
      expect(there.modified.toJson()).toEqual(back.modified.toJson());
    }),
    seeded,
  );
});

test("no field that is taken away is left", () => {
  fc.assert(
    fc.property(any, any, (spec, some) => {
      const set = toFieldSet({ spec: some }, schema).difference(fieldSetOf(["spec"]));
      const rest = toFieldSet(removeItems(object(spec), set, schema), schema);
      const emptied = fieldSetOf(["spec"], ...Object.keys(spec).map((name) => ["spec", name]));
      expect(rest.intersection(set).difference(emptied).toJson()).toEqual({});
    }),
    seeded,
  );
});

test("a set that is written can be read", () => {
  fc.assert(
    fc.property(any, (spec) => {
      const set = toFieldSet(object(spec), schema);
      expect(FieldSet.parse(JSON.parse(JSON.stringify(set.toJson())) as Json)?.equals(set)).toBe(true);
    }),
    seeded,
  );
});
