import {
  Dictionary,
  Duration,
  defineKind,
  Enum,
  Fields,
  Flag,
  Immutable,
  Int32,
  Int64,
  List,
  ListMap,
  misfit,
  Nullable,
  Optional,
  Quantity,
  Text,
  Time,
  type TObject,
} from "@telltale/kinds";
import { describe, expect, it, test } from "vitest";
import { edges, leastOf, neighbours, valueAt, withValue } from "./schema-values.ts";

const schemaOf = (spec: TObject) =>
  defineKind({ group: "example.com", version: "v1", kind: "Thing", spec }).schema.spec;

/** `at: as value` of every edge of one field. */
const of = (field: TObject["properties"][string], value: unknown) =>
  [...edges(schemaOf(Fields({ it: field })), { it: value })]
    .filter(({ at }) => at.startsWith("/it"))
    .map(({ at, as, value: edge }) => `${at.slice(3)}${as} ${JSON.stringify(edge)}`.slice(0, 60));

describe("the edges of a value", () => {
  it("of a number are its bounds, nothing and less than nothing, as far as they fit", () => {
    expect(of(Int32({ minimum: 0, maximum: 100 }), 3)).toEqual(["least 0", "most 100"]);
    expect(of(Int32(), 3)).toEqual(["least -2147483648", "most 2147483647", "zero 0", "minus -1"]);
    expect(of(Int64(), 0)).toEqual(["least -9007199254740991", "most 9007199254740991", "minus -1"]);
    expect(of(Int32({ minimum: 5, maximum: 5 }), 5)).toEqual([]);
  });

  it("of a text are nothing at all, the longest that it can be, and what nobody expects in it", () => {
    const [empty, longest, odd] = of(Text(), "x");
    expect([empty, longest?.startsWith('longest "xxxx'), odd?.startsWith("odd")]).toEqual(['empty ""', true, true]);
    expect(of(Text({ minLength: 2, maxLength: 4 }), "abc")).toEqual(['shortest "xx"', 'longest "xxxx"']);
  });

  it("of a text with a pattern are only such as match it", () => {
    expect(of(Duration(), "1m")).toEqual(['as 0 "0"', 'as 0s "0s"', 'as -1h "-1h"', 'as 2540400h "2540400h"']);
    expect(of(Text({ pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$", maxLength: 5 }), "b")).toContain('longest "aaaaa"');
    expect(of(Quantity(), "1")).toContain('as 9E "9E"');
  });

  it("of a choice are all the others, of a flag the other one, of a time its beginning and its end", () => {
    expect(of(Enum(["a", "b", "c"]), "b")).toEqual(['is a "a"', 'is c "c"']);
    expect(of(Flag(), true)).toEqual(["no false"]);
    expect(of(Time(), "2026-01-01T00:00:00Z")).toEqual(['least "0001-01-01T00:00:00Z"', 'most "9999-12-31T23:59:59Z"']);
  });

  it("of a list are none, one and each twice; of a map an odd name; one of the items stands for all", () => {
    expect(of(List(Int32({ minimum: 1, maximum: 2 })), [1, 1])).toEqual([
      "empty []",
      "one [1]",
      "twice [1,1,1,1]",
      "/0most 2",
    ]);
    const named = ListMap(Fields({ name: Text({ maxLength: 1 }) }), ["name"]);
    expect(of(named, [{ name: "a" }])).not.toContainEqual(expect.stringContaining("twice"));
    expect(of(Dictionary(Flag()), { a: true })).toEqual([
      "least {}",
      'odd {"Odd key/é ":true}',
      "/aabsent undefined",
      "/ano false",
    ]);
  });

  it("of what may be left out are that it is, and what it could be", () => {
    expect(of(Optional(Flag()), true)).toEqual(["absent undefined", "no false"]);
    expect(of(Optional(Flag()), undefined)).toEqual(["yes true", "no false"]);
    expect(of(Optional(Fields({ a: Flag() })), undefined)).toEqual(['least {"a":true}']);
    expect(of(Nullable(Int32({ minimum: 1, maximum: 1 })), 1)).toEqual(["null null"]);
  });

  it("leave alone what cannot be changed", () => {
    expect(of(Immutable(Int32()), 1)).toEqual([]);
    expect(of(Optional(Immutable(Fields({ a: Flag() }))), { a: true })).toEqual([]);
  });

  it("fit the schema, all of them", () => {
    const schema = schemaOf(
      Fields({
        a: Int32({ minimum: 1 }),
        b: Optional(Fields({ c: Text({ pattern: "^[a-c]+$" }), d: List(Quantity()) })),
      }),
    );
    const spec = { a: 1, b: { c: "a", d: ["1"] } };
    const all = [...edges(schema, spec)];
    expect(all.length).toBeGreaterThan(10);
    for (const { at, value } of all) expect(misfit(schema, withValue(spec, at, value), "")).toBeUndefined();
  });
});

test("a neighbour of each plain field is a value like it", () => {
  const schema = schemaOf(
    Fields({
      n: Int32({ maximum: 1 }),
      t: Text(),
      f: Flag(),
      e: Enum(["a", "b"]),
      l: List(Text()),
      o: Optional(Text()),
    }),
  );
  const found = [...neighbours(schema, { n: 1, t: "x", f: true, e: "a", l: ["y"] })];
  expect(found.map(({ at, value }) => [at, value])).toEqual([
    ["/n", 0],
    ["/t", "xx"],
    ["/f", false],
    ["/e", "b"],
    ["/l/0", "yx"],
  ]);
});

test("the least that fits has what must be there and no more", () => {
  const schema = schemaOf(
    Fields({ a: Int32({ minimum: 3 }), b: Optional(Text()), c: Fields({ d: Enum(["x", "y"]) }) }),
  );
  expect(leastOf(schema)).toEqual({ a: 3, c: { d: "x" } });
});

test("a place is read and written without a change to anything else", () => {
  const value = { "a/b": [{ c: 1 }, { c: 2 }], d: 3 };
  expect(valueAt(value, "/a~1b/1/c")).toBe(2);
  expect(withValue(value, "/a~1b/1/c", 5)).toEqual({ "a/b": [{ c: 1 }, { c: 5 }], d: 3 });
  expect(withValue(value, "/d", undefined)).toEqual({ "a/b": [{ c: 1 }, { c: 2 }] });
  expect(withValue(value, "/x/y", 1)).toEqual(value);
  expect(value.d).toBe(3);
});
