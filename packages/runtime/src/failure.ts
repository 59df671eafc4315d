// What a thrown error means for an object: one of the failure classes of `@telltale/status`.
import {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isTooManyRequests,
  TimeoutError,
} from "@telltale/client";
import { bugReason, type FailureClass } from "@telltale/kinds";
import { Failed, type Failure, failureOf, sanitize } from "@telltale/status";

/** The failure behind anything that a step threw. A refusal that nobody foresaw is tried again, and said aloud. */
export function failureFrom(thrown: unknown): Failure {
  const known = thrown instanceof Failed ? undefined : classOf(thrown);
  if (known === undefined) return failureOf(thrown);
  const retryAfter = thrown instanceof ApiError ? thrown.retryAfter : undefined;
  return {
    class: known,
    reason: bugReason,
    message: sanitize(wordsOf(thrown), { max: 1024, firstLineOnly: true, stable: true }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

function classOf(thrown: unknown): FailureClass | undefined {
  if (thrown instanceof ConnectionError || thrown instanceof TimeoutError) return "transient";
  if (!(thrown instanceof ApiError)) return undefined;
  if (isTooManyRequests(thrown)) return "throttled";
  if (isConflict(thrown) || isAlreadyExists(thrown)) return "conflict";
  if (isNotFound(thrown)) return "notFound";
  if (thrown.code === 403) return /exceeded quota/.test(thrown.message) ? "quota" : "denied";
  return thrown.code >= 500 || thrown.code === 401 || thrown.code === 410 ? "transient" : "bug";
}

/** The server's own words, without the path that was asked for. */
function wordsOf(thrown: unknown): string {
  if (thrown instanceof ApiError) return thrown.status.message ?? `the server answered ${thrown.code}`;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
