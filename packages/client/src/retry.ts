// Whether a request may be sent again, and when. Pure: what happened goes in, a delay or nothing comes out.
import { jitter, type Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

/** What a second copy of a request could do. */
export type Safety =
  | "safe" // it changes nothing
  | "guarded" // it has a precondition: the second copy is refused, or changes nothing more
  | "unsafe"; // it could act twice

/** How an attempt ended without success. */
export type Outcome =
  | { readonly at: "answered"; readonly code: number; readonly retryAfter?: Ms }
  | { readonly at: "unsent" } // it never left: no socket, no handshake
  | { readonly at: "unknown" }; // it may have left, and nobody knows what became of it

export interface Budget {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** From the first attempt to the start of the last one. */
  readonly total: Ms;
  /** The first pause; each further one is twice as long, up to `longest`. */
  readonly first: Ms;
  readonly longest: Ms;
}

export const defaultBudget: Budget = { attempts: 5, total: 20_000, first: 100, longest: 5_000 };

export interface Attempted {
  readonly safety: Safety;
  readonly outcome: Outcome;
  /** Attempts so far, this one included. */
  readonly attempts: number;
  /** Since the first one began. */
  readonly elapsed: Ms;
}

/** How long to wait before the next attempt, or undefined when there is none. */
export function nextDelay(attempted: Attempted, budget: Budget, random: Random): Ms | undefined {
  const { safety, outcome, attempts, elapsed } = attempted;
  if (!mayRepeat(safety, outcome) || attempts >= budget.attempts) return undefined;
  const pause = jitter(random, Math.min(budget.longest, budget.first * 2 ** (attempts - 1)), 0.5);
  const asked = outcome.at === "answered" ? (outcome.retryAfter ?? 0) : 0;
  // Whoever was told the same second to come back is spread out after it, never before.
  const delay = asked + pause;
  return elapsed + delay > budget.total ? undefined : delay;
}

/** The rule: what certainly was not done may be tried again, anything else only where a second copy does no harm. */
export function mayRepeat(safety: Safety, outcome: Outcome): boolean {
  switch (outcome.at) {
    case "unsent":
      return true;
    case "unknown":
      return safety !== "unsafe";
    case "answered":
      if (outcome.code === 429) return true; // refused at the door
      return safety !== "unsafe" && [500, 502, 503, 504].includes(outcome.code);
  }
}

export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** What a second copy of a JSON Patch could do. */
export function safetyOfJsonPatch(operations: readonly JsonPatchOperation[]): Safety {
  const tests = operations.filter(({ op }) => op === "test");
  if (tests.some(({ path }) => path === "/metadata/resourceVersion")) return "guarded";
  return tests.length > 0 && operations.every(sameTwice) ? "guarded" : "unsafe";
}

/** An operation that names a place in a list, or moves a value, does something else the second time. */
function sameTwice({ op, path }: JsonPatchOperation): boolean {
  if (op === "test" || op === "replace") return true;
  return (op === "add" || op === "remove") && !/\/(-|\d+)$/.test(path);
}

/** What a second copy of a written object could do: with a version or a uid it fits one object only. */
export function safetyOfObject(object: { readonly metadata?: unknown }): Safety {
  const { resourceVersion, uid } = (object.metadata ?? {}) as { resourceVersion?: unknown; uid?: unknown };
  return isText(resourceVersion) || isText(uid) ? "guarded" : "unsafe";
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** `Retry-After`: seconds, or a date. */
export function parseRetryAfter(value: string | undefined, now: number): Ms | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
