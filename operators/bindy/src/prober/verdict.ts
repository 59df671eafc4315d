// What repeated answers of a pod's Bindcar come to: two failures in a row to turn bad, one success to recover (8.7). Pure.
import type { Instant, Ms } from "@telltale/kinds";
import type { Trouble } from "../bindcar/outcome.ts";
import type { Fault } from "../http-errors.ts";

export interface Verdict {
  readonly is: "unknown" | "good" | "failing";
  /** Failures in a row. */
  readonly failures: number;
  /** What failed last. */
  readonly fault?: Fault;
  /** When the verdict became this. */
  readonly since: Instant;
  /** Since when it answers nothing but "too many requests". */
  readonly limitedSince?: Instant;
  /** Another process found it, and our own answers do not suffice for it. */
  readonly isTaken?: true;
}

/** Until its first answer nothing is known of a pod. */
export const notAsked = (now: Instant): Verdict => ({ is: "unknown", failures: 0, since: now });

export const succeeded = (now: Instant): Verdict => ({ is: "good", failures: 0, since: now });

/** A new process starts from what another one has stored, until the pod answers it. */
export const found = (fault: Fault, now: Instant): Verdict => ({
  is: "failing",
  failures: 0,
  fault,
  since: now,
  isTaken: true,
});

/** It has turned out since that the other process had found it well again. */
export const givenUp = ({ failures }: Verdict, now: Instant): Verdict => ({ is: "good", failures, since: now });

/** A pod that is busy is not one that is broken, until it has been busy for so long. */
export const busyLimit: Ms = 300_000;

const patience = 2;

/** `isReady`: what the kubelet says. Where it also says no, one failure is enough. */
export function judged(before: Verdict, trouble: Trouble | undefined, about: About, now: Instant): Verdict {
  if (trouble === undefined) return succeeded(before.is === "good" ? before.since : now);
  if (trouble.at === "aborted") return before;
  const limitedSince = isBusy(trouble) ? (before.limitedSince ?? now) : undefined;
  if (limitedSince !== undefined && now - limitedSince < busyLimit) return { ...before, limitedSince };
  const failures = before.failures + 1;
  const fault: Fault = { trouble, ...(about.zone === undefined ? {} : { zone: about.zone }) };
  const isOwn = failures >= patience || !about.isReady || limitedSince !== undefined;
  const isFailing = before.is === "failing" || isOwn;
  return {
    is: isFailing ? "failing" : before.is,
    failures,
    fault,
    since: isFailing && before.is !== "failing" ? now : before.since,
    ...(limitedSince === undefined ? {} : { limitedSince }),
    ...(before.isTaken === true && !isOwn ? { isTaken: true } : {}),
  };
}

export interface About {
  readonly isReady: boolean;
  /** The zone that was asked for. */
  readonly zone?: string;
}

const isBusy = (trouble: Trouble): boolean => trouble.at === "answered" && trouble.status === 429;

/** Whether a person would see a difference. */
export function isNews(before: Verdict, after: Verdict): boolean {
  if (before.is !== after.is) return true;
  return after.is === "failing" && wordsOf(before.fault) !== wordsOf(after.fault);
}

/** All ways not to be reached read the same. */
function wordsOf(fault: Fault | undefined): string {
  if (fault === undefined) return "";
  const { trouble, zone = "" } = fault;
  return trouble.at === "answered" ? `${trouble.status} ${trouble.code ?? ""} ${zone}` : "unreachable";
}
