// The port to a Bindcar: one request, one answer. It repeats nothing, follows no redirect and judges no status code.
import type { Unreachable } from "./outcome.ts";

export interface Wire {
  /** Rejects with `Unreached` where no answer came, or with the signal's reason. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer>;
}

export interface WireRequest {
  /** `ip:port` of the pod. */
  readonly endpoint: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WireAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** No HTTP status was received. */
export class Unreached extends Error {
  readonly why: Unreachable;

  constructor(why: Unreachable) {
    super(`no answer of Bindcar: ${why}`);
    this.name = "Unreached";
    this.why = why;
  }
}

/** An answer is not read beyond this: a zone of some ten thousand records fits. */
export const maxAnswer = 32 * 1024 * 1024;
