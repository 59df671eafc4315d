import { describe, expect, test } from "vitest";
import type { ApiObject } from "../json.ts";
import { ParsedObjects, StoredRecord } from "./record.ts";

const place = { key: "//pods/a/b", revision: 7, created: 3 };
const fresh = (record: StoredRecord): StoredRecord => new StoredRecord(place, record.json, new ParsedObjects());

test("the JSON carries the revision, and the object given is left alone", () => {
  const object: ApiObject = { kind: "Pod", metadata: { name: "b", resourceVersion: "1", uid: "u" } };
  const record = StoredRecord.of(place, object, new ParsedObjects());
  expect(record.json).toBe('{"kind":"Pod","metadata":{"name":"b","resourceVersion":"7","uid":"u"}}');
  expect(record.object()).toEqual(JSON.parse(record.json));
  expect(object).toEqual({ kind: "Pod", metadata: { name: "b", resourceVersion: "1", uid: "u" } });
});

test("an object without metadata gets some", () => {
  expect(StoredRecord.of(place, { kind: "Pod" }, new ParsedObjects()).json).toBe(
    '{"kind":"Pod","metadata":{"resourceVersion":"7"}}',
  );
});

test("labels and uid are the same whether the object was at hand or is parsed", () => {
  const record = StoredRecord.of(place, { metadata: { uid: "u", labels: { app: "x" } } }, new ParsedObjects());
  for (const it of [record, fresh(record)]) {
    expect(it.labels).toEqual({ app: "x" });
    expect(it.uid).toBe("u");
  }
  expect(StoredRecord.of(place, {}, new ParsedObjects()).labels).toBeUndefined();
});

describe("values survive being written and parsed", () => {
  test.each<[string, ApiObject]>([
    ["integers beyond 2^53", { a: 9007199254740993n, b: -12345678901234567890n, c: [1n << 63n] }],
    ["digits in text", { a: "12345678901234567890" }],
    ["long fractions and exponents", { a: 0.1234567890123456, b: 1e300, c: 123456789012345.67 }],
    ["the largest safe integers", { a: Number.MAX_SAFE_INTEGER, b: Number.MIN_SAFE_INTEGER }],
    ["prototype names", JSON.parse('{"__proto__":{"a":1},"constructor":2}') as ApiObject],
    ["text of every plane", { a: "é 漢 \u{1f600} \u2028 \n" }],
  ])("%s", (_, object) => {
    const parsed = fresh(StoredRecord.of(place, object, new ParsedObjects())).object();
    expect(parsed).toStrictEqual({ ...object, metadata: { resourceVersion: "7" } });
    expect(Object.keys(parsed)).toEqual([...Object.keys(object), "metadata"]);
  });
});

test("an object is parsed once while it is in use, and again when many others came between", () => {
  const parsed = new ParsedObjects();
  const record = new StoredRecord(place, '{"a":1}', parsed);
  const first = record.object();
  expect(record.object()).toBe(first);
  for (let i = 0; i < 2_000; i++) new StoredRecord(place, "{}", parsed).object();
  expect(record.object()).not.toBe(first);
  expect(record.object()).toEqual(first);
});

describe("depth", () => {
  const nested = (levels: number): ApiObject => {
    let object: ApiObject = { number: 12345678901234567890n };
    for (let level = 1; level < levels; level++) object = level % 2 === 0 ? { a: object } : { a: [object] };
    return object;
  };

  test("what is stored can be read, though it is deep", () => {
    const record = StoredRecord.of(place, nested(660), new ParsedObjects());
    expect(fresh(record).object()).toEqual({ ...nested(660), metadata: { resourceVersion: "7" } });
  });

  test.each([700, 10_000])("an object of some %s levels is refused", (levels) => {
    expect(() => StoredRecord.of(place, nested(levels), new ParsedObjects())).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining("more than 1000 levels") }),
    );
  });
});
