// How a call of a Bindcar ended. The mapping to reasons is in `http-errors.ts`.
import type { Ms } from "@telltale/kinds";
import type { FailureCode } from "./contract.ts";

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: Trouble };

export type Trouble =
  | Answered // Bindcar, or something before it, said no
  | { readonly at: "unreachable"; readonly why: Unreachable } // no HTTP status came
  | { readonly at: "aborted" }; // the caller gave up; it says nothing about the pod

export interface Answered {
  readonly at: "answered";
  readonly status: number;
  /** Of a 5xx of our own Bindcar. */
  readonly code?: FailureCode;
  /** Of a 429. */
  readonly retryAfter?: Ms;
}

export type Unreachable =
  | "refused"
  | "reset"
  | "timeout"
  | "no route"
  | "name not found"
  | "TLS error"
  | "malformed" // not HTTP, or no JSON where there has to be some
  | "failed";

export const answered = (trouble: Trouble | undefined, ...status: readonly number[]): boolean =>
  trouble?.at === "answered" && status.includes(trouble.status);
