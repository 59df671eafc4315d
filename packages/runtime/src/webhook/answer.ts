// What goes back: the HTTP code and the body, and the code under which it is counted.
import type { JsonObject } from "./json.ts";

export interface Answer {
  /** 200 for every review that was answered, whatever it says. */
  readonly status: number;
  readonly body: JsonObject;
  /** What it comes to: 200 allowed or converted, 4xx refused, 500 failed. */
  readonly code: number;
}

/** The request cannot be answered as what it claims to be. Says what is wrong with it. */
export class BadReview extends Error {
  readonly code: number;

  constructor(message: string, code = 400) {
    super(message);
    this.name = "BadReview";
    this.code = code;
  }
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "Timeout",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  500: "InternalError",
};

/** A refusal before any review: the body is a Status, whose message an API server passes on. */
export function refusal(code: number, message: string): Answer {
  return { status: code, body: { kind: "Status", apiVersion: "v1", metadata: {}, ...failure(code, message) }, code };
}

export function failure(code: number, message: string): JsonObject {
  const reason = reasons[code];
  return { status: "Failure", message, ...(reason === undefined ? {} : { reason }), code };
}
