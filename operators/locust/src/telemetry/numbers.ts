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
  const start = before.progress?.loadStartTime === undefined ? startOf(reading) : startIn(before.progress);
  const hasLoad = start.loadStartTime !== undefined || before.testResult !== undefined || hasRequests(reading.sample);
  if (!hasLoad) {
    const plan = planned(reading.sample, options);
    return { testResult: undefined, progress: Object.keys(plan).length === 0 ? undefined : plan };
  }
  return {
    testResult: resultOf(before.testResult, reading.sample),
    progress: progressOf(before.progress, reading, start, options, interval),
  };
}

/** The stored numbers are of a master that was there before: nothing of them is taken over, nothing is added to them. */
function isOfAnother({ testResult, progress }: LocustTestStatus, { master, since }: Reading): boolean {
  const begun = Math.max(master.created, since ?? master.created);
  const stored = parseTime(progress?.loadStartTime ?? testResult?.sampleTime);
  return stored !== undefined && stored < Math.floor(begun / 1000) * 1000;
}

type Start = Pick<Progress, "loadStartTime" | "loadStartNotBefore">;

/** Never before the pod was made, whatever our own clock says: else the next pass would take it for another one's. */
function startOf({ loadAt, loadNotBefore, master }: Reading): Start {
  if (loadAt === undefined) return {};
  const at = instant(Math.max(loadAt, master.created));
  const notBefore = instant(Math.min(at, Math.max(loadNotBefore ?? master.created, master.created)));
  return { loadStartTime: formatTime(at), loadStartNotBefore: formatTime(notBefore) };
}

const startIn = ({ loadStartTime, loadStartNotBefore }: Progress): Start => ({
  ...(loadStartTime !== undefined && { loadStartTime }),
  ...(loadStartNotBefore !== undefined && { loadStartNotBefore }),
});

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
  start: Start,
  options: LocustOptions,
  interval: Ms,
): Progress {
  const { sample } = reading;
  const runTime = runTimeOf(options);
  const seen = elapsedOf(before, reading, parseTime(start.loadStartTime));
  const isWhole = isEnd(sample) && seen !== undefined && isWholeOf(seen, runTime, slackOf(start, interval));
  const elapsed = isWhole ? Math.max(seen, runTime ?? 0) : seen;
  const currentUsers = sample.users ?? before?.currentUsers;
  return {
    ...planned(sample, options),
    ...(currentUsers !== undefined && { currentUsers }),
    ...(elapsed !== undefined && { duration: formatGoDuration(elapsed) }),
    ...(elapsed !== undefined && runTime !== undefined && { percent: percentOf(elapsed, runTime) }),
    ...start,
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

const percentOf = (elapsed: Ms, runTime: Ms): number => Math.min(100, Math.floor((100 * elapsed) / runTime));

/** How much earlier than it was seen the load may have begun. */
function slackOf({ loadStartTime, loadStartNotBefore }: Start, interval: Ms): Ms {
  const [first, seen] = [parseTime(loadStartNotBefore), parseTime(loadStartTime)];
  return first === undefined || seen === undefined ? 2 * interval : seen - first;
}

/** Shorter than it should have been, whenever the load began. Times have lost their milliseconds. */
const isShort = (elapsed: Ms, runTime: Ms, slack: Ms): boolean => elapsed + slack < runTime - 1000;

const isWholeOf = (elapsed: Ms, runTime: Ms | undefined, slack: Ms): boolean =>
  runTime !== undefined && !isShort(elapsed, runTime, slack);

/**
 * How long load ran, against its run time. By what the status says, so that a restart forgets nothing.
 * - `unknown`: there is no run time, or no load was seen
 * - `whole`: it ended when its time was up, as far as samples tell that have some time between them
 * - `short`: it was seen to end before its time, or the master ended before it
 * - `unseen`: it ran when it was last read, before its time
 */
export type LoadLength = "unknown" | "whole" | "short" | "unseen";

/** How the master ended. */
export interface MasterEnd {
  readonly at: Instant;
  /** One that failed may have made no load at its end. */
  readonly hasFailed: boolean;
}

export function lengthOf(progress: Progress | undefined, end: MasterEnd | undefined, interval: Ms): LoadLength {
  const { state, duration, runTime } = progress ?? {};
  const elapsed = parseGoDuration(duration ?? "");
  const whole = parseGoDuration(runTime ?? "");
  const start = parseTime(progress?.loadStartTime);
  if (progress === undefined || elapsed === undefined || whole === undefined || start === undefined) return "unknown";
  const slack = slackOf(progress, interval);
  if (state === "stopping" || state === "stopped") return isShort(elapsed, whole, slack) ? "short" : "whole";
  if (state !== "spawning" && state !== "running") return "unknown";
  if (elapsed >= whole) return "whole";
  if (end === undefined) return "unseen";
  if (isShort(end.at - start, whole, slack)) return "short";
  return !end.hasFailed && elapsed >= whole - 2 * interval ? "whole" : "unseen";
}

/** How many users there are now is not known. */
export function withoutUsers(progress: Progress | undefined): Progress | undefined {
  if (progress === undefined) return undefined;
  const { currentUsers: _, ...others } = progress;
  return others;
}

/** Progress as a test leaves it: a load that was as long as it should be is complete, and as long as it was otherwise. */
export function finishedProgress(seen: Progress | undefined, length: LoadLength): Progress | undefined {
  // Users of a load that was not seen to end are gone with the test.
  const progress = seen?.state === "spawning" || seen?.state === "running" ? withoutUsers(seen) : seen;
  if (length !== "whole" || progress?.runTime === undefined) return progress;
  const [ran = 0, runTime = 0] = [progress.duration, progress.runTime].map((text = "") => parseGoDuration(text));
  return { ...progress, duration: formatGoDuration(Math.max(ran, runTime)), percent: 100 };
}
