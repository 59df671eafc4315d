import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StreamError } from "./errors.ts";
import { splitLines } from "./lines.ts";

describe("lines out of chunks", () => {
  it("are the same wherever the chunks end, even within a character", () => {
    const lineText = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((it) => it.trim() !== "" && !it.includes("\n"));
    fc.assert(
      fc.property(fc.array(lineText), fc.array(fc.nat(7)), fc.boolean(), (wanted, sizes, asText) => {
        const whole = wanted.map((it) => `${it}\n`).join("");
        const source = asText ? whole : new TextEncoder().encode(whole);
        const lines = splitLines();
        const found: string[] = [];
        for (let at = 0, turn = 0; at < source.length; turn += 1) {
          const size = (sizes[turn % Math.max(1, sizes.length)] ?? 3) + 1;
          found.push(...lines.push(source.slice(at, at + size)));
          at += size;
        }
        lines.end();
        expect(found).toEqual(wanted);
      }),
    );
  });

  it("that end in the middle are a fault with a name", () => {
    const lines = splitLines();
    expect(lines.push(`{"a":1}\n{"b`)).toEqual([`{"a":1}`]);
    expect(() => lines.end()).toThrow(StreamError);
    expect(() => lines.end()).toThrow("within a line, after 3 characters");
  });

  it("that are empty are no lines", () => {
    const lines = splitLines();
    expect(lines.push("\n\r\na\n")).toEqual(["a"]);
    lines.end();
  });
});
