// What is remembered of an image on one provider: an entry of `status.providerStatus`. How often something went wrong, and how, stands
// in its message: the definitions that people have installed have no other place for it, and so it is written with what it counts.
import type { Random } from "@telltale/clock";
import { fnv1a32, formatTime, type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { cut, type SafeText, text } from "@telltale/status";
import type { ProviderImageStatus } from "../kinds/index.ts";
import type { Failure } from "../link/failure.ts";
import { doubling, waitFor } from "../link/wait.ts";

export const prepared = "image prepared";
export const referenced = "reference";

/** Why a preparation ended badly, as a condition says it. */
export const reasons = ["ProviderError", "Timeout", "ChecksumMismatch", "Unsupported", "ValidationError"] as const;
export type Reason = (typeof reasons)[number];

/**
 * How an image stands on one provider. `failures` are attempts that went wrong; `tries` are those within one attempt that nobody
 * answered, which are no failures.
 */
export type Standing =
  | { readonly is: "available" }
  | { readonly is: "importing"; readonly failures: number; readonly tries: number }
  | { readonly is: "failed"; readonly failures: number; readonly reason: Reason; readonly said: SafeText }
  | ({ readonly is: "unheard"; readonly failures: number; readonly tries: number } & Unheard)
  | { readonly is: "refused"; readonly failures: number; readonly reason: Reason; readonly said: SafeText };

export interface Unheard {
  readonly failure: Failure;
  readonly said: SafeText;
}

const forms = {
  importing: /^importing, attempt (\d{1,4}) of \d+(?:, try (\d{1,9}))?$/,
  failed: /^attempt (\d{1,4}) of \d+ failed, ([A-Za-z]+): ([\s\S]*)$/,
  unheard: /^attempt (\d{1,4}) of \d+, try (\d{1,9}), ([A-Za-z]+): ([\s\S]*)$/,
  refused: /^refused, ([A-Za-z]+): ([\s\S]*)$/,
} as const;

/** The standing in a stored entry. One that somebody else wrote counts as begun. */
export function standingOf({ available, message = "" }: ProviderImageStatus): Standing {
  if (available) return { is: "available" };
  const failed = forms.failed.exec(message);
  if (failed !== null) {
    const [, count, reason, said = ""] = failed;
    return { is: "failed", failures: Number(count), reason: reasonOf(reason), said: text`${said}` };
  }
  const unheard = forms.unheard.exec(message);
  if (unheard !== null) {
    const [, count, tries, failure, said = ""] = unheard;
    const failures = Number(count) - 1;
    return { is: "unheard", failures, tries: Number(tries), failure: failureOf(failure), said: text`${said}` };
  }
  const refused = forms.refused.exec(message);
  if (refused !== null) {
    const [, reason, said = ""] = refused;
    return { is: "refused", failures: 0, reason: reasonOf(reason), said: text`${said}` };
  }
  const [, count = "1", tries = "1"] = forms.importing.exec(message) ?? [];
  return { is: "importing", failures: Number(count) - 1, tries: Number(tries) - 1 };
}

const reasonOf = (word: string | undefined): Reason => reasons.find((it) => it === word) ?? "ProviderError";

/** What is no fault of the image, and passes. */
const passing = ["Unavailable", "Timeout", "Retryable", "RateLimit", "Unauthorized", "QuotaExceeded"] as const;
export const isPassing = (failure: Failure): boolean => passing.some((it) => it === failure);

export const isUnheard = (entry: ProviderImageStatus | undefined): boolean =>
  entry !== undefined && standingOf(entry).is === "unheard";

const failureOf = (word: string | undefined): Failure => passing.find((it) => it === word) ?? "Unavailable";

function countsIn(entry: ProviderImageStatus | undefined): { readonly failures: number; readonly tries: number } {
  const standing = entry === undefined ? undefined : standingOf(entry);
  if (standing === undefined || standing.is === "available") return { failures: 0, tries: 0 };
  return { failures: standing.failures, tries: "tries" in standing ? standing.tries : 0 };
}

export const failuresIn = (entry: ProviderImageStatus | undefined): number => countsIn(entry).failures;

export function importingEntry(
  before: ProviderImageStatus | undefined,
  retries: number,
  where: { readonly id?: string; readonly path?: string },
  now: Instant,
): ProviderImageStatus {
  const { failures, tries } = countsIn(before);
  const message = `importing, attempt ${failures + 1} of ${retries + 1}${tries === 0 ? "" : `, try ${tries + 1}`}`;
  const isSame = before?.message === message && before.id === where.id && before.path === where.path;
  return isSame ? before : { available: false, ...where, message, lastUpdated: formatTime(now) };
}

export const failedEntry = (
  before: ProviderImageStatus | undefined,
  retries: number,
  reason: Reason,
  said: SafeText,
  now: Instant,
): ProviderImageStatus => noted(`attempt ${failuresIn(before) + 1} of ${retries + 1} failed, ${reason}: ${said}`, now);

export function unheardEntry(
  before: ProviderImageStatus | undefined,
  retries: number,
  { failure, said }: Unheard,
  now: Instant,
): ProviderImageStatus {
  const { failures, tries } = countsIn(before);
  return noted(`attempt ${failures + 1} of ${retries + 1}, try ${tries + 1}, ${failure}: ${said}`, now);
}

export const refusedEntry = (reason: Reason, said: SafeText, now: Instant): ProviderImageStatus =>
  noted(`refused, ${reason}: ${said}`, now);

const longest = 1024;
const noted = (message: string, now: Instant): ProviderImageStatus => ({
  available: false,
  message: cut(message, longest),
  lastUpdated: formatTime(now),
});

/** When the image may be tried on the provider again. `never`: not before the spec changes. */
export function dueAt(entry: ProviderImageStatus, retries: number, seed: string, now: Instant): Instant | "never" {
  const standing = standingOf(entry);
  if (standing.is === "available" || standing.is === "importing") return now;
  if (standing.is === "refused" || (standing.is === "failed" && standing.failures > retries)) return "never";
  const since = parseTime(entry.lastUpdated) ?? now;
  return plus(since, delayOf(standing, seed));
}

const second: Ms = 1_000;

function delayOf(standing: Extract<Standing, { is: "failed" | "unheard" }>, seed: string): Ms {
  if (standing.is === "failed") return doubling(30 * second, 600 * second, standing.failures);
  const { failure, tries } = standing;
  return waitFor({ failure }, tries, spread(`${seed} ${tries}`)) ?? 60 * second;
}

/** Chance that is the same after a restart: whoever looks again finds the same moment. */
const spread = (seed: string): Random => ({
  next: () => fnv1a32(seed) / 2 ** 32,
  bytes: (count) => new Uint8Array(count),
});
