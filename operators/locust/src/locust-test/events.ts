// What is told of a test as Kubernetes Events: after the status that carries it was written, and once.
import type { Condition } from "@telltale/kinds";
import type { Hands } from "@telltale/runtime";
import { type Note, notesOn } from "../build/index.ts";
import type { LocustTest, LocustTestStatus } from "../kinds/locust-test.ts";
import { classifyJob, isFinal } from "./jobs.ts";
import type { Untold } from "./memory.ts";
import { lastOf, type Part, type World } from "./world.ts";

export interface Told {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export function announce(told: readonly Told[], hands: Hands<typeof LocustTest>): void {
  for (const { type, reason, message } of told) hands.event(type, reason, message);
}

/** What has to be told of one step. Pure. */
export function eventsOf(
  world: World,
  before: LocustTestStatus,
  after: LocustTestStatus,
  untold: Untold,
): readonly Told[] {
  const normal = (reason: string, message: string): Told => ({ type: "Normal", reason, message });
  const warning = (reason: string, message: string): Told => ({ type: "Warning", reason, message });
  const now = (type: string) => conditionOf(after, type);
  const was = (type: string) => conditionOf(before, type);
  const turned = (type: string, status: string) => now(type)?.status === status && was(type)?.status !== status;
  const message = (type: string) => now(type)?.message ?? "";
  const told: Told[] = untold.created.map(({ kind, name }) => normal("Created", `Created ${kind} ${name}`));
  for (const note of notesOf(world, before, after)) {
    if (!isForTheLog(note)) told.push(warning(note.reason, note.message));
  }
  const { failure } = world.making;
  const failed = failure === undefined ? "" : `${failure.kind} ${failure.name}: ${failure.cause}`;
  if (failed !== "" && was("Ready")?.message !== failed) told.push(warning("CreateFailed", failed));
  told.push(...lostOf(world, before, untold.missing).map((text) => warning("ResourceDeleted", text)));
  if (world.isMasterReplaced) told.push(warning("MasterReplaced", "The master pod was replaced; numbers begin anew"));
  if (hasStarted(after) && !hasStarted(before)) told.push(normal("TestStarted", "Test is running"));
  const isTelemetryBad =
    turned("TelemetryAvailable", "False") && unreachable.includes(now("TelemetryAvailable")?.reason ?? "");
  if (isTelemetryBad) told.push(warning("TelemetryUnavailable", message("TelemetryAvailable")));
  const isPodsBad = now("PodsHealthy")?.status === "False" && now("PodsHealthy")?.reason !== was("PodsHealthy")?.reason;
  if (isPodsBad) told.push(warning("PodFailure", message("PodsHealthy")));
  const isMissing = now("WorkersConnected")?.reason === "WorkersMissing";
  if (isMissing && was("WorkersConnected")?.status === "True") {
    const source = after.workersSource === "LocustAPI" ? "" : " (ready worker pods: the Locust web API was not read)";
    told.push(warning("WorkersMissing", `${message("WorkersConnected")}${source}`));
  }
  if (turned("SpecDrifted", "True")) told.push(warning("SpecChangeIgnored", message("SpecDrifted")));
  const isCut = now("LoadComplete")?.status === "False" && now("LoadComplete")?.reason !== was("LoadComplete")?.reason;
  if (isCut) told.push(warning("TestInterrupted", message("LoadComplete")));
  if (after.phase === "Succeeded" && before.phase !== "Succeeded") {
    told.push(normal("TestCompleted", message("TestCompleted")));
  }
  if (after.phase === "Failed" && before.phase !== "Failed") told.push(warning("TestFailed", message("TestCompleted")));
  return told;
}

/** A Job is active as soon as it has pods: that they run is another matter. */
const hasStarted = ({ phase, masterStartTime }: LocustTestStatus): boolean =>
  phase === "Running" && masterStartTime !== undefined;

/** What was built differently from what the spec says, once it is built. */
export function notesOf(world: World, before: LocustTestStatus, after: LocustTestStatus): readonly Note[] {
  const isBuilt = after.appliedGeneration !== undefined && after.appliedGeneration !== before.appliedGeneration;
  return isBuilt ? notesOn(world.test.spec, world.config) : [];
}

/** It changes nothing that anybody could miss. */
export const isForTheLog = ({ reason }: Note): boolean => reason === "FlagRepeated" || reason === "AutoquitLeftOut";

const unreachable = ["MasterUnreachable", "AuthenticationRequired", "PermissionDenied", "InvalidResponse"];

/** Owned resources that have vanished before the end: a Job that had done its work is not one of them. */
function lostOf(world: World, before: LocustTestStatus, missing: readonly Part[]): readonly string[] {
  const isOver = before.phase === "Succeeded" || before.phase === "Failed";
  if (before.appliedGeneration === undefined || isOver) return [];
  const isLost = (part: Part) => part === "service" || !isFinal(classifyJob(lastOf(world, part)));
  return missing.filter(isLost).map((part) => `The ${lost[part]} was deleted`);
}

const lost: Readonly<Record<Part, string>> = { service: "master Service", master: "master Job", worker: "worker Job" };

const conditionOf = ({ conditions }: LocustTestStatus, type: string): Condition | undefined =>
  conditions?.find((it) => it.type === type);
