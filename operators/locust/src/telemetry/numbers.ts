// From what a master said to the numbers of the status: results and progress. Pure, and without the time of day: a pass at
// another moment says the same.
import {
  deepEqual,
  formatGoDuration,
  formatTime,
  type Instant,
  instant,
  type Ms,
  parseGoDuration,
  parseTime,
} from "@telltale/kinds";
import type { LocustTestStatus } from "../kinds/locust-test.ts";
import type { LocustOptions } from "./options.ts";
import { isEnd, isLoad, type Reading } from "./reading.ts";
import type { Sample } from "./sample.ts";

export type TestResult = NonNullable<LocustTestStatus["testResult"]>;
export type Progress = NonNullable<LocustTestStatus["progress"]>;

/** Undefined: the status has none. */
export interface Numbers {
  readonly testResult: TestResult | undefined;
  readonly progress: Progress | undefined;
}

export function numbersOf(
  stored: LocustTestStatus,
  reading: Reading | undefined,
  options: LocustOptions,
  interval: Ms,
): Numbers {
  const { testResult, progress } = stored;
  if (reading === undefined) return { testResult, progress };
  const before = isOfAnother(stored, reading) ? {} : { testResult, progress };
  const loadStart = before.progress?.loadStartTime ?? startOf(reading);
  const hasLoad = loadStart !== undefined || before.testResult !== undefined || hasRequests(reading.sample);
  if (!hasLoad) {
    const plan = planned(reading.sample, options);
    return { testResult: undefined, progress: Object.keys(plan).length === 0 ? undefined : plan };
  }
  return {
    testResult: resultOf(before.testResult, reading.sample),
    progress: progressOf(before.progress, reading, loadStart, options, interval),
  };
}

/** The stored numbers are of a master that was there before: nothing of them is taken over, nothing is added to them. */
function isOfAnother({ testResult, progress }: LocustTestStatus, { master, since }: Reading): boolean {
  const begun = Math.max(master.created, since ?? master.created);
  const stored = parseTime(progress?.loadStartTime ?? testResult?.sampleTime);
  return stored !== undefined && stored < Math.floor(begun / 1000) * 1000;
}

/** Never before the pod was made, whatever our own clock says: else the next pass would take it for another one's. */
function startOf({ loadAt, master }: Reading): string | undefined {
  return loadAt === undefined ? undefined : formatTime(instant(Math.max(loadAt, master.created)));
}

const hasRequests = ({ totals }: Sample): boolean => (totals?.requests ?? 0) > 0;

/** What can be said before there is load. */
function planned({ state }: Sample, { users, ...options }: LocustOptions): Progress {
  const runTime = runTimeOf(options);
  return {
    ...(users !== undefined && { targetUsers: users }),
    ...(runTime !== undefined && { runTime: formatGoDuration(runTime) }),
    ...(state !== undefined && state !== "missing" && { state }),
  };
}

function resultOf(before: TestResult | undefined, sample: Sample): TestResult | undefined {
  const { totals, rate, state } = sample;
  if (totals === undefined) return before;
  const isReset = totals.requests === 0 && totals.failures === 0 && (state === "stopped" || state === "ready");
  if (isReset && before !== undefined && before.totalRequests + before.failedRequests > 0) return before;
  const totalRequests = totals.requests ?? before?.totalRequests;
  const failedRequests = totals.failures ?? before?.failedRequests;
  if (totalRequests === undefined || failedRequests === undefined) return before;
  const averageResponseTime = totals.average ?? before?.averageResponseTime;
  const requestsPerSecond = rate ?? before?.requestsPerSecond;
  const next: TestResult = {
    totalRequests,
    failedRequests,
    ...(averageResponseTime !== undefined && { averageResponseTime }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    sampleTime: formatTime(sample.at),
    final: isEnd(sample),
  };
  // When all is over, the same numbers a little later are no news.
  const isSame = before !== undefined && deepEqual(next, { ...before, sampleTime: next.sampleTime });
  return isSame && !isLoad(sample) ? before : next;
}

function progressOf(
  before: Progress | undefined,
  reading: Reading,
  loadStartTime: string | undefined,
  options: LocustOptions,
  interval: Ms,
): Progress {
  const { sample } = reading;
  const elapsed = elapsedOf(before, reading, parseTime(loadStartTime));
  const runTime = runTimeOf(options);
  const currentUsers = sample.users ?? before?.currentUsers;
  return {
    ...planned(sample, options),
    ...(currentUsers !== undefined && { currentUsers }),
    ...(elapsed !== undefined && { duration: formatGoDuration(elapsed) }),
    ...(elapsed !== undefined && runTime !== undefined && { percent: percentOf(elapsed, runTime, sample, interval) }),
    ...(loadStartTime !== undefined && { loadStartTime }),
  };
}

/** How long there has been load: by the clock of samples while there is some, and what it was when there is none any more. */
function elapsedOf(before: Progress | undefined, { sample, endAt }: Reading, start?: Instant): Ms | undefined {
  if (start === undefined) return undefined;
  const known = parseGoDuration(before?.duration ?? "") ?? 0;
  const wasLoad = before?.duration === undefined || before.state === "spawning" || before.state === "running";
  if (!wasLoad && !isLoad(sample)) return known;
  // A clock that was put back does not make it shorter.
  return Math.max(known, Math.floor((endAt ?? sample.at) / 1000) * 1000 - start);
}

const runTimeOf = ({ runTimeSeconds }: Pick<LocustOptions, "runTimeSeconds">): Ms | undefined =>
  runTimeSeconds === undefined ? undefined : runTimeSeconds * 1000;

function percentOf(elapsed: Ms, runTime: Ms, sample: Sample, interval: Ms): number {
  if (isEnd(sample) && !isShort(elapsed, runTime, interval)) return 100;
  return Math.min(100, Math.floor((100 * elapsed) / runTime));
}

/** Shorter than it should have been, by more than what polling may have missed. */
const isShort = (elapsed: Ms, runTime: Ms, interval: Ms): boolean => elapsed < runTime - 2 * interval;

/** Whether load ended, or was last seen, long before its time was up. By what the status says, so that a restart forgets nothing. */
export function shortfall(progress: Progress | undefined, interval: Ms): "none" | "endedEarly" | "inFullSwing" {
  const { state, duration, runTime } = progress ?? {};
  const elapsed = parseGoDuration(duration ?? "");
  const whole = parseGoDuration(runTime ?? "");
  if (elapsed === undefined || whole === undefined || !isShort(elapsed, whole, interval)) return "none";
  if (state === "stopping" || state === "stopped") return "endedEarly";
  return state === "spawning" || state === "running" ? "inFullSwing" : "none";
}

/** Progress as a test leaves it: one that succeeded is complete, where it is known what complete means. */
export function finishedProgress(progress: Progress | undefined, phase: "Succeeded" | "Failed"): Progress | undefined {
  const isKnown = progress?.runTime !== undefined && progress.duration !== undefined;
  return isKnown && phase === "Succeeded" ? { ...progress, percent: 100 } : progress;
}
