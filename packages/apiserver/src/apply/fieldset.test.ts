import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { FieldSet, fieldSetOf, shownPath } from "./fieldset.ts";

const parse = (json: JsonObject): FieldSet => {
  const set = FieldSet.parse(json);
  if (set === undefined) throw new Error("no field set");
  return set;
};

describe("fieldsV1", () => {
  test("a node that is a member and has members below it says so with a dot", () => {
    const json = { "f:labels": { ".": {}, "f:a": {} }, "f:name": {} };
    expect(parse(json).toJson()).toEqual(json);
    expect(parse(json).has(["f:labels"])).toBe(true);
    expect(parse({ "f:labels": { "f:a": {} } }).has(["f:labels"])).toBe(false);
  });

  test("steps are written in order: names, keys, values, indexes, each by what they hold", () => {
    const keys = [
      "i:10",
      "i:2",
      'v:"b"',
      "v:10",
      "v:2",
      "v:true",
      'k:{"port":443,"protocol":"TCP"}',
      'k:{"port":80,"protocol":"UDP"}',
      'k:{"port":80,"protocol":"TCP"}',
      "f:b",
      "f:a",
    ];
    const set = parse(Object.fromEntries(keys.map((key) => [key, {}])));
    expect(Object.keys(set.toJson())).toEqual([
      "f:a",
      "f:b",
      'k:{"port":80,"protocol":"TCP"}',
      'k:{"port":80,"protocol":"UDP"}',
      'k:{"port":443,"protocol":"TCP"}',
      "v:2",
      "v:10",
      'v:"b"',
      "v:true",
      "i:2",
      "i:10",
    ]);
  });

  test("a key in another spelling is the same key", () => {
    const spelled = parse({ 'k:{"protocol":"TCP", "port":80}': {} });
    expect(Object.keys(spelled.toJson())).toEqual(['k:{"port":80,"protocol":"TCP"}']);
  });

  test.each([
    [{ bogus: {} }],
    [{ "f:a": 1 }],
    [{ "k:nonsense": {} }],
    [{ "k:[]": {} }],
    [{ "i:x": {} }],
    [{ "v:": {} }],
  ] as JsonObject[][])("what is no field set is refused: %j", (json) => {
    expect(FieldSet.parse(json)).toBeUndefined();
  });

  test("a set nested deeper than any object is refused, not run out of stack over", () => {
    let json: JsonObject = {};
    for (let i = 0; i < 10_000; i += 1) json = { "f:a": json };
    expect(FieldSet.parse(json)).toBeUndefined();
  });

  test("__proto__ is a name like any other", () => {
    const json = JSON.parse('{"f:__proto__":{".":{},"f:__proto__":{}}}') as JsonObject;
    expect(JSON.stringify(parse(json).toJson())).toBe(JSON.stringify(json));
  });
});

describe("sets", () => {
  const a = fieldSetOf(["m"], ["m", "x"], ["m", "y"], ["n"]);
  const b = fieldSetOf(["m", "x"], ["o"]);

  test("union and intersection", () => {
    expect(a.union(b).equals(fieldSetOf(["m"], ["m", "x"], ["m", "y"], ["n"], ["o"]))).toBe(true);
    expect(a.intersection(b).equals(fieldSetOf(["m", "x"]))).toBe(true);
    expect(a.intersection(fieldSetOf(["q"])).isEmpty).toBe(true);
  });

  test("a difference takes members, a recursive one what is below them as well", () => {
    expect(a.difference(fieldSetOf(["m"])).equals(fieldSetOf(["m", "x"], ["m", "y"], ["n"]))).toBe(true);
    expect(a.recursiveDifference(fieldSetOf(["m"])).equals(fieldSetOf(["n"]))).toBe(true);
  });

  test("leaves are the members with nothing below them", () => {
    expect(a.leaves().equals(fieldSetOf(["m", "x"], ["m", "y"], ["n"]))).toBe(true);
  });

  test("a set without members is empty however it came about", () => {
    expect(a.difference(a).isEmpty).toBe(true);
    expect(fieldSetOf().toJson()).toEqual({});
  });
});

test("A72 paths are listed members first and shown as messages show them", () => {
  const set = parse({
    "f:spec": {
      "f:items": { 'k:{"kind":"std","name":"a"}': { "f:sub": { 'k:{"id":1}': { "f:v": {} } }, "f:value": {} } },
      "f:name": {},
      "f:set": { 'v:"x"': {} },
    },
  });
  expect(set.paths().map(shownPath)).toEqual([
    ".spec.name",
    '.spec.items[kind="std",name="a"].value',
    '.spec.items[kind="std",name="a"].sub[id=1].v',
    '.spec.set[="x"]',
  ]);
});
