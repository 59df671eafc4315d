import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Gadget } from "../test/gadget.ts";
import { complainOf } from "./errors.ts";
import { defineKind } from "./kind.ts";
import { misfit } from "./misfit.ts";
import {
  Dictionary,
  Double,
  Duration,
  Enum,
  Fields,
  Int32,
  Int64,
  List,
  ListMap,
  ListSet,
  Nullable,
  Optional,
  Quantity,
  type Static,
  Text,
  Time,
  type TSchema,
  Type,
} from "./schema.ts";
import { toStructural } from "./structural.ts";
import { arbitraryOf, checkRoundTrip } from "./testing.ts";
import { parseGoDuration } from "./values/duration.ts";
import { isQuantity } from "./values/quantity.ts";
import { parseTime } from "./values/time.ts";
import { type VersionedObject, version } from "./versions.ts";

const structural = (schema: TSchema) => toStructural(schema, "", complainOf("Widget"));
const sample = (schema: TSchema, seed = 1) => fc.sample(arbitraryOf(fc, structural(schema)), { numRuns: 200, seed });

describe("generated values", () => {
  test("fit the schema that they were made from, whatever is in it", () => {
    const { spec, status } = Gadget.schema;
    for (const schema of [spec, status ?? {}]) {
      fc.assert(
        fc.property(arbitraryOf(fc, schema), (value) => misfit(schema, value, "") === undefined),
        { seed: 3, numRuns: 300 },
      );
    }
  });

  test("leave optional fields out at times, and never required ones", () => {
    const values = sample(Fields({ a: Text(), b: Optional(Text()) })) as object[];
    expect(values.every((value) => "a" in value)).toBe(true);
    expect(new Set(values.map((value) => "b" in value))).toEqual(new Set([true, false]));
  });

  test("have every word of an enum, and null where it is allowed", () => {
    expect(new Set(sample(Enum(["A", "B"])))).toEqual(new Set(["A", "B"]));
    expect(new Set(sample(Nullable(Enum(["A", "B"]))))).toEqual(new Set(["A", "B", null]));
  });

  test("are integers and texts where both are allowed", () => {
    expect(new Set(sample(Quantity()).map((value) => typeof value))).toEqual(new Set(["number", "string"]));
  });

  test("are quantities, durations and times where the schema says so", () => {
    expect(sample(Quantity()).every((value) => isQuantity(value as string))).toBe(true);
    expect(sample(Duration()).every((value) => parseGoDuration(value as string) !== undefined)).toBe(true);
    expect(sample(Time()).every((value) => parseTime(value as string) !== undefined)).toBe(true);
  });

  test("keep every bound of a number", () => {
    expect(new Set(sample(Int32({ minimum: 3, maximum: 4 })))).toEqual(new Set([3, 4]));
    expect(sample(Int32({ multipleOf: 5, minimum: 1, maximum: 11 })).every((n) => n === 5 || n === 10)).toBe(true);
    expect(sample(Int64()).every(Number.isSafeInteger)).toBe(true);
    expect(
      sample(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })).every((n) => Number(n) > 0 && Number(n) < 1),
    ).toBe(true);
    expect(
      sample(Double({ multipleOf: 0.5, minimum: 0, maximum: 1 })).every((n) => [0, 0.5, 1].includes(Number(n))),
    ).toBe(true);
  });

  test("have different items in a set, and different keys in a list-map", () => {
    const sets = sample(ListSet(Enum(["A", "B", "C"]))) as string[][];
    expect(sets.every((set) => new Set(set).size === set.length)).toBe(true);
    const port = Fields({
      port: Int32({ minimum: 1, maximum: 2 }),
      protocol: Optional(Enum(["TCP", "UDP"], { default: "TCP" })),
    });
    const maps = sample(ListMap(port, ["port", "protocol"], { minItems: 2 })) as {
      port: number;
      protocol?: string;
    }[][];
    expect(maps.every((map) => new Set(map.map((p) => `${p.port}/${p.protocol ?? "TCP"}`)).size === map.length)).toBe(
      true,
    );
  });

  test("keep the bounds of lists and maps", () => {
    const lists = sample(List(Text(), { minItems: 1, maxItems: 2 })) as string[][];
    expect(new Set(lists.map((list) => list.length))).toEqual(new Set([1, 2]));
    const maps = sample(Dictionary(Text(), { minProperties: 2, maxProperties: 2 })) as object[];
    expect(maps.every((map) => Object.keys(map).length === 2)).toBe(true);
  });

  test("are empty texts, too, where nothing forbids it", () => {
    expect(sample(Text())).toContain("");
    expect(sample(Text({ minLength: 1 }))).not.toContain("");
  });

  test("are the same for the same seed", () => {
    const schema = Fields({ a: Text(), b: Optional(List(Quantity())) });
    expect(sample(schema, 5)).toEqual(sample(schema, 5));
    expect(sample(schema, 5)).not.toEqual(sample(schema, 6));
  });
});

const HubSpec = Fields({ size: Int32({ default: 1 }), colour: Optional(Enum(["Red", "Blue"])) });
const OldSpec = Fields({ bigness: Int32({ default: 1 }) });
type HubObject = VersionedObject<Static<typeof HubSpec>, unknown>;
type OldObject = VersionedObject<Static<typeof OldSpec>, unknown>;

function kindWith(conversion: { toHub(o: OldObject): HubObject; fromHub(o: HubObject): OldObject }, spec = HubSpec) {
  return defineKind({
    group: "telltale.test",
    version: "v2",
    kind: "Widget",
    spec,
    status: Fields({ count: Int32() }),
    versions: [version({ name: "v1", spec: OldSpec, ...conversion })],
  });
}

const note = "telltale.test/colour";

/** The old version has no colour: it travels in an annotation. */
const lossless = {
  toHub(o: OldObject): HubObject {
    const { [note]: colour, ...annotations } = o.metadata.annotations ?? {};
    const known: { colour?: "Red" | "Blue" } = colour === "Red" || colour === "Blue" ? { colour } : {};
    const rest = Object.keys(annotations).length === 0 ? {} : { annotations };
    const { annotations: _, ...metadata } = o.metadata;
    return { ...o, metadata: { ...metadata, ...rest }, spec: { size: o.spec?.bigness ?? 1, ...known } };
  },
  fromHub(o: HubObject): OldObject {
    const colour = o.spec?.colour;
    const annotations = { ...o.metadata.annotations, ...(colour === undefined ? {} : { [note]: colour }) };
    return { ...o, metadata: { ...o.metadata, annotations }, spec: { bigness: o.spec?.size ?? 1 } };
  },
};

const failureOf = (conversion: Parameters<typeof kindWith>[0], options = {}) => {
  try {
    checkRoundTrip(fc, kindWith(conversion), "v1", options);
  } catch (error) {
    return String(error);
  }
  return "no error";
};

describe("the round trip of a version", () => {
  test("is proven where nothing is lost", () => {
    expect(failureOf(lossless)).toBe("no error");
  });

  test("is refuted by the smallest object that loses a field", () => {
    const { message } = new Error(
      failureOf({ ...lossless, fromHub: (o) => ({ ...o, spec: { bigness: o.spec?.size ?? 1 } }) }),
    );
    expect(message).toMatch(
      /^Error: Widget: v2 -> v1 -> v2 does not give back the object: spec\.colour: "Red" became absent; with \{"apiVersion":"telltale\.test\/v2"/,
    );
    expect(message).toContain('"spec":{"size":0,"colour":"Red"}');
  });

  test("is refuted where a field travels in a place that the server prunes", () => {
    const same = {
      toHub: (o: OldObject) => o as unknown as HubObject,
      fromHub: (o: HubObject) => o as unknown as OldObject,
    };
    expect(failureOf(same)).toMatch(/v2 -> v1 -> v2 .*spec\.size: \S+ became 1/);
  });

  test("is refuted from the side of the other version, where only that has such objects", () => {
    const capped = {
      ...lossless,
      toHub: (o: OldObject) => lossless.toHub({ ...o, spec: { bigness: Math.min(o.spec?.bigness ?? 1, 5) } }),
    };
    const narrow = Fields({ size: Int32({ default: 1, maximum: 5 }), colour: HubSpec.properties.colour });
    expect(() => checkRoundTrip(fc, kindWith(capped, narrow), "v1")).toThrow(
      "Widget: v1 -> v2 -> v1 does not give back the object: spec.bigness: 6 became 5",
    );
  });

  test("is refuted by a lost annotation, label or status field", () => {
    expect(failureOf({ ...lossless, toHub: (o) => ({ ...lossless.toHub(o), metadata: { name: "x" } }) })).toMatch(
      /metadata\.(labels|annotations)\.example\.com\/\w+: ".*" became absent/,
    );
    expect(failureOf({ ...lossless, toHub: (o) => ({ ...lossless.toHub(o), status: {} }) })).toMatch(
      /status\.\w+: .* became absent/,
    );
  });

  test("is refuted by a conversion that changes its argument", () => {
    const impure = {
      ...lossless,
      fromHub: (o: HubObject) => lossless.fromHub(Object.assign(o, { spec: { size: 1 } })),
    };
    expect(failureOf(impure)).toContain("the conversion throws TypeError: Cannot assign to read only property 'spec'");
  });

  test("is refuted in the same words with the same seed", () => {
    const lossy = { ...lossless, fromHub: (o: HubObject) => ({ ...o, spec: { bigness: 1 } }) };
    expect(failureOf(lossy, { seed: 9, runs: 50 })).toBe(failureOf(lossy, { seed: 9, runs: 50 }));
  });

  test("needs a version that exists", () => {
    expect(() => checkRoundTrip(fc, kindWith(lossless), "v3")).toThrow(/there is no version "v3"/);
  });
});
