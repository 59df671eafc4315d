// What is known of a master from its answers so far: the newest sample, and what earlier ones said that it does not. It is kept
// in memory only; the status has what must outlive the process.
import type { Instant, Ms } from "@telltale/kinds";
import type { Sample } from "./sample.ts";
import type { Master } from "./target.ts";

export interface Reading {
  readonly master: Master;
  /** When this master was first read, where another one was read before. */
  readonly since?: Instant;
  readonly sample: Sample;
  /** The newest count of workers: an answer may be without one. */
  readonly workers?: { readonly count: number; readonly at: Instant };
  /** When load was first seen. */
  readonly loadAt?: Instant;
  /** The last moment at which this master is known to have made none: an earlier sample, or its creation. */
  readonly loadNotBefore?: Instant;
  /** When load was first seen to have ended. Undone by new load. */
  readonly endAt?: Instant;
  /** How many samples in a row said `stopped`. */
  readonly stops: number;
  /** The runner has just begun to stop, or has just stopped: the last reports of workers are still to come. */
  readonly isTurning: boolean;
  /** Worth a pass. */
  readonly isNews: boolean;
  /** The last sample that was worth one. */
  readonly told: Sample;
}

/** Between two passes for the sake of telemetry. */
const leastSpacing: Ms = 2_000;

export function nextReading(before: Reading | undefined, master: Master, sample: Sample, statusInterval: Ms): Reading {
  const last = before?.master.uid === master.uid ? before : undefined;
  const since = last === undefined && before !== undefined ? sample.at : last?.since;
  const workers = sample.workers === undefined ? last?.workers : { count: sample.workers, at: sample.at };
  const loadAt = last?.loadAt ?? (isLoad(sample) ? sample.at : undefined);
  const loadNotBefore = last?.loadAt === undefined ? (last?.sample.at ?? master.created) : last.loadNotBefore;
  const endAt = isLoad(sample) ? undefined : (last?.endAt ?? (isEnd(sample) ? sample.at : undefined));
  const isTurning = isEnd(sample) && last?.sample.state !== sample.state;
  const isNews = last === undefined || isWorthAPass(last, sample, statusInterval);
  return {
    master,
    ...(since !== undefined && { since }),
    sample,
    ...(workers !== undefined && { workers }),
    ...(loadAt !== undefined && { loadAt }),
    ...(loadAt !== undefined && loadNotBefore !== undefined && { loadNotBefore }),
    ...(endAt !== undefined && { endAt }),
    stops: sample.state === "stopped" ? (last?.stops ?? 0) + 1 : 0,
    isTurning,
    isNews,
    told: isNews ? sample : (last?.told ?? sample),
  };
}

/** No answer was asked for: there is nobody to ask. */
export function heldReading(before: Reading | undefined): Reading | undefined {
  return before === undefined ? undefined : { ...before, isTurning: false, isNews: false };
}

export const isLoad = ({ state }: Sample): boolean => state === "spawning" || state === "running";

export const isEnd = ({ state }: Sample): boolean => state === "stopping" || state === "stopped";

function isWorthAPass({ told, isTurning }: Reading, sample: Sample, statusInterval: Ms): boolean {
  const passed = sample.at - told.at;
  if (passed < leastSpacing && passed >= 0) return false;
  if (told.workers !== sample.workers || told.state !== sample.state) return true;
  // While there is load, its length is a number that changes.
  const isChanged = isLoad(sample) || JSON.stringify(numbersOf(told)) !== JSON.stringify(numbersOf(sample));
  // The sample after a turn has what the last workers reported: these numbers are the final ones.
  return isChanged && (passed >= statusInterval || passed < 0 || isTurning);
}

const numbersOf = ({ users, totals, rate }: Sample) => [users, totals, rate];
