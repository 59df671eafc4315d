import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crc32c } from "./crc32c.ts";
import { decode, encode } from "./log.ts";
import type { JournalEntry } from "./store.ts";

describe("crc32c", () => {
  test.each([
    ["123456789", 0xe3069283],
    ["", 0],
    ["a", 0xc1d04330],
    ["\0".repeat(32), 0x8a9136aa],
  ])("of %j is the published value", (text, crc) => {
    expect(crc32c(Buffer.from(text))).toBe(crc);
  });

  test("goes on from any place", () => {
    const bytes = Buffer.from("The quick brown fox jumps over the lazy dog");
    for (let i = 0; i <= bytes.length; i++) {
      expect(crc32c(bytes, i, bytes.length, crc32c(bytes, 0, i))).toBe(crc32c(bytes));
    }
  });
});

const entry = fc.record<JournalEntry>({
  revision: fc.maxSafeNat(),
  key: fc.stringMatching(/^\/[a-z.]{0,5}\/[a-z]{1,5}\/[a-z0-9-]{1,20}$/),
  json: fc.option(
    fc.string({ unit: "grapheme" }).map((text) => JSON.stringify({ text })),
    { nil: undefined },
  ),
});

function all(bytes: Buffer): { entries: JournalEntry[]; end: number } {
  const entries: JournalEntry[] = [];
  return { end: decode(bytes, (it) => entries.push(it)), entries };
}

test("a frame has the layout that the file format names", () => {
  const frame = encode({ revision: 258, key: "/a/b/c", json: "{}" });
  expect(frame.toString("hex", 0, 4)).toBe("12000000");
  expect(frame.readUInt32LE(4)).toBe(crc32c(frame, 8));
  expect(frame.toString("latin1", 8)).toBe("\x02\x01\0\0\0\0\0\0\x01/a/b/c\0{}");
  expect(encode({ revision: 1, key: "/a/b/c", json: undefined })[16]).toBe(2);
});

test("entries come back as they went in", () => {
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const bytes = Buffer.concat(entries.map(encode));
      expect(all(bytes)).toEqual({ entries, end: bytes.length });
    }),
  );
});

test("a log cut at any byte gives every whole entry before the cut, and no other", () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), (entries) => {
      const frames = entries.map(encode);
      const bytes = Buffer.concat(frames);
      for (let cut = 0; cut <= bytes.length; cut++) {
        let [whole, end] = [0, 0];
        for (const frame of frames) {
          if (end + frame.length > cut) break;
          end += frame.length;
          whole += 1;
        }
        expect(all(bytes.subarray(0, cut))).toEqual({ entries: entries.slice(0, whole), end });
        // The file may have grown before the content came.
        expect(all(Buffer.concat([bytes.subarray(0, end), Buffer.alloc(40)])).entries).toHaveLength(whole);
      }
    }),
    { numRuns: 30 },
  );
});

test("a flipped bit is never taken for an entry", () => {
  const [first, second] = [
    encode({ revision: 5, key: "/a/b/c", json: '{"a":1}' }),
    encode({ revision: 6, key: "/a/b/d", json: undefined }),
  ];
  for (let bit = 0; bit < second.length * 8; bit++) {
    const bad = Buffer.from(second);
    bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(all(Buffer.concat([first, bad]))).toMatchObject({ end: first.length, entries: [{ revision: 5 }] });
  }
});
