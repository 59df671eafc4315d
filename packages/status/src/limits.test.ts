import {
  type Condition,
  conditions,
  Dictionary,
  Double,
  defineKind,
  Enum,
  Fields,
  Int32,
  Int64,
  List,
  Nullable,
  Optional,
  positive,
  Text,
  yes,
} from "@telltale/kinds";
import { beforeEach, describe, expect, it } from "vitest";
import { limit, within } from "./limits.ts";

const Box = defineKind({
  group: "telltale.test",
  version: "v1",
  kind: "Box",
  status: Fields({
    word: Optional(Text({ maxLength: 5 })),
    long: Optional(Text()),
    colour: Optional(Enum(["Red", "Blue"])),
    count: Optional(Int64()),
    small: Optional(Int32()),
    ratio: Optional(Double()),
    list: Optional(List(Text({ maxLength: 3 }), { maxItems: 3 })),
    numbers: Optional(List(Double(), { maxItems: 9 })),
    map: Optional(Dictionary(Text({ maxLength: 3 }), { maxProperties: 2 })),
    none: Optional(Nullable(Text())),
    inner: Optional(Fields({ word: Optional(Text({ maxLength: 5 })), colour: Optional(Enum(["Red"])) })),
    a: Optional(List(Text(), { maxItems: 999 })),
    b: Optional(List(Text(), { maxItems: 999 })),
  }),
  conditions: conditions({ Ready: positive({ means: "It works", reasons: { Up: yes("It is up") } }) }),
  maxStatusBytes: 2000,
});

let broken: string[] = [];
beforeEach(() => {
  broken = [];
});
const say = (rule: number, at: string) => broken.push(`rule ${rule} ${at}`);
const fit = (next: Record<string, unknown>, stored: Record<string, unknown> = {}) => limit(Box, next, stored, say);

describe("a status within its schema", () => {
  it("is left as it is, the same object", () => {
    const next = {
      word: "abcde",
      count: 5,
      list: ["a"],
      map: { a: "b" },
      inner: { word: "x" },
      unknown: "x".repeat(99),
    };
    expect(fit(next)).toBe(next);
    expect(broken).toEqual([]);
  });

  it("rule 7: has texts that are cut to their length, also inside lists, maps and objects", () => {
    expect(fit({ word: "abcdef", list: ["abcd"], map: { a: "abcd" }, inner: { word: "abcdef" } })).toEqual({
      word: "abcd…",
      list: ["ab…"],
      map: { a: "ab…" },
      inner: { word: "abcd…" },
    });
    expect(String(fit({ long: "x".repeat(40_000) })["long"]).length).toBe(32_768);
  });

  it("rule 10: has lists and maps with as many members as are allowed, the first ones each time", () => {
    expect(fit({ list: ["d", "c", "b", "a"], map: { c: "", b: "", a: "" } })).toEqual({
      list: ["d", "c", "b"],
      map: { a: "", b: "" },
    });
  });

  it("rule 11: has no integer beyond what JSON can hold, and says so", () => {
    expect(fit({ count: 2 ** 60, small: -(2 ** 40) })).toEqual({ count: Number.MAX_SAFE_INTEGER, small: 1 - 2 ** 31 });
    expect(fit({ count: 1.5 })).toEqual({ count: 1 });
    expect(broken).toEqual(["rule 11 count", "rule 11 small", "rule 11 count"]);
  });

  it("rule 11: leaves out what is no number, or keeps what was stored", () => {
    expect(JSON.stringify(fit({ count: Number.NaN, ratio: Number.POSITIVE_INFINITY, numbers: [1, Number.NaN] }))).toBe(
      '{"numbers":[1]}',
    );
    expect(fit({ count: Number.NaN }, { count: 3 })).toEqual({ count: 3 });
    expect(fit({ ratio: 1.5 })).toEqual({ ratio: 1.5 });
    expect(broken).toEqual(["rule 11 count", "rule 11 ratio", "rule 11 numbers[1]", "rule 11 count"]);
  });

  it("rule 12: has no word that is not in its enumeration, because the server would refuse the whole status", () => {
    expect(fit({ colour: "Green", inner: { colour: "Blue", word: "x" } }, { colour: "Red" })).toEqual({
      colour: "Red",
      inner: { word: "x" },
    });
    expect(broken).toEqual(["rule 12 colour", "rule 12 inner.colour"]);
  });

  it("may have a null where the schema does", () => {
    expect(fit({ none: null }, { none: "x" })).toEqual({ none: null });
  });

  it("does not look again at what is stored already", () => {
    const list = ["abcdef"];
    expect(fit({ list }, { list })).toEqual({ list });
  });
});

const condition = (type: string, message: string): Condition => ({
  type,
  status: "True",
  reason: "Up",
  message,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});
const bytes = (status: object) => Buffer.byteLength(JSON.stringify(status));

describe("a status within its bytes", () => {
  it("rule 70: is left as it is where it fits, bytes and not characters being counted", () => {
    const fits = { long: "ä".repeat(990) };
    expect(within(Box, fits, say)).toBe(fits);
    expect(broken).toEqual([]);
    within(Box, { long: "ä".repeat(1000) }, say);
    expect(broken).toEqual(["rule 70 status"]);
  });

  it("rule 70: loses the length of its messages first", () => {
    const out = within(Box, { list: ["a", "b"], conditions: [condition("Ready", "x".repeat(5000))] }, say);
    expect(out).toEqual({ list: ["a", "b"], conditions: [condition("Ready", `${"x".repeat(1023)}…`)] });
    expect(broken).toEqual(["rule 70 status"]);
  });

  it("rule 60: does not touch the messages of others, nor stumble over a condition without one", () => {
    const theirs = condition("example.com/Theirs", "y".repeat(1900));
    const wire: unknown = JSON.parse('{"type": "example.com/Silent", "status": "True"}');
    const out = within(Box, { conditions: [condition("Ready", "x".repeat(500)), theirs, wire] }, say);
    expect(out["conditions"]).toEqual([condition("Ready", `${"x".repeat(63)}…`), theirs, wire]);
  });

  it("rule 70: then loses the ends of its longest lists, the same way each time", () => {
    const status = {
      a: Array.from({ length: 400 }, (_, i) => `a${i}`),
      b: Array.from({ length: 100 }, (_, i) => `b${i}`),
    };
    const out = within(Box, status, say);
    expect(bytes(out)).toBeLessThanOrEqual(2000);
    expect(out).toEqual({ a: status.a.slice(0, 200), b: status.b });
    expect(within(Box, structuredClone(status), say)).toEqual(out);
  });

  it("gives up where nothing is left to cut, rather than to cut for ever", () => {
    const stubborn = { long: "x".repeat(3000), a: ["y"] };
    expect(within(Box, stubborn, say)).toEqual(stubborn);
  });
});
