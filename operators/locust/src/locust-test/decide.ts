// What a test comes to, given what is seen: the rows of the transition table in their order of precedence. Pure.
import { type Instant, instant, parseTime, plus } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { appliedSpecHashAnnotation, nodeName } from "../build/index.ts";
import type { LocustTestStatus } from "../kinds/locust-test.ts";
import { latest } from "../moments.ts";
import type { TelemetryView } from "../telemetry/view.ts";
import { interruption } from "./interruption.ts";
import { bornAt, endedAt, jobPods } from "./job-pods.ts";
import {
  advance,
  classifyJob,
  derivePhaseFromJob,
  failedAt,
  failureCause,
  failuresOf,
  isFinal,
  isTerminating,
  type JobState,
  type Phase,
  reasonOf,
  resumedAt,
} from "./jobs.ts";
import { type PodHealth, podHealth, type ShortOfPods } from "./pod-health.ts";
import { lastOf, madeFrom, objectOf, type World } from "./world.ts";

/** What is done with a test. */
export type Decision =
  | { readonly is: "over" } // it was final before
  | { readonly is: "unread"; readonly cause: string } // what is there is not known
  | { readonly is: "succeed"; readonly job: Job }
  | { readonly is: "fail"; readonly by: "job"; readonly cause: string; readonly job: Job }
  | { readonly is: "fail"; readonly by: "operator"; readonly cause: string }
  | { readonly is: "recreate" } // the master Job was deleted, and the policy is to begin again
  | { readonly is: "suspended" }
  | { readonly is: "goOn"; readonly wakeAt?: Instant | undefined };

export interface Facts {
  readonly status: LocustTestStatus;
  /** As it is stored, or as the master Job has it since then. */
  readonly phase: Phase;
  readonly master: JobState;
  readonly worker: JobState;
  /** All resources have existed at the same time once. */
  readonly isCreated: boolean;
  readonly isStarted: boolean;
  readonly health: PodHealth;
  /** Jobs with fewer pods than they need. */
  readonly short: readonly ShortOfPods[];
}

export function factsOf(world: World, now: Instant): Facts {
  const { test, config } = world;
  const status: LocustTestStatus = test.status ?? {};
  const master = classifyJob(objectOf(world.master));
  const worker = classifyJob(objectOf(world.worker));
  const short = shortOfPods(world);
  const health = podHealth(
    {
      pods: [...world.pods.master, ...workersThatCount(world)],
      complaints: world.complaints,
      unreadEvents: world.unreadEvents,
      short,
      grace: config.timers.podStartupGrace,
      configMap: test.spec.testFiles?.configMapRef ?? test.spec.testFiles?.libConfigMapRef,
      main: [nodeName(nameOf(test), "master"), nodeName(nameOf(test), "worker")],
      areJobsFinal: isFinal(master) && isFinal(worker),
    },
    now,
  );
  return {
    status,
    phase: advance(status.phase, derivePhaseFromJob(objectOf(world.master))),
    master,
    worker,
    isCreated: status.appliedGeneration !== undefined || madeFrom(world) !== undefined,
    isStarted: status.startTime !== undefined || ["Active", "Settling", "Succeeded", "Failed"].includes(master),
    health,
    short,
  };
}

/** Jobs that have not created all pods that they need, or whose pods have ended and are not replaced. */
function shortOfPods(world: World): readonly ShortOfPods[] {
  return (["master", "worker"] as const).flatMap((role) => {
    const job = objectOf(world[role]);
    if (job === undefined) return [];
    const counts = jobPods(job, world.pods[role]);
    if (counts.expected === 0 || counts.live >= counts.expected) return [];
    return [{ ...counts, refusal: world.complaints.get(job.metadata?.uid ?? "")?.message }];
  });
}

/** A worker that failed is no problem any more once another one is there in its place. */
function workersThatCount({ worker, pods }: World): readonly Pod[] {
  const others = pods.worker.filter((pod) => pod.status?.phase !== "Failed");
  const expected = objectOf(worker)?.spec?.parallelism ?? 1;
  return others.filter((pod) => !isTerminating(pod)).length >= expected ? others : pods.worker;
}

export function decide(world: World, facts: Facts, now: Instant): Decision {
  const { status } = facts;
  if (status.phase === "Succeeded" || status.phase === "Failed") return { is: "over" };
  if (world.unread !== undefined) return { is: "unread", cause: world.unread };
  return (
    refused(world, facts) ??
    ended(world, facts) ??
    uncreatable(world, facts, now) ??
    lost(world, facts) ??
    halted(facts) ??
    workless(world, facts, now) ??
    stuck(world, facts, now) ?? { is: "goOn" }
  );
}

/** T05 */
function refused(world: World, { isCreated }: Facts): Decision | undefined {
  const isMade = [world.service, world.master, world.worker].some(({ is }) => is === "ours");
  if (world.invalid.length === 0 || isCreated || isMade) return undefined;
  return operator(`invalid LocustTest: ${world.invalid.join("; ")}`);
}

/** T13, T14, T17, T18, T20, T26: the master's own result. */
function ended(world: World, { master, status }: Facts): Decision | undefined {
  const known = master === "Absent" ? lastOf(world, "master") : objectOf(world.master);
  if (known === undefined) return undefined;
  const state = classifyJob(known);
  if (state === "Succeeded") return completed(world, known);
  if (state !== "Failed") return undefined;
  const { testResult = status.testResult } = world.telemetry;
  const requests =
    testResult === undefined ? undefined : { failed: testResult.failedRequests, total: testResult.totalRequests };
  const cause = failureCause(known, world.pods.master, nodeName(nameOf(world.test), "master"), requests);
  return { is: "fail", by: "job", cause, job: known };
}

/** The master ended well: whether that is enough is for the spec to say. */
function completed(world: World, job: Job): Decision {
  const cut = world.test.spec.successCriteria === "FullLoad" ? interruption(world) : undefined;
  return cut === undefined ? { is: "succeed", job } : { is: "fail", by: "job", cause: cut, job };
}

/** T04 */
function uncreatable(world: World, facts: Facts, now: Instant): Decision | undefined {
  const trouble = troubleOf(world, facts);
  if (trouble === undefined) return undefined;
  const fail = operator(`could not create ${trouble.cause}`);
  if (trouble.isHopeless) return fail;
  const limit = giveUpAt(world, facts);
  return limit !== undefined && now >= limit ? fail : undefined;
}

/** When making resources has failed for too long. The time for which a test was suspended is not counted. */
export function giveUpAt(world: World, { status, master, worker }: Facts): Instant | undefined {
  if (master === "Suspended" || worker === "Suspended") return undefined;
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  const isCreation = ready?.status === "False" && ready.reason !== "WaitingForPods";
  const told = isCreation ? parseTime(ready.lastTransitionTime) : undefined;
  if (told === undefined) return undefined;
  // Whoever told it may have had a clock that was behind: it is no longer ago than the test itself, by the server's clock.
  const since = instant(Math.max(told, parseTime(world.test.metadata.creationTimestamp) ?? told));
  const resumed = [world.master, world.worker].map((it) => resumedAt(objectOf(it)) ?? since);
  return plus(instant(Math.max(since, ...resumed)), world.config.timers.resourceCreationTimeout);
}

/** What keeps resources from being there. */
export interface Trouble {
  readonly is: "failed" | "waiting";
  /** For `Ready`. */
  readonly text: string;
  /** What could not be made, and why. */
  readonly cause: string;
  readonly isHopeless: boolean;
}

export function troubleOf(world: World, { isCreated, isStarted, phase }: Facts): Trouble | undefined {
  const failed = (text: string, isHopeless = false): Trouble => ({ is: "failed", text, cause: text, isHopeless });
  const { failure } = world.making;
  if (failure !== undefined) return failed(`${failure.kind} ${failure.name}: ${failure.cause}`, failure.isHopeless);
  for (const [kind, found] of [
    ["Service", world.service],
    ["Job", world.master],
    ["Job", world.worker],
  ] as const) {
    if (found.is === "absent" || found.is === "ours") continue;
    const name = `${kind} ${found.object.metadata?.name ?? ""}`;
    if (found.is === "foreign") return failed(`${name}: already exists and is not owned by this LocustTest`);
    const waiting = (text: string, why: string): Trouble => ({
      is: "waiting",
      text,
      cause: `${name}: ${why}`,
      isHopeless: false,
    });
    if (found.of === "earlier") {
      return waiting(
        `Waiting for ${name} of a previous LocustTest to be removed`,
        "that of a previous LocustTest remains",
      );
    }
    // What becomes of a running test that loses a resource does not depend on how long that takes.
    if (isCreated && phase === "Running") continue;
    return waiting("Recreating externally deleted resources", "the one that was deleted remains");
  }
  if (!isCreated && isStarted && hasOtherSpec(world)) {
    const text = "spec changed while resources were being created";
    return { ...failed(text), cause: `resources: ${text}` };
  }
  return undefined;
}

/** Resources were made from another spec than the present one. */
export function hasOtherSpec({ service, master, worker, hash }: World): boolean {
  const made = [objectOf(service), objectOf(master), objectOf(worker)];
  return made.some((it) => it !== undefined && it.metadata?.annotations?.[appliedSpecHashAnnotation] !== hash);
}

/** T21, T22 */
function lost(world: World, { master, status, isCreated }: Facts): Decision | undefined {
  if (!isCreated || status.phase !== "Running") return undefined;
  if (world.making.isAgain === true) return { is: "recreate" };
  if (master !== "Absent") return undefined;
  if (world.config.onJobDeleted === "Recreate") return { is: "recreate" };
  return operator("master Job was deleted before its result was recorded");
}

/** T10, T19: while the master is suspended no time counts. */
const halted = ({ master }: Facts): Decision | undefined => (master === "Suspended" ? { is: "suspended" } : undefined);

/** T24, T25, T25a, T28 */
function workless(
  world: World,
  { master, worker, isCreated, phase, status }: Facts,
  now: Instant,
): Decision | undefined {
  const isWaited = master === "Active" || (phase !== "Running" && master === "Created");
  if (!isCreated || !isWaited) return undefined;
  const grace = world.config.timers.workerFailureGrace;
  const wait = (since: Instant | undefined, cause: string): Decision => {
    const limit = plus(since ?? now, grace);
    return now >= limit ? operator(cause) : { is: "goOn", wakeAt: limit };
  };
  const job = objectOf(world.worker);
  if (worker === "Failed" && job !== undefined) return wait(failedAt(job), `worker Job failed (${reasonOf(job)})`);
  const isDeleted = isWorkerDeleted(world, worker) && phase === "Running";
  if (isDeleted && world.config.onJobDeleted === "Fail")
    return wait(parseTime(status.workerJobMissingSince), "worker Job was deleted");
  if (job === undefined || !areAllFailing(job)) return undefined;
  const since = latest(...world.pods.worker.map((pod) => endedAt(pod) ?? bornAt(pod)));
  const cause = `workers have failed ${failuresOf(job)} times, and none is left`;
  return since === undefined ? undefined : wait(since, cause);
}

/** Each worker was replaced twice on average, and none of them works. */
function areAllFailing(job: Job): boolean {
  return (job.status?.ready ?? 0) === 0 && failuresOf(job) >= 3 * (job.spec?.parallelism ?? 1);
}

/** It is gone, and had not done its work. */
export function isWorkerDeleted(world: World, worker: JobState): boolean {
  return worker === "Absent" && classifyJob(lastOf(world, "worker")) !== "Succeeded";
}

/** T32 */
function stuck(world: World, { health, status }: Facts, now: Instant): Decision | undefined {
  const timeout = world.config.timers.podFailureTimeout;
  if (health.stuckSince === undefined || timeout === undefined || hasBeenLoaded(world, status)) return undefined;
  const limit = plus(health.stuckSince, timeout);
  if (now < limit) return { is: "goOn", wakeAt: limit };
  return health.status === "False" ? operator(health.message) : undefined;
}

/** Load was made; where no telemetry ever came, all workers had connected. */
function hasBeenLoaded({ telemetry }: World, { progress, conditions }: LocustTestStatus): boolean {
  if (progress?.loadStartTime !== undefined || telemetry.progress?.loadStartTime !== undefined) return true;
  return progress === undefined && isReasonOfConnected(conditions);
}

/** By Locust's own word, once it has one: what the Job counted before then were pods, not connections. */
export function wereAllConnected(
  status: LocustTestStatus | undefined,
  { workersSource, mostConnectedWorkers }: Pick<TelemetryView, "workersSource" | "mostConnectedWorkers">,
  expected: number,
): boolean {
  if (workersSource === "LocustAPI" && mostConnectedWorkers !== undefined) return mostConnectedWorkers >= expected;
  return isReasonOfConnected(status?.conditions);
}

function isReasonOfConnected(conditions: LocustTestStatus["conditions"]): boolean {
  const reason = conditions?.find(({ type }) => type === "WorkersConnected")?.reason;
  return reason === "AllWorkersConnected" || reason === "WorkersMissing";
}

const nameOf = ({ metadata }: World["test"]): string => metadata.name ?? "";

const operator = (cause: string): Decision => ({ is: "fail", by: "operator", cause });
