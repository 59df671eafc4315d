// Lines out of chunks: a watch is one JSON value per line, and a chunk ends wherever the network likes.
import { StreamError } from "./errors.ts";

export interface Lines {
  /** The lines that this chunk completes. */
  push(chunk: Uint8Array | string): string[];
  /** No more chunks. What is left over was cut. */
  end(): void;
}

export function splitLines(): Lines {
  const decoder = new TextDecoder();
  let rest = "";
  return {
    push(chunk) {
      const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      const lines: string[] = [];
      let from = 0;
      // Only the new text is searched: a line of many chunks stays linear.
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
        const line = rest + text.slice(from, at);
        if (line.trim() !== "") lines.push(line);
        rest = "";
        from = at + 1;
      }
      rest += from === 0 ? text : text.slice(from);
      return lines;
    },
    end() {
      rest += decoder.decode();
      if (rest.trim() === "") return;
      throw new StreamError("cut", `the stream ended within a line, after ${rest.length} characters of it`);
    },
  };
}
