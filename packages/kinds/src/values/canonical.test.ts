import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, deepEqual, fnv1a32, safeEncode, sha256Hex } from "./canonical.ts";

const tricky = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":null}');

// Few keys and few values, so that equal and nearly equal pairs come up.
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, -1.5, "", "a", "é", "1"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(
        fc.tuple(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.oneof(tie("value"), fc.constant(undefined))),
        {
          maxLength: 4,
        },
      )
      .map(build),
  ),
})).value;

function build(entries: [string, unknown][]): unknown {
  return Object.fromEntries(entries); // defines members, so `__proto__` is one like any other
}

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}

describe("canonical JSON", () => {
  it("sorts keys at every depth and leaves lists alone", () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 1], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},1]}');
  });

  it("drops undefined members and keeps the place of undefined items", () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(canonicalJson([undefined, 1])).toBe("[null,1]");
    expect(canonicalJson(undefined)).toBe("null");
  });

  it("escapes as JSON does", () => {
    expect(canonicalJson({ 'a"\n': "é\u2028" })).toBe(JSON.stringify({ 'a"\n': "é\u2028" }));
  });

  it("treats the names of the prototype as data", () => {
    expect(canonicalJson(tricky)).toBe('{"__proto__":{"a":1},"constructor":2,"toString":null}');
  });

  it("is JSON of the same value, whatever the key order", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
        expect(deepEqual(JSON.parse(text), value)).toBe(true);
      }),
    );
  });
});

describe("deep equality", () => {
  it("ignores key order and undefined members", () => {
    expect(deepEqual({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toBe(true);
    expect(deepEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(deepEqual({ a: 1 }, { b: undefined, a: 1 })).toBe(true);
    expect(deepEqual({ a: undefined }, { b: 1 })).toBe(false);
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [[], {}],
    [{}, []],
    [null, {}],
    [{ a: null }, {}],
    [1, "1"],
    [0, false],
    [undefined, null],
  ])("tells %j from %j", (a, b) => {
    expect(deepEqual(a, b)).toBe(false);
    expect(deepEqual(b, a)).toBe(false);
  });

  it("does not find members in the prototype", () => {
    expect(deepEqual({ constructor: Object }, { a: 1 })).toBe(false);
    expect(deepEqual(JSON.parse('{"__proto__":{}}'), {})).toBe(false);
    expect(deepEqual({}, JSON.parse('{"__proto__":{}}'))).toBe(false);
    expect(deepEqual(tricky, shuffled(tricky))).toBe(true);
  });

  it("agrees with canonical JSON", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(deepEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(deepEqual(a, shuffled(a))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("hashes", () => {
  it("give the known SHA-256, whole or cut", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sha256Hex("abc", 16)).toBe("ba7816bf8f01cfea");
  });

  it("give the known FNV-1a sums, over bytes and not characters", () => {
    expect(fnv1a32("")).toBe(0x811c9dc5);
    expect(fnv1a32("a")).toBe(0xe40c292c);
    expect(fnv1a32("foobar")).toBe(0xbf9cf968);
    expect(fnv1a32("é")).toBe(fnvOfBytes([0xc3, 0xa9]));
  });

  it("encode a number as Kubernetes encodes the pod template hash", () => {
    expect(safeEncode(1234567890)).toBe("56789bcdf4");
    expect(safeEncode(0)).toBe("4");
    expect(safeEncode(4294967295)).toBe("86f8fbc6f9");
  });
});

function fnvOfBytes(bytes: readonly number[]): number {
  let hash = 0x811c9dc5n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
  return Number(hash);
}
