// What telemetry has to say about a test: a pure function of what is stored, what was read, and the worker Job. It informs and
// never decides: no phase and no time of a test depends on it.
import { type Instant, instant, parseTime, plus } from "@telltale/kinds";
import type { Job } from "@telltale/kinds/builtin";
import type { Polled } from "@telltale/runtime";
import type { Telemetry } from "../config.ts";
import type { LocustTestStatus } from "../kinds/locust-test.ts";
import { classifyJob } from "../locust-test/jobs.ts";
import { type LoadLength, lengthOf, type MasterEnd, type Numbers, numbersOf, withoutUsers } from "./numbers.ts";
import type { LocustOptions } from "./options.ts";
import { type Read, verdictOf } from "./poller.ts";
import { isLoad, type Reading } from "./reading.ts";
import type { Sample } from "./sample.ts";
import type { Reach, Target } from "./target.ts";

export interface TelemetryInput {
  readonly stored: LocustTestStatus | undefined;
  readonly reach: Reach;
  readonly polled: Polled<Read> | undefined;
  readonly worker: Job | undefined;
  /** Names of the pods of the worker Job. */
  readonly workerPods: readonly string[];
  /** When pods of the worker Job failed. */
  readonly workerFailures?: readonly Instant[];
  /** When the container of the master first ran. */
  readonly masterStartedAt?: Instant | undefined;
  /** How the master Job ended, by its own account, where it has. */
  readonly end?: MasterEnd | undefined;
  readonly now: Instant;
  readonly config: Telemetry;
  readonly options: LocustOptions;
}

/** Numbers that are undefined are not in the status. */
export interface TelemetryView extends Numbers, Workers, WorkerHistory {
  readonly condition: TelemetryCondition;
  /** Load is made now. Without telemetry: the worker Job is active. */
  readonly isLoaded: boolean;
  /** `connectedWorkers` and `WorkersConnected` stay as they are: workers that leave now are not missing. */
  readonly isFrozen: boolean;
  /** The load was seen to stop before its time. */
  readonly endedEarly: boolean;
  readonly loadLength: LoadLength;
  /** Worker pods that the master misses. */
  readonly missingPods: readonly string[];
  /** When the Job's count of workers is used instead, if nothing is read until then. */
  readonly wakeAt?: Instant;
}

export interface Workers {
  readonly connectedWorkers: number;
  readonly workersSource: NonNullable<LocustTestStatus["workersSource"]>;
}

/** Undefined: the status has none. */
export interface WorkerHistory {
  readonly mostConnectedWorkers?: number;
  readonly lostWorkers?: number;
}

export interface TelemetryCondition {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: TelemetryReason;
  readonly message: string;
}

export type TelemetryReason = keyof typeof messages;

export function telemetryView(input: TelemetryInput): TelemetryView {
  const { reach, polled, config, options } = input;
  const stored = input.stored ?? {};
  if (stored.phase === "Succeeded" || stored.phase === "Failed")
    return asStored(stored, conditionOf(stored, reach, polled, options));

  const reading = readingOf(reach, polled);
  const numbers = numbersOf(stored, reading, options, config.interval);
  const endedEarly = isStoppedEarly(numbers, config);
  const freshness = freshnessOf(input, reading);
  const said = freshness.is === "stale" ? undefined : reading?.sample;
  const isLoaded = said === undefined ? classifyJob(input.worker) === "Active" : isLoad(said);
  const isFrozen = said === undefined ? haveLeft(input.worker) : isStopping(said, reading?.stops, numbers, input);
  const workers = isFrozen ? storedWorkers(stored) : workersOf(input, stored, reading, freshness.is);
  return {
    ...numbers,
    progress: freshness.is === "stale" ? withoutUsers(numbers.progress) : numbers.progress,
    ...workers,
    ...historyOf(input, stored, reading, said),
    condition: conditionOf(stored, reach, polled, options, freshness.is === "stale"),
    isLoaded,
    isFrozen,
    endedEarly,
    loadLength: lengthOf(numbers.progress, input.end, config.interval),
    missingPods: said?.missing.filter((host) => input.workerPods.includes(host)) ?? [],
    ...(freshness.is === "failing" && { wakeAt: freshness.until }),
  };
}

/** What was read of the present master, or of the last one, if it has ended. */
function readingOf(reach: Reach, polled: Polled<Read> | undefined): Reading | undefined {
  const reading = polled?.value;
  if (reach.at === "ended") return reading;
  return isTarget(reach) && reading?.master.uid === reach.master.uid ? reading : undefined;
}

const isTarget = (reach: Reach): reach is Target => reach.at === "address" || reach.at === "proxy";

/** Whether what was read can still be relied on. */
type Freshness =
  | { readonly is: "fresh" }
  | { readonly is: "failing"; readonly until: Instant } // nothing was read of late; it is stale by then
  | { readonly is: "stale" };

function freshnessOf({ reach, polled, stored, now, config }: TelemetryInput, reading?: Reading): Freshness {
  if (reach.at === "nowhere") return { is: "stale" };
  if (!isTarget(reach)) return { is: "fresh" };
  const verdict = verdictOf(polled);
  // After a restart: as it was left.
  if (polled === undefined) {
    const wasBad = conditionIn(stored)?.status === "False" && stored?.workersSource === "JobStatus";
    return { is: wasBad ? "stale" : "fresh" };
  }
  if (polled.failures === 0 && (reading === undefined || reading.workers?.at === reading.sample.at))
    return { is: "fresh" };
  const counted = reading === undefined ? parseTime(stored?.testResult?.sampleTime) : reading.workers?.at;
  const until = plus(instant(Math.max(counted ?? 0, reach.master.created)), config.stale);
  // One failure of a process that has just begun says little about the minutes before.
  const isCertain = reading !== undefined || typeof verdict === "object";
  if (now < until) return { is: "failing", until };
  return { is: isCertain ? "stale" : "fresh" };
}

function workersOf(
  { reach, worker }: TelemetryInput,
  stored: LocustTestStatus,
  reading: Reading | undefined,
  is: Freshness["is"],
): Workers {
  const { ready, active = 0 } = worker?.status ?? {};
  const byJob: Workers = { connectedWorkers: ready ?? active, workersSource: "JobStatus" };
  if (is === "stale") return byJob;
  // Nobody to connect to: whoever was connected is not any more, and nobody is before the first master.
  if (reach.at === "waiting") return storedWorkers(stored).connectedWorkers > 0 ? byJob : storedWorkers(stored);
  if (reading?.workers === undefined) return storedWorkers(stored);
  return { connectedWorkers: reading.workers.count, workersSource: "LocustAPI" };
}

const storedWorkers = ({ connectedWorkers = 0, workersSource = "JobStatus" }: LocustTestStatus): Workers => ({
  connectedWorkers,
  workersSource,
});

/**
 * A worker is lost where Locust counts fewer than before while there is load, or where there was still load after a pod of one had
 * failed: what fails at the end of a test is no loss. Where Locust is not read, the run time says how long there must have been load.
 */
function historyOf(
  { workerFailures = [], masterStartedAt, options }: TelemetryInput,
  { mostConnectedWorkers, lostWorkers, workersSource, connectedWorkers = 0, progress }: LocustTestStatus,
  reading: Reading | undefined,
  said: Sample | undefined,
): WorkerHistory {
  const known = mostConnectedWorkers ?? (workersSource === "LocustAPI" ? connectedWorkers : undefined);
  const isSameMaster = reading?.since === undefined;
  const before = isSameMaster ? known : undefined;
  const most = reading?.workers === undefined ? before : Math.max(before ?? 0, reading.workers.count);
  const hasLoad = said !== undefined && isLoad(said);
  const missing = hasLoad && said.workers !== undefined ? Math.max(0, (most ?? 0) - said.workers) : 0;
  const loadedUntil = hasLoad ? said.at : endOfLoad(reading, masterStartedAt, options);
  const loadedFrom = hasLoad ? (parseTime(progress?.loadStartTime) ?? reading?.loadAt) : masterStartedAt;
  const failed = workerFailures.filter((at) => {
    return loadedUntil !== undefined && loadedFrom !== undefined && at >= loadedFrom && at < loadedUntil;
  });
  const lost = Math.max(lostWorkers ?? 0, missing, failed.length);
  return {
    ...(most !== undefined && { mostConnectedWorkers: most }),
    ...((lost > 0 || lostWorkers !== undefined) && { lostWorkers: lost }),
  };
}

/** Before this moment a master that nobody reads cannot have ended its load as it should. */
function endOfLoad(
  reading: Reading | undefined,
  masterStartedAt: Instant | undefined,
  { runTimeSeconds }: LocustOptions,
): Instant | undefined {
  if (reading !== undefined || masterStartedAt === undefined || runTimeSeconds === undefined) return undefined;
  return plus(masterStartedAt, runTimeSeconds * 1000);
}

/**
 * While Locust stops, it removes each worker and takes it up again, so that the count dips to zero; and at the end of a good
 * test workers leave.
 */
function isStopping(
  { state, workers, missing }: Sample,
  stops: number | undefined,
  { progress }: Pick<Numbers, "progress">,
  { worker, options, config }: TelemetryInput,
): boolean {
  if (state === "stopping" || (state === "stopped" && stops === 1)) return true;
  const isGood = state !== "spawning" && state !== "running" && !isStoppedEarly({ progress }, config);
  if (["Succeeded", "Settling"].includes(classifyJob(worker))) return isGood;
  // The master has told all of them to quit, and follows within a second. Who got lost would still be listed as missing.
  const isOver = state === "stopped" && progress?.duration !== undefined && options.runTimeSeconds !== undefined;
  return isGood && isOver && workers === 0 && missing.length === 0;
}

/** By the Job alone: once one worker has ended well, the others follow. */
function haveLeft(worker: Job | undefined): boolean {
  const { succeeded = 0, uncountedTerminatedPods } = worker?.status ?? {};
  const isLeaving = succeeded > 0 || (uncountedTerminatedPods?.succeeded ?? []).length > 0;
  return isLeaving || ["Succeeded", "Settling"].includes(classifyJob(worker));
}

/** By what was seen alone: a load that still ran when it was last read has not stopped. */
const isStoppedEarly = ({ progress }: Pick<Numbers, "progress">, { interval }: Telemetry): boolean =>
  lengthOf(progress, undefined, interval) === "short";

function conditionOf(
  stored: LocustTestStatus,
  reach: Reach,
  polled: Polled<Read> | undefined,
  { login }: LocustOptions,
  isByJob = false,
): TelemetryCondition {
  const kept = conditionIn(stored) ?? saying("WaitingForMaster");
  const instead = isByJob ? "connectedWorkers counts ready worker pods" : undefined;
  if (reach.at === "nowhere") {
    const what = reach.reason === "MasterUnreachable" ? "it listens on loopback only" : undefined;
    return saying(reach.reason, what, instead);
  }
  if (reach.at === "waiting") return saying("WaitingForMaster");
  if (reach.at === "ended") return kept.status === "False" ? kept : saying("MasterEnded");
  const verdict = verdictOf(polled);
  if (verdict === "good") return saying("Polling");
  if (verdict === "open") return kept;
  // A login that the test has not set up answers with a page of complaints.
  const isLogin = login && verdict.reason === "InvalidResponse";
  return saying(isLogin ? "AuthenticationRequired" : verdict.reason, verdict.what, instead);
}

const messages = {
  WaitingForMaster: "Master pod is not running yet",
  Polling: "Reading the Locust web API",
  MasterUnreachable: "The Locust web API does not answer",
  AuthenticationRequired: "The Locust web API asks for a login",
  PermissionDenied: "The API server does not let the operator reach the Locust web API",
  InvalidResponse: "The Locust web API does not answer with statistics",
  WebUIDisabled: "The test runs without a web API",
  Disabled: "Telemetry is switched off",
  MasterEnded: "The master has ended, and its web API is not read any more",
  TestFinished: "The test is over, and its web API is not read any more",
  ReadFailed: "Where the master is could not be read",
} as const;

const open: readonly TelemetryReason[] = ["WaitingForMaster", "MasterEnded", "TestFinished", "ReadFailed"];

/** `what`: the class of error; `instead`: what is done without the web API. */
export function saying(reason: TelemetryReason, what?: string, instead?: string): TelemetryCondition {
  const status = reason === "Polling" ? "True" : open.includes(reason) ? "Unknown" : "False";
  const cause = what === undefined ? messages[reason] : `${messages[reason]}: ${what}`;
  return { status, reason, message: instead === undefined ? cause : `${cause}; ${instead}` };
}

function conditionIn(stored: LocustTestStatus | undefined): TelemetryCondition | undefined {
  const found = stored?.conditions?.find(({ type }) => type === "TelemetryAvailable");
  if (found === undefined || !(found.reason in messages)) return undefined;
  const reason = found.reason as TelemetryReason;
  // Somebody else has put another one in its place.
  if (found.status !== saying(reason).status) return undefined;
  return { status: found.status, reason, message: found.message ?? "" };
}

function asStored(stored: LocustTestStatus, condition: TelemetryCondition): TelemetryView {
  return {
    testResult: stored.testResult,
    progress: stored.progress,
    ...storedWorkers(stored),
    ...(stored.mostConnectedWorkers !== undefined && { mostConnectedWorkers: stored.mostConnectedWorkers }),
    ...(stored.lostWorkers !== undefined && { lostWorkers: stored.lostWorkers }),
    condition: conditionIn(stored) ?? condition,
    isLoaded: false,
    isFrozen: true,
    endedEarly: false,
    loadLength: "unknown",
    missingPods: [],
  };
}
