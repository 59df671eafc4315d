// What a server warns of beside its answer (RFC 7234, code 299), each text once.
import type { Headers } from "./transport.ts";

const remembered = 1000;

/** Calls for each text that it has not seen yet. The oldest are forgotten after a thousand. */
export function onceEach(call: (text: string) => void): (headers: Headers) => void {
  const seen = new Set<string>();
  return (headers) => {
    const header = headers["warning"];
    if (header === undefined) return;
    for (const text of parseWarnings(header)) {
      if (seen.has(text)) continue;
      seen.add(text);
      if (seen.size > remembered) seen.delete(seen.values().next().value ?? text);
      call(text);
    }
  };
}

const entry = /(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"(?: "(?:[^"\\]|\\.)*")?/g;

/** The texts of `299 - "text"`, in order. */
export function parseWarnings(header: string | readonly string[]): string[] {
  const joined = typeof header === "string" ? header : header.join(", ");
  return [...joined.matchAll(entry)].flatMap(([, code, , text]) =>
    code === "299" && text !== undefined ? [text.replace(/\\(.)/g, "$1")] : [],
  );
}
