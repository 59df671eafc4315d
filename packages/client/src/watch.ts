// A watch as an async iterator of typed events. It follows one stream to its end; to resume is the cache's business.
import type { Clock } from "@telltale/clock";
import type { KubeObject, Ms } from "@telltale/kinds";
import { ApiError, type Status, StreamError } from "./errors.ts";
import { type Lines, splitLines } from "./lines.ts";
import type { Call, Sender } from "./send.ts";

export type WatchEvent<T extends KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  /** Everything up to this version has been sent. Only `metadata` is filled. */
  | { readonly type: "BOOKMARK"; readonly object: KubeObject };

/** One for all: to make one for each costs more than to leave. */
const left = new DOMException("the watch was left", "AbortError");

/** The events of a stream until the server ends it. An ERROR is thrown, and so is a stream that broke. */
export async function* watchEvents<T extends KubeObject>(
  sender: Sender,
  clock: Clock,
  call: Call,
  idle: Ms | undefined,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { response, deadline: limit } = await sender.open(call);
  const stalled = () => new StreamError("stalled", `GET ${call.path}: nothing came for ${idle} ms`);
  limit.within(clock, idle, stalled);
  const chunks = response.chunks()[Symbol.asyncIterator]();
  const lines = splitLines(response.maxLineBytes);
  try {
    for (;;) {
      const next = await limit.unless(chunks.next());
      if (next.done === true) break;
      // While the reader is busy, nobody listens: that time does not count.
      limit.lift();
      for (const line of linesOf(next.value, lines, call)) yield parseEvent<T>(line, sender, call);
      limit.renew();
    }
    endOf(lines, call);
  } finally {
    limit.done();
    limit.abort(left);
    // Not awaited: a stream that hangs would keep its reader.
    Promise.resolve(chunks.return?.()).catch(() => {});
  }
}

function parseEvent<T extends KubeObject>(line: string, sender: Sender, call: Call): WatchEvent<T> {
  const { type, object } = decodeLine(line, sender, call);
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: object as T };
    case "BOOKMARK":
      return { type, object: object as KubeObject };
    case "ERROR":
      throw new ApiError(`GET ${call.path}`, object as Status);
    default:
      throw new StreamError("garbled", `GET ${call.path}: an event of unknown type ${String(type).slice(0, 40)}`);
  }
}

function decodeLine(line: string, sender: Sender, call: Call): { type?: unknown; object: unknown } {
  let value: unknown;
  try {
    value = sender.decode(line);
  } catch (cause) {
    throw new StreamError("garbled", `GET ${call.path}: a line that is no JSON: ${line.slice(0, 80)}`, { cause });
  }
  if (typeof value !== "object" || value === null || !("object" in value)) {
    throw new StreamError("garbled", `GET ${call.path}: a line that is no event: ${line.slice(0, 80)}`);
  }
  return value;
}

const linesOf = (chunk: Uint8Array | string, lines: Lines, call: Call): string[] =>
  named(() => lines.push(chunk), call);

const endOf = (lines: Lines, call: Call): void => named(() => lines.end(), call);

/** With what was watched in front. */
function named<R>(read: () => R, call: Call): R {
  try {
    return read();
  } catch (cause) {
    const fault = cause instanceof StreamError ? cause.fault : "garbled";
    throw new StreamError(fault, `GET ${call.path}: ${(cause as Error).message}`, { cause });
  }
}
