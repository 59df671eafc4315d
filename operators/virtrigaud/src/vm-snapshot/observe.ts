// What Kubernetes knows of a snapshot, its machine and the other snapshots of that, out of the cache. The provider is not asked here.

import { type Instant, parseTime } from "@telltale/kinds";
import type { Look } from "@telltale/runtime";
import { findCondition, text } from "@telltale/status";
import { snapshotsByVM } from "../indexes.ts";
import { VirtualMachine, VMClone, VMMigration, VMSnapshot } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { recorded } from "../recorded.ts";
import { providerKey, resolve } from "../references.ts";
import { durationProblems } from "../validate/durations.ts";
import { toldAll } from "../validate/problem.ts";
import { reach, type Ways } from "./reach.ts";
import { readTimetable } from "./timetable.ts";
import { userOf } from "./users.ts";
import type { Held, Problem, Schedule, Told, World } from "./world.ts";

export const bySnapshot = "use of a snapshot";

export async function observe(snapshot: VMSnapshot, look: Look, ways: Ways): Promise<World> {
  const { namespace = "", name = "", uid } = snapshot.metadata;
  const vm = look.get(VirtualMachine, { namespace, name: snapshot.spec.vmRef.name });
  const provider = vm === undefined ? undefined : resolve(vm.spec.providerRef, namespace);
  const key = provider === undefined ? keyOf(snapshot) : providerKey(namespace, provider);
  const siblings = look.where(VMSnapshot, snapshotsByVM.name, `${namespace}/${snapshot.spec.vmRef.name}`);
  const users = `${namespace}/${name}`;
  return {
    snapshot,
    now: look.now,
    ...plannedOf(snapshot, look),
    vm,
    key,
    channel:
      provider === undefined ? { is: "closed", why: text`the machine is gone` } : await reach(provider, look, ways),
    siblings: siblings.filter(({ metadata }) => metadata.uid !== uid),
    user: userOf(snapshot, look.where(VMMigration, bySnapshot, users), look.where(VMClone, bySnapshot, users)),
    ...recorded(snapshot, look),
    held: heldOf(snapshot, key),
    told: toldOf(snapshot),
    heard: {},
  };
}

/** Without its machine: where it was taken. */
const keyOf = ({ status }: VMSnapshot): string => Object.keys(status?.providerStatus ?? {})[0] ?? "";

function plannedOf(
  snapshot: VMSnapshot,
  look: Look,
): { readonly problem: Problem | undefined; readonly schedule: Schedule | undefined } {
  const why = toldAll(durationProblems(VMSnapshot, snapshot.spec));
  if (why !== undefined) return { problem: { reason: "ValidationError", why }, schedule: undefined };
  const { schedule } = snapshot.spec;
  if (schedule?.enabled !== true) return { problem: undefined, schedule: undefined };
  const timetable = readTimetable(schedule);
  if ("error" in timetable) {
    return { problem: { reason: "InvalidSchedule", why: timetable.error }, schedule: undefined };
  }
  const children = look.children(VMSnapshot, snapshot);
  return { problem: undefined, schedule: { timetable, last: lastRun(snapshot, look.now), children } };
}

function lastRun({ metadata }: VMSnapshot, now: Instant): Instant {
  const noted = parseTime(metadata.annotations?.[annotations.lastScheduleTime]);
  return noted ?? parseTime(metadata.creationTimestamp) ?? now;
}

/** A status may be lost, as by a restore that leaves statuses out: the object itself has the id too. */
function heldOf({ metadata, status = {} }: VMSnapshot, key: string): Held {
  const {
    snapshotID = metadata.annotations?.[annotations.providerId],
    taskRef,
    creationTime,
    completionTime,
    progress,
    parent,
    size,
    virtualSize,
  } = status;
  const all = { snapshotID, taskRef, creationTime, completionTime, progress, parent, size, virtualSize };
  const fields = Object.entries({ ...all, entry: status.providerStatus?.[key] });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined && value !== ""));
}

const toldOf = ({ metadata, status }: VMSnapshot): Told => ({
  phase: status?.phase,
  isSameSpec: status?.observedGeneration === metadata.generation,
  ready: findCondition(status?.conditions, "Ready"),
  creating: findCondition(status?.conditions, "Creating"),
  expired: findCondition(status?.conditions, "Expired"),
});
