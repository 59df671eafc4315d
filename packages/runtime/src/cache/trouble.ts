// What an error means to whoever follows a kind: which of the troubles in `follow-state.ts` it is.
import { ApiError, ConnectionError, isExpired, isNotFound, StreamError } from "@telltale/client";
import type { Trouble } from "./follow-state.ts";

/** The server shows a state older than one that it has shown before. */
export class Rewound extends Error {
  constructor(version: string, known: string) {
    super(`the server is at version ${version}, and has been at ${known} before`);
    this.name = "Rewound";
  }
}

/** A stream that should begin with a list does not. */
export class NoStreamedList extends Error {
  constructor(why: string) {
    super(`the server does not stream lists: ${why}`);
    this.name = "NoStreamedList";
  }
}

/** `streaming`: the error came while a stream had to bring a list. */
export function troubleOf(error: unknown, { streaming }: { readonly streaming: boolean }): Trouble {
  if (error instanceof Rewound) return "rewound";
  if (error instanceof NoStreamedList) return "unsupported";
  if (error instanceof StreamError) {
    if (error.fault === "oversized") return "garbled";
    return streaming && error.fault === "stalled" ? "unsupported" : error.fault;
  }
  if (error instanceof ConnectionError) return error.step === "body" ? "cut" : "failed";
  if (!(error instanceof ApiError)) return "failed";
  if (isExpired(error)) return "expired";
  if (isNotFound(error)) return "missing";
  if (error.causes.some(({ reason }) => reason === "ResourceVersionTooLarge")) return "rewound";
  if (streaming && [400, 405, 406, 422].includes(error.code)) return "unsupported";
  return passing.has(error.code) ? "failed" : "refused";
}

/** Who may not now may later, and who is too busy now is not later. */
const passing = new Set([401, 403, 408, 429, 502, 503, 504]);
