// What a test says of itself, given what was seen and decided. Pure.
import { formatTime, type Instant, type Ms, parseTime, plus, type Reason } from "@telltale/kinds";
import type { Job } from "@telltale/kinds/builtin";
import { type Draft, text } from "@telltale/status";
import { appliedGenerationAnnotation, appliedSpecHashAnnotation, nodeName } from "../build/index.ts";
import { LocustTest, type LocustTestStatus } from "../kinds/locust-test.ts";
import { earliest } from "../moments.ts";
import { finishedProgress } from "../telemetry/numbers.ts";
import { saying } from "../telemetry/view.ts";
import {
  type Decision,
  decide,
  type Facts,
  factsOf,
  giveUpAt,
  isWorkerDeleted,
  troubleOf,
  wereAllConnected,
} from "./decide.ts";
import { interruption, interruptionOf, unverified } from "./interruption.ts";
import { endOf, failuresOf, masterStartedAt, notBefore, type Phase, reasonOf, startOf } from "./jobs.ts";
import { nextTry, stops } from "./plan.ts";
import { refusalOf } from "./pod-health.ts";
import { madeFrom, objectOf, type World } from "./world.ts";

type TestDraft = Draft<typeof LocustTest>;

export function status(world: World, draft: TestDraft, now: Instant): void {
  const facts = factsOf(world, now);
  const decision = decide(world, facts, now);
  if (decision.is === "over") {
    draft.set(masterStart(world));
    drift(world, draft);
    draft.wake(stops(world, facts, facts.status, now).wakeAt);
    return;
  }
  if (facts.status.phase === undefined) begin(draft);
  else keep(draft, facts.status, ...order, "LoadComplete", "SpecDrifted");
  if (decision.is === "unread") {
    for (const type of fromTheServer) draft.condition(type, "Unknown", "ReadFailed", text`${decision.cause}`);
    drift(world, draft);
    draft.wake(plus(now, readAgain));
    return;
  }
  const phase = phaseOf(decision, facts);
  draft.phase(phase, decision.is === "recreate" ? "recreate" : undefined);
  const times = timesOf(world, decision, facts, phase, now);
  draft.set({ ...times, expectedWorkers: expectedOf(world) });
  workerJobMissing(world, decision, facts, phase, draft, now);
  applied(world, decision, facts, draft);
  const said = completion(world, decision, phase, draft);
  readiness(world, decision, facts, said, draft);
  draft.state(podsHealthy(decision, facts));
  if (phase !== "Pending") measured(world, phase, draft);
  loadComplete(world, decision, facts, draft);
  if (phase !== "Pending" || facts.worker === "Failed") workers(world, decision, facts, draft);
  drift(world, draft);
  draft.wake(wakeAt(world, decision, facts, { ...facts.status, phase, ...times }, now));
}

/** Conditions that go by what the server has of the test. */
const fromTheServer = ["Ready", "WorkersConnected", "TestCompleted", "PodsHealthy", "TelemetryAvailable"] as const;

/** After a read that was refused. */
const readAgain: Ms = 10_000;

function podsHealthy(decision: Decision, { health: { status: is, reason, message } }: Facts) {
  const type = "PodsHealthy" as const;
  const unknown = (why: "PodsStarting" | "TestFinished", said: string) =>
    ({ type, status: "Unknown", reason: why, message: said }) as const;
  if (decision.is === "suspended") return unknown("PodsStarting", "The master Job is suspended, and has no pods");
  if (!isEnd(decision) || is === "False") return { type, status: is, reason, message };
  if (is === "True") return { type, status: is, reason, message: "All pods were healthy when the test ended" };
  const seen = reason === "PodsStarting" ? "before all of its pods were seen to run" : "while pods were not ready";
  return unknown("TestFinished", `The test ended ${seen}`);
}

const isEnd = ({ is }: Decision): boolean => is === "succeed" || is === "fail";

function phaseOf(decision: Decision, facts: Facts): Phase {
  if (decision.is === "succeed") return "Succeeded";
  if (decision.is === "fail") return "Failed";
  if (decision.is === "recreate") return "Pending";
  return facts.phase;
}

/** T01: whatever it comes to in this pass, it was Pending. */
function begin(draft: TestDraft): void {
  draft.phase("Pending").set({ connectedWorkers: 0, workersSource: "JobStatus" });
  keep(draft, {}, ...order);
}

/** In which conditions stand. One that comes later is put after them. */
const order = ["Ready", "WorkersConnected", "TestCompleted", "PodsHealthy", "TelemetryAvailable"] as const;

const { types } = LocustTest.conditions;

/** Says again what is stored, and what is said first where that is nothing, or nothing that we could have said. */
function keep(draft: TestDraft, stored: LocustTestStatus, ...kept: readonly (keyof typeof types)[]): void {
  for (const type of kept) {
    const { initial, reasons } = types[type];
    const found = stored.conditions?.find((it) => it.type === type);
    const ours = Object.entries<Reason>(reasons).find(([reason]) => reason === found?.reason)?.[1];
    if (found !== undefined && ours?.on.includes(found.status)) draft.keep(type);
    else if (initial !== undefined) draft.state({ type, ...initial });
  }
}

/** As many as the workers' Job was made for; before that, as many as the spec asks for. */
function expectedOf({ test, worker }: World): number {
  const { appliedGeneration, expectedWorkers } = test.status ?? {};
  if (appliedGeneration !== undefined && expectedWorkers !== undefined) return expectedWorkers;
  return objectOf(worker)?.spec?.parallelism ?? test.spec.worker.replicas;
}

/** Each once, from the Job where it knows: that is right also when nobody looked at that moment. */
function timesOf(
  world: World,
  decision: Decision,
  { status: stored, isStarted }: Facts,
  phase: Phase,
  now: Instant,
): Pick<LocustTestStatus, "startTime" | "masterStartTime" | "completionTime"> {
  const isOver = decision.is === "succeed" || decision.is === "fail";
  const job = "job" in decision ? decision.job : objectOf(world.master);
  const hasStarted = isStarted || "job" in decision;
  const began =
    stored.startTime ?? (phase === "Running" || (isOver && hasStarted) ? formatTime(startOf(job) ?? now) : undefined);
  const start = { ...(began !== undefined && { startTime: began }), ...masterStart(world) };
  if (!isOver) return start;
  const end = "job" in decision ? (endOf(decision.job) ?? now) : now;
  return { ...start, completionTime: stored.completionTime ?? formatTime(notBefore(parseTime(began), end)) };
}

/** By the pods of the master: those of a finished test may be seen later than its Job. */
function masterStart(world: World): Pick<LocustTestStatus, "masterStartTime"> {
  if (world.test.status?.masterStartTime !== undefined) return { masterStartTime: world.test.status.masterStartTime };
  const ran = masterStartedAt(world);
  return ran === undefined ? {} : { masterStartTime: formatTime(ran) };
}

/** From the first time that it is seen: a restart does not begin to wait again. While the master is suspended no time counts. */
function workerJobMissing(
  world: World,
  decision: Decision,
  { status: { workerJobMissingSince }, isCreated, worker }: Facts,
  phase: Phase,
  draft: TestDraft,
  now: Instant,
): void {
  const isMissing = decision.is === "goOn" && phase === "Running" && isCreated && isWorkerDeleted(world, worker);
  if (isMissing) draft.set({ workerJobMissingSince: workerJobMissingSince ?? formatTime(now) });
  else draft.unset("workerJobMissingSince");
}

/** What the resources were made from, once all of them are there. */
function applied(world: World, decision: Decision, { isCreated }: Facts, draft: TestDraft): void {
  if (decision.is === "recreate") {
    draft.unset("appliedGeneration", "appliedSpecHash");
    return;
  }
  const [service, master, worker] = [objectOf(world.service), objectOf(world.master), objectOf(world.worker)];
  const isWhole = service !== undefined && master !== undefined && worker !== undefined;
  const made = master?.metadata?.annotations ?? {};
  const isNew = !isCreated || made[appliedSpecHashAnnotation] !== world.test.status?.appliedSpecHash;
  if (!isWhole || !isNew) return;
  draft.set({
    appliedGeneration: Number(made[appliedGenerationAnnotation] ?? world.test.metadata.generation ?? 1),
    appliedSpecHash: made[appliedSpecHashAnnotation] ?? world.hash,
    expectedWorkers: worker.spec?.parallelism ?? world.test.spec.worker.replicas,
  });
}

/** Whether the test is over, and how. The text of a failure is that of `Ready` as well. */
function completion(world: World, decision: Decision, phase: Phase, draft: TestDraft): string {
  if (decision.is === "succeed") {
    const warning = interruption(world) ?? unverified(world);
    const said = `Test completed successfully${warning === undefined ? "" : ` (warning: ${warning})`}`;
    draft.condition("TestCompleted", true, "TestSucceeded", text`${said}`);
    return said;
  }
  if (decision.is === "fail") {
    const said = `Test failed: ${decision.cause}`;
    draft.condition("TestCompleted", true, "TestFailed", text`${said}`);
    return said;
  }
  const hasRun = world.test.status?.masterStartTime !== undefined || masterStartedAt(world) !== undefined;
  const going = phase === "Running" && hasRun ? "Test is running" : "Test has not started";
  const said = decision.is === "suspended" ? "Test is suspended" : going;
  draft.condition("TestCompleted", false, "TestInProgress", text`${said}`);
  return said;
}

/** What was seen to be lost stays lost; a load that goes on after all was not cut short. Before there is anything to say, nothing is said. */
function loadComplete(world: World, decision: Decision, { isStarted, status }: Facts, draft: TestDraft): void {
  if (decision.is === "recreate") draft.unset("lostWorkers", "mostConnectedWorkers");
  const found = decision.is === "recreate" ? undefined : interruptionOf(world);
  if (found !== undefined)
    return void draft.condition("LoadComplete", false, found.reason, text`${capital(found.message)}`);
  const { loadLength } = world.telemetry;
  const progress = finishedProgress(world.telemetry.progress, loadLength);
  if (isEnd(decision) && loadLength === "whole") {
    const ran = `The load ran for ${progress?.duration ?? ""} of ${progress?.runTime ?? ""}`;
    return void draft.condition("LoadComplete", true, "LoadComplete", text`${ran}, and no worker was seen to be lost`);
  }
  if (isEnd(decision) && (isStarted || "job" in decision)) {
    const why = progress?.runTime === undefined ? "The test has no run time" : "The load was not seen to its end";
    return void draft.condition("LoadComplete", "Unknown", "LoadUnknown", text`${why}`);
  }
  const isSaid = status.conditions?.some(({ type }) => type === "LoadComplete") === true;
  if (isSaid) draft.condition("LoadComplete", "Unknown", "LoadContinues", "The load goes on");
}

const capital = (sentence: string): string => sentence.replace(/^./, (first) => first.toUpperCase());

function readiness(world: World, decision: Decision, facts: Facts, said: string, draft: TestDraft): void {
  // The time for which creation may fail does not begin with that for which pods were awaited.
  const ready = facts.status.conditions?.find(({ type }) => type === "Ready");
  const restamp = ready?.reason === "WaitingForPods";
  const failed = (message: string) => draft.condition("Ready", false, "ResourcesFailed", text`${message}`, { restamp });
  const creating = (message: string) =>
    draft.condition("Ready", false, "ResourcesCreating", text`${message}`, { restamp });
  if (decision.is === "fail") return void failed(said);
  if (decision.is === "succeed") {
    if (!facts.isCreated) return; // it stays as it is
    return void draft.condition("Ready", true, "ResourcesCreated", "All resources created");
  }
  if (decision.is === "recreate") return void creating("Recreating externally deleted resources");
  const trouble = troubleOf(world, facts);
  if (trouble !== undefined) return void (trouble.is === "failed" ? failed(trouble.text) : creating(trouble.text));
  const suspended = suspension(facts);
  if (suspended !== undefined) return void draft.condition("Ready", false, "ResourcesSuspended", text`${suspended}`);
  const isLost = facts.worker === "Absent" && facts.isCreated && facts.phase === "Running";
  const isWhole = [world.service, world.master, world.worker].every(({ is }) => is === "ours");
  const waiting = facts.short.find(({ created, expected }) => created < expected);
  if (waiting !== undefined && isWhole) {
    const { job, created, expected, refusal } = waiting;
    const why = refusal === undefined ? "" : `: ${refusalOf(waiting)}`;
    const message = text`Job ${job} has ${created} of ${expected} pods${why}`;
    return void draft.condition("Ready", false, "WaitingForPods", message);
  }
  const isMissed = isLost && isWorkerDeleted(world, facts.worker);
  if (isWhole || (isLost && !isMissed && world.service.is === "ours")) {
    return void draft.condition("Ready", true, "ResourcesCreated", "All resources created");
  }
  // It is made again only where that was asked for.
  if (isMissed && world.service.is === "ours" && world.config.onJobDeleted === "Fail") {
    return void failed(`Job ${nodeName(world.test.metadata.name ?? "", "worker")} was deleted`);
  }
  creating(facts.isCreated ? "Recreating externally deleted resources" : "Creating resources");
}

function suspension({ master, worker }: Facts): string | undefined {
  if (master === "Suspended" && worker === "Suspended") return "Master and worker Jobs are suspended";
  if (master === "Suspended") return "Master Job is suspended";
  return worker === "Suspended" ? "Worker Job is suspended" : undefined;
}

/** What the master tells. Numbers of another master replace those of the last. */
function measured({ telemetry, test }: World, phase: Phase, draft: TestDraft): void {
  const { connectedWorkers, workersSource, testResult, condition } = telemetry;
  const isOver = phase === "Succeeded" || phase === "Failed";
  const progress = isOver ? finishedProgress(telemetry.progress, telemetry.loadLength) : telemetry.progress;
  draft.set({ connectedWorkers, workersSource });
  if (telemetry.mostConnectedWorkers !== undefined) draft.set({ mostConnectedWorkers: telemetry.mostConnectedWorkers });
  if (telemetry.lostWorkers !== undefined) draft.set({ lostWorkers: telemetry.lostWorkers });
  if (testResult === undefined) draft.unset("testResult");
  else draft.set({ testResult });
  if (progress === undefined) draft.unset("progress");
  else draft.set({ progress });
  const type = "TelemetryAvailable";
  const stored = test.status?.conditions?.find((it) => it.type === type);
  if (!isOver) draft.state({ type, ...condition });
  else if (stored?.status !== "False") draft.state({ type, ...saying("TestFinished") });
}

/** T24, T26-T28, T36-T39: what is not said here stays as it is. */
function workers(world: World, decision: Decision, facts: Facts, draft: TestDraft): void {
  const { telemetry, test } = world;
  const expected = expectedOf(world);
  const counted = `${telemetry.connectedWorkers}/${expected} workers connected`;
  const wereConnected = wereAllConnected(test.status, telemetry, expected);
  const missing = (more: string) =>
    wereConnected
      ? draft.condition("WorkersConnected", false, "WorkersMissing", text`${counted}${more}`)
      : draft.condition("WorkersConnected", false, "WaitingForWorkers", text`${counted}${more}`);
  const job: Job | undefined = objectOf(world.worker);
  if (facts.worker === "Failed" && job !== undefined)
    return void missing(`${named(telemetry.missingPods)}; worker Job failed: ${reasonOf(job)}`);
  // Workers that leave at a good end were connected to it.
  if (decision.is === "succeed") return;
  if (decision.is === "fail") {
    const stored = test.status?.conditions?.find(({ type }) => type === "WorkersConnected");
    const last = text`The test has failed; ${counted} when they were last counted`;
    if (stored?.status === "True") draft.condition("WorkersConnected", "Unknown", "TestFinished", last);
    return;
  }
  if (facts.isCreated && isWorkerDeleted(world, facts.worker)) return void missing("; worker Job was deleted");
  if (telemetry.isFrozen) return;
  if (telemetry.connectedWorkers >= expected)
    return void draft.condition("WorkersConnected", true, "AllWorkersConnected", text`${counted}`);
  if (!wereConnected) return void draft.condition("WorkersConnected", false, "WaitingForWorkers", text`${counted}`);
  const isFailing = job !== undefined && failuresOf(job) > 0;
  const isNews = telemetry.isLoaded || telemetry.endedEarly || facts.worker === "Active" || isFailing;
  if (isNews) missing(named(telemetry.missingPods));
}

const named = (pods: readonly string[]): string =>
  pods.length === 0 ? "" : `; missing: ${pods.slice(0, 5).join(", ")}`;

/** T42, T43: by hash and generation, so that neither a new default nor a change that was taken back counts. */
function drift(world: World, draft: TestDraft): void {
  const { test, hash } = world;
  const { appliedGeneration, appliedSpecHash, conditions } = test.status ?? {};
  const made =
    appliedSpecHash === undefined ? madeFrom(world) : { hash: appliedSpecHash, generation: appliedGeneration };
  if (made === undefined) return;
  if (hash !== made.hash && test.metadata.generation !== made.generation) {
    draft.condition(
      "SpecDrifted",
      true,
      "SpecChangeIgnored",
      "Spec changes are ignored once a test has been created. Delete and recreate the LocustTest to apply them.",
    );
  } else if (conditions?.some(({ type }) => type === "SpecDrifted") === true) {
    draft.condition("SpecDrifted", false, "SpecApplied", "Spec matches the running test");
  }
}

function wakeAt(
  world: World,
  decision: Decision,
  facts: Facts,
  next: LocustTestStatus,
  now: Instant,
): Instant | undefined {
  const left = world.making.isLeft === true ? plus(now, 1000) : undefined;
  const leftovers = earliest(left, stops(world, facts, next, now).wakeAt);
  if (decision.is === "recreate") return now;
  if (decision.is !== "goOn" && decision.is !== "suspended") return leftovers;
  const trouble = troubleOf(world, facts);
  const ready = facts.status.conditions?.find(({ type }) => type === "Ready");
  const since = ready?.status === "False" ? (parseTime(ready.lastTransitionTime) ?? now) : now;
  const retry = trouble === undefined ? undefined : trouble.is === "waiting" ? plus(now, 2000) : nextTry(since, now);
  if (decision.is === "suspended") return earliest(retry, leftovers);
  const giveUp = trouble === undefined ? undefined : giveUpAt(world, facts);
  return earliest(decision.wakeAt, facts.health.wakeAt, world.telemetry.wakeAt, retry, giveUp, leftovers);
}
