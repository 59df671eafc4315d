// Lines out of chunks: a watch is one JSON value per line, and a chunk ends wherever the network likes.
import { StreamError } from "./errors.ts";

export interface Lines {
  /** The lines that this chunk completes. */
  push(chunk: Uint8Array | string): string[];
  /** No more chunks. What is left over was cut. */
  end(): void;
}

export function splitLines(): Lines {
  /** What came of a line so far: bytes, or text. An end of line is never within a character. */
  let parts: (Uint8Array | string)[] = [];
  return {
    push(chunk) {
      const lines: string[] = [];
      let from = 0;
      // Only what is new is searched: a line of many chunks stays linear.
      for (let at = endOfLine(chunk, 0); at >= 0; at = endOfLine(chunk, from)) {
        parts.push(slice(chunk, from, at));
        const line = textOf(parts);
        if (line.trim() !== "") lines.push(line);
        parts = [];
        from = at + 1;
      }
      if (from < chunk.length) parts.push(slice(chunk, from, chunk.length));
      return lines;
    },
    end() {
      const rest = textOf(parts);
      if (rest.trim() === "") return;
      throw new StreamError("cut", `the stream ended within a line, after ${rest.length} characters of it`);
    },
  };
}

const endOfLine = (chunk: Uint8Array | string, from: number): number =>
  typeof chunk === "string" ? chunk.indexOf("\n", from) : chunk.indexOf(10, from);

const slice = (chunk: Uint8Array | string, from: number, to: number): Uint8Array | string =>
  typeof chunk === "string" ? chunk.slice(from, to) : chunk.subarray(from, to);

function textOf(parts: readonly (Uint8Array | string)[]): string {
  const [first = "", second] = parts;
  if (second !== undefined) {
    return parts.every((it) => typeof it === "string") ? parts.join("") : textOf([Buffer.concat(parts.map(bytesOf))]);
  }
  return typeof first === "string" ? first : Buffer.from(first.buffer, first.byteOffset, first.length).toString("utf8");
}

const bytesOf = (part: Uint8Array | string): Uint8Array => (typeof part === "string" ? Buffer.from(part) : part);
