// What is remembered of an image on one provider: an entry of `status.providerStatus`. What counts stands in its typed fields; its
// message is for people, and nothing is read from it.
import type { Random } from "@telltale/clock";
import { deepEqual, fnv1a32, formatTime, type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { cut, type SafeText, text } from "@telltale/status";
import { imageFailureReasons, type ProviderImageStatus, passingFailures } from "../kinds/index.ts";
import type { Failure } from "../link/failure.ts";
import { doubling, waitFor } from "../link/wait.ts";

/** Why a preparation ended badly, as a condition reports it. */
export const reasons = imageFailureReasons;
export type Reason = (typeof reasons)[number];
export type Passing = (typeof passingFailures)[number];

/**
 * How an image stands on one provider. `failures` are attempts that went wrong; `tries` are those within one attempt that nobody
 * answered, which are no failures.
 */
export type Standing =
  | { readonly is: "available" }
  | { readonly is: "importing"; readonly failures: number; readonly tries: number }
  | { readonly is: "failed"; readonly failures: number; readonly reason: Reason }
  | { readonly is: "unheard"; readonly failures: number; readonly tries: number; readonly failure: Failure }
  | { readonly is: "refused"; readonly failures: number; readonly reason: Reason };

/** The standing in a stored entry. One that another client wrote counts as begun. */
export function standingOf({ available, state, failedAttempts, tries, reason }: ProviderImageStatus): Standing {
  if (available) return { is: "available" };
  const failures = Math.max(0, failedAttempts ?? 0);
  const unanswered = Math.max(0, tries ?? 0);
  switch (state) {
    case "Failed":
      return { is: "failed", failures: Math.max(1, failures), reason: reasonOf(reason) };
    case "Unanswered":
      return { is: "unheard", failures, tries: Math.max(1, unanswered), failure: failureOf(reason) };
    case "Refused":
      return { is: "refused", failures: 0, reason: reasonOf(reason) };
    default:
      return { is: "importing", failures, tries: unanswered };
  }
}

export const isPrepared = ({ available, state }: ProviderImageStatus): boolean => available && state === "Prepared";
export const isReference = ({ state }: ProviderImageStatus): boolean => state === "Reference";

/** Its words, for a condition. */
export const wordsOf = ({ message = "" }: ProviderImageStatus): SafeText => text`${message}`;

const reasonOf = (word: string | undefined): Reason => reasons.find((reason) => reason === word) ?? "ProviderError";

/** What is no fault of the image, and passes. */
export const isPassing = (failure: Failure): failure is Passing =>
  passingFailures.some((passing) => passing === failure);

export const isUnheard = (entry: ProviderImageStatus | undefined): boolean =>
  entry !== undefined && standingOf(entry).is === "unheard";

const failureOf = (word: string | undefined): Failure =>
  passingFailures.find((passing) => passing === word) ?? "Unavailable";

function countsIn(entry: ProviderImageStatus | undefined): { readonly failures: number; readonly tries: number } {
  const standing = entry === undefined ? undefined : standingOf(entry);
  if (standing === undefined || standing.is === "available") return { failures: 0, tries: 0 };
  return { failures: standing.failures, tries: "tries" in standing ? standing.tries : 0 };
}

export const failuresIn = (entry: ProviderImageStatus | undefined): number => countsIn(entry).failures;

interface Where {
  readonly id?: string;
  readonly path?: string;
}

export const preparedEntry = (where: Where & { readonly size?: string }, now: Instant): ProviderImageStatus => ({
  available: true,
  state: "Prepared",
  ...where,
  message: "image prepared",
  lastUpdated: formatTime(now),
});

export function importingEntry(
  before: ProviderImageStatus | undefined,
  retries: number,
  where: Where,
  now: Instant,
): ProviderImageStatus {
  const { failures, tries } = countsIn(before);
  const message = `importing, attempt ${failures + 1} of ${retries + 1}${tries === 0 ? "" : `, try ${tries + 1}`}`;
  const next: ProviderImageStatus = {
    available: false,
    state: "Importing",
    ...countsAs(failures, tries),
    ...where,
    message,
  };
  const { lastUpdated: _, ...last } = before ?? {};
  return before !== undefined && deepEqual(last, next) ? before : { ...next, lastUpdated: formatTime(now) };
}

export function failedEntry(
  before: ProviderImageStatus | undefined,
  retries: number,
  reason: Reason,
  said: SafeText,
  now: Instant,
): ProviderImageStatus {
  const failures = failuresIn(before) + 1;
  const message = `attempt ${failures} of ${retries + 1} failed, ${reason}: ${said}`;
  return noted({ state: "Failed", reason, ...countsAs(failures, 0) }, message, now);
}

export function unheardEntry(
  before: ProviderImageStatus | undefined,
  retries: number,
  { failure, said }: { readonly failure: Passing; readonly said: SafeText },
  now: Instant,
): ProviderImageStatus {
  const { failures, tries } = countsIn(before);
  const message = `attempt ${failures + 1} of ${retries + 1}, try ${tries + 1}, ${failure}: ${said}`;
  return noted({ state: "Unanswered", reason: failure, ...countsAs(failures, tries + 1) }, message, now);
}

export const refusedEntry = (reason: Reason, said: SafeText, now: Instant): ProviderImageStatus =>
  noted({ state: "Refused", reason }, `refused, ${reason}: ${said}`, now);

const countsAs = (failedAttempts: number, tries: number) => ({
  ...(failedAttempts === 0 ? {} : { failedAttempts }),
  ...(tries === 0 ? {} : { tries }),
});

const maxMessageLength = 1024;
const noted = (
  fields: Pick<ProviderImageStatus, "state" | "reason" | "failedAttempts" | "tries">,
  message: string,
  now: Instant,
): ProviderImageStatus => ({
  available: false,
  ...fields,
  message: cut(message, maxMessageLength),
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
