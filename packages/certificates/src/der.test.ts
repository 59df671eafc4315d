import { expect, it } from "vitest";
import { contentOf, integer, members, octets, oid, sequence, tagOf, utf8 } from "./der.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

it("writes lengths in as few bytes as they need", () => {
  expect(hex(octets(new Uint8Array(0x7f)).subarray(0, 2))).toBe("047f");
  expect(hex(octets(new Uint8Array(0x80)).subarray(0, 3))).toBe("048180");
  expect(hex(octets(new Uint8Array(0x100)).subarray(0, 4))).toBe("04820100");
});

it("keeps integers positive", () => {
  expect(hex(integer(Uint8Array.of(0x80)))).toBe("02020080");
  expect(hex(integer(Uint8Array.of(0x7f)))).toBe("02017f");
});

it("writes object identifiers with parts beyond one byte", () => {
  expect(hex(oid("1.2.840.10045.4.3.2"))).toBe("06082a8648ce3d040302");
});

it("reads back what it wrote, at any length", () => {
  const items = [utf8("a"), octets(new Uint8Array(200)), octets(new Uint8Array(70_000).fill(7).subarray(0, 60_000))];
  const read = members(sequence(...items));
  expect(read.map(hex)).toEqual(items.map(hex));
  expect(read.map(tagOf)).toEqual([0x0c, 0x04, 0x04]);
  expect(contentOf(items[1] ?? new Uint8Array(0))).toHaveLength(200);
});

it("refuses what ends too early", () => {
  const whole = sequence(utf8("abc"), utf8("def"));
  for (let length = 2; length < whole.length; length += 1) {
    expect(() => members(whole.subarray(0, length))).toThrow("DER ends at byte");
  }
});
