// When a creation that failed is tried again, out of what is stored: the record counts attempts and has the time of the last, and
// `Ready` says why it failed (E1). Pure.
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import type { EffectRecord } from "@telltale/runtime";

/** After so many attempts it has failed, until the spec changes. */
export const createLimit = 10;

export function createBackoff({ at, attempt }: EffectRecord, reason: string | undefined): Instant | undefined {
  const since = parseTime(at);
  return since === undefined ? undefined : plus(since, wait(reason, attempt));
}

function wait(reason: string | undefined, attempt: number): Ms {
  if (reason === "Unauthorized" || reason === "NameConflict" || reason === "ProviderUnreachable") return minute;
  const first = reason === "QuotaExceeded" ? minute : minute / 2;
  return Math.min(first * 2 ** (attempt - 1), 10 * minute);
}

const minute: Ms = 60_000;
