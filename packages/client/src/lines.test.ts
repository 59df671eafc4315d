import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
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

  it.each([
    ["bytes", (text: string) => Buffer.from(text)],
    ["text", (text: string) => text],
  ])("have a limit, in one chunk or in many: %s", (_what, of) => {
    const whole = splitLines(10);
    expect(whole.push(of("0123456789\n0123456789\n"))).toEqual(["0123456789", "0123456789"]);
    expect(() => whole.push(of("0123456789a\n"))).toThrow("a line of more than 10 bytes; if the server has such");
    const pieces = splitLines(10);
    for (const piece of "0123456789\n0123456789") pieces.push(of(piece));
    expect(() => pieces.push(of("a"))).toThrow(StreamError);
  });

  it("may come byte by byte, and take no more memory than they have", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const inUse = () => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const lines = splitLines();
    const before = inUse();
    for (let i = 0; i < 1_000_000; i += 1) lines.push(Buffer.of(97));
    expect(inUse() - before).toBeLessThan(10_000_000);
    expect(lines.push("\n")[0]).toHaveLength(1_000_000);
  });

  it("that are empty are no lines", () => {
    const lines = splitLines();
    expect(lines.push("\n\r\na\n")).toEqual(["a"]);
    lines.end();
  });
});
