// What is told of a test as Kubernetes Events: after the status that carries it was written, and once.
import type { Condition } from "@telltale/kinds";
import type { Hands } from "@telltale/runtime";
import { type Note, notesOn } from "../build/index.ts";
import type { LocustTest, LocustTestStatus } from "../kinds/locust-test.ts";
import { interruption } from "./status.ts";
import type { World } from "./world.ts";

export interface Told {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export function announce(told: readonly Told[], hands: Hands<typeof LocustTest>): void {
  for (const { type, reason, message } of told) hands.event(type, reason, message);
}

/** What has to be told of one step. Pure. */
export function eventsOf(world: World, before: LocustTestStatus, after: LocustTestStatus): readonly Told[] {
  const normal = (reason: string, message: string): Told => ({ type: "Normal", reason, message });
  const warning = (reason: string, message: string): Told => ({ type: "Warning", reason, message });
  const now = (type: string) => conditionOf(after, type);
  const was = (type: string) => conditionOf(before, type);
  const turned = (type: string, status: string) => now(type)?.status === status && was(type)?.status !== status;
  const message = (type: string) => now(type)?.message ?? "";
  const told: Told[] = world.making.created.map(({ kind, name }) => normal("Created", `Created ${kind} ${name}`));
  for (const note of notesOf(world, before, after)) {
    if (!isForTheLog(note)) told.push(warning(note.reason, note.message));
  }
  const { failure } = world.making;
  if (failure !== undefined) told.push(warning("CreateFailed", `${failure.kind} ${failure.name}: ${failure.cause}`));
  told.push(...lostOf(world, before).map((text) => warning("ResourceDeleted", text)));
  if (world.isMasterReplaced) told.push(warning("MasterReplaced", "The master pod was replaced; numbers begin anew"));
  if (after.phase === "Running" && before.phase !== "Running") told.push(normal("TestStarted", "Test is running"));
  const isTelemetryBad =
    turned("TelemetryAvailable", "False") && unreachable.includes(now("TelemetryAvailable")?.reason ?? "");
  if (isTelemetryBad) told.push(warning("TelemetryUnavailable", message("TelemetryAvailable")));
  const isPodsBad = now("PodsHealthy")?.status === "False" && now("PodsHealthy")?.reason !== was("PodsHealthy")?.reason;
  if (isPodsBad) told.push(warning("PodFailure", message("PodsHealthy")));
  if (was("WorkersConnected")?.status === "True" && turned("WorkersConnected", "False")) {
    told.push(warning("WorkersMissing", message("WorkersConnected")));
  }
  if (turned("SpecDrifted", "True")) told.push(warning("SpecChangeIgnored", message("SpecDrifted")));
  if (after.phase === "Succeeded" && before.phase !== "Succeeded") {
    const cut = interruption(world);
    if (cut !== undefined) told.push(warning("TestInterrupted", cut));
    told.push(normal("TestCompleted", message("TestCompleted")));
  }
  if (after.phase === "Failed" && before.phase !== "Failed") told.push(warning("TestFailed", message("TestCompleted")));
  return told;
}

/** What was built differently from what the spec says, once it is built. */
export function notesOf(world: World, before: LocustTestStatus, after: LocustTestStatus): readonly Note[] {
  const isBuilt = after.appliedGeneration !== undefined && after.appliedGeneration !== before.appliedGeneration;
  return isBuilt ? notesOn(world.test.spec, world.config) : [];
}

/** It changes nothing that anybody could miss. */
export const isForTheLog = ({ reason }: Note): boolean => reason === "FlagRepeated" || reason === "AutoquitLeftOut";

const unreachable = ["MasterUnreachable", "AuthenticationRequired", "InvalidResponse"];

/** Owned resources that have vanished before the end. */
function lostOf({ service, master, worker, making }: World, before: LocustTestStatus): readonly string[] {
  const isOver = before.phase === "Succeeded" || before.phase === "Failed";
  if (before.appliedGeneration === undefined || isOver) return [];
  const again = (kind: string, name: string) => making.created.some((it) => it.kind === kind && it.name.endsWith(name));
  return [
    ...(service.is === "absent" || again("Service", "-master") ? ["The master Service was deleted"] : []),
    ...(master.is === "absent" || again("Job", "-master") ? ["The master Job was deleted"] : []),
    ...(worker.is === "absent" || again("Job", "-worker") ? ["The worker Job was deleted"] : []),
  ];
}

const conditionOf = ({ conditions }: LocustTestStatus, type: string): Condition | undefined =>
  conditions?.find((it) => it.type === type);
