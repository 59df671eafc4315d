// Lines out of chunks: a watch is one JSON value per line, and a chunk ends wherever the network likes.
import { StreamError } from "./errors.ts";
import { Pieces } from "./pieces.ts";

export interface Lines {
  /** The lines that this chunk completes. */
  push(chunk: Uint8Array | string): string[];
  /** No more chunks. What is left over was cut. */
  end(): void;
}

/** Nothing longer than `maxBytes` is kept: a line without an end would take all memory. */
export function splitLines(maxBytes = Number.POSITIVE_INFINITY): Lines {
  /** What came of a line so far: text, or bytes. An end of line is never within a character. */
  let text = "";
  const bytes = new Pieces();
  const isBegun = () => text !== "" || bytes.size > 0;
  const keep = (part: Uint8Array | string) => {
    if (text.length + bytes.size + part.length > maxBytes) throw tooLong(maxBytes);
    if (typeof part === "string" && bytes.size === 0) {
      text += part;
      return;
    }
    if (text !== "") bytes.push(Buffer.from(text));
    text = "";
    bytes.push(typeof part === "string" ? Buffer.from(part) : part);
  };
  const take = (): string => {
    const line = text === "" ? bytes.take().toString("utf8") : text;
    text = "";
    return line;
  };
  return {
    push(chunk) {
      const lines: string[] = [];
      let from = 0;
      // Only what is new is searched: a line of many chunks stays linear.
      for (let at = endOfLine(chunk, 0); at >= 0; at = endOfLine(chunk, from)) {
        let line: string;
        if (!isBegun()) {
          if (at - from > maxBytes) throw tooLong(maxBytes);
          line = textOf(chunk, from, at);
        } else {
          keep(slice(chunk, from, at));
          line = take();
        }
        if (line.trim() !== "") lines.push(line);
        from = at + 1;
      }
      if (from < chunk.length) keep(slice(chunk, from, chunk.length));
      return lines;
    },
    end() {
      const rest = take();
      if (rest.trim() === "") return;
      keep(rest);
      throw new StreamError("cut", `the stream ended within a line, after ${rest.length} characters of it`);
    },
  };
}

const tooLong = (maxBytes: number): StreamError =>
  new StreamError(
    "oversized",
    `a line of more than ${maxBytes} bytes; if the server has such objects, raise maxLineBytes of httpTransport`,
  );

const endOfLine = (chunk: Uint8Array | string, from: number): number =>
  typeof chunk === "string" ? chunk.indexOf("\n", from) : chunk.indexOf(10, from);

const slice = (chunk: Uint8Array | string, from: number, to: number): Uint8Array | string =>
  typeof chunk === "string" ? chunk.slice(from, to) : chunk.subarray(from, to);

const textOf = (chunk: Uint8Array | string, from: number, to: number): string =>
  typeof chunk === "string"
    ? chunk.slice(from, to)
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("utf8", from, to);
