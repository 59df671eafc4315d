// What a Deployment says of its ReplicaSets. Pure.
import { type Instant, parseTime, plus } from "@telltale/kinds";
import type { Deployment, ReplicaSet } from "@telltale/kinds/builtin";
import type { StatusValue } from "@telltale/runtime";
import { find, withCondition, without } from "../pods/conditions.ts";
import { counted, isTerminating, nameOf } from "../pods/facts.ts";
import { budgetOf } from "./budget.ts";
import { historyOf, revision } from "./revision.ts";
import { sizeOf } from "./scale.ts";

type Status = NonNullable<Deployment["status"]>;
type Conditions = NonNullable<Status["conditions"]>;
type Counts = Omit<Status, "conditions">;

/** What happened in this pass, beside what can be seen. */
export type Happening =
  | { readonly is: "created" } // the ReplicaSet of the template
  | { readonly is: "failed"; readonly set: string; readonly why: string } // to create it
  | { readonly is: "taken" }; // its name is another template's

export interface Said {
  readonly deployment: Deployment;
  readonly sets: readonly ReplicaSet[];
  readonly happening?: Happening | undefined;
}

const always = 2_147_483_647; // seconds that stand for: no deadline

export function statusOf({ deployment, sets, happening }: Said, now: Instant): StatusValue<typeof Deployment> {
  const { current } = historyOf(deployment, sets);
  const counts = countsOf(deployment, sets, current, happening);
  const told = conditionsOf(deployment, sets, current, counts, happening, now);
  const status: Status = { ...counts, ...(told.length === 0 ? {} : { conditions: told }) };
  const number = current?.metadata?.annotations?.[revision];
  const wakeAt = stuckAt(deployment, told);
  return {
    status,
    ...(number === undefined ? {} : { annotations: { [revision]: number } }),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(happening?.is === "failed" || happening?.is === "taken" ? { retry: true } : {}),
  };
}

function countsOf(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
  happening: Happening | undefined,
): Counts {
  const sum = (of: (set: ReplicaSet) => number | undefined) => sets.reduce((total, it) => total + (of(it) ?? 0), 0);
  const available = sum(({ status }) => status?.availableReplicas);
  const collisions = (deployment.status?.collisionCount ?? 0) + (happening?.is === "taken" ? 1 : 0);
  return {
    ...counted({
      observedGeneration: deployment.metadata?.generation ?? 0,
      replicas: sum(({ status }) => status?.replicas),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: sum(({ status }) => status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sum(sizeOf) - available),
      collisionCount: collisions,
    }),
    terminatingReplicas: sum(({ status }) => status?.terminatingReplicas),
  };
}

function conditionsOf(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
  counts: Counts,
  happening: Happening | undefined,
  now: Instant,
): Conditions {
  const say = (before: Conditions, type: string, [status, reason, message]: readonly [string, string, string]) =>
    withCondition(before, { type, status, reason, message }, now, ["lastUpdateTime"]);
  let told: Conditions = deployment.status?.conditions ?? [];
  const isWatched = hasDeadline(deployment);
  const isPaused = deployment.spec?.paused === true;
  if (isWatched) {
    const begun = beginning(told, current, isPaused, happening);
    for (const it of begun) told = say(told, "Progressing", it);
  }
  told = say(told, "Available", availability(deployment, counts));
  if (isPaused || isTerminating(deployment)) return told;
  told = isWatched ? progressed(deployment, current, counts, told, now) : without(told, "Progressing");
  const failure = failureOf(sets, current);
  return failure === undefined ? without(told, "ReplicaFailure") : say(told, "ReplicaFailure", failure);
}

/** What is said of the progress before any has been made. */
function beginning(
  told: Conditions,
  current: ReplicaSet | undefined,
  isPaused: boolean,
  happening: Happening | undefined,
): readonly (readonly [string, string, string])[] {
  const reason = find(told, "Progressing")?.reason;
  if (reason !== "ProgressDeadlineExceeded") {
    if (isPaused) return [["Unknown", "DeploymentPaused", "Deployment is paused"]];
    // Said alone, also where the ReplicaSet is made in the same pass.
    if (reason === "DeploymentPaused") return [["Unknown", "DeploymentResumed", "Deployment is resumed"]];
  }
  return starting(reason, current, happening);
}

function starting(
  reason: string | undefined,
  current: ReplicaSet | undefined,
  happening: Happening | undefined,
): readonly (readonly [string, string, string])[] {
  if (happening?.is === "failed") {
    const message = `Failed to create new replica set "${happening.set}": ${happening.why}`;
    return [["False", "FailedCreate", message]];
  }
  if (current === undefined) return [];
  const name = nameOf(current);
  if (happening?.is === "created") return [["True", "NewReplicaSetCreated", `Created new replica set "${name}"`]];
  return reason === undefined ? [["True", "FoundNewReplicaSet", `Found new replica set "${name}"`]] : [];
}

function availability(deployment: Deployment, counts: Counts): readonly [string, string, string] {
  return (counts.availableReplicas ?? 0) >= budgetOf(deployment).least
    ? ["True", "MinimumReplicasAvailable", "Deployment has minimum availability."]
    : ["False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."];
}

function progressed(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  counts: Counts,
  told: Conditions,
  now: Instant,
): Conditions {
  const before = find(told, "Progressing");
  const isAllNew = (counts.replicas ?? 0) === (counts.updatedReplicas ?? 0);
  if (isAllNew && before?.reason === "NewReplicaSetAvailable") return told;
  const subject = current === undefined ? `Deployment "${nameOf(deployment)}"` : `ReplicaSet "${nameOf(current)}"`;
  const say = (list: Conditions, status: string, reason: string, message: string) =>
    withCondition(list, { type: "Progressing", status, reason, message }, now, ["lastUpdateTime"]);
  if (isComplete(deployment, counts)) {
    return say(told, "True", "NewReplicaSetAvailable", `${subject} has successfully progressed.`);
  }
  if (isMoving(deployment.status ?? {}, counts)) {
    const next = say(without(told, "Progressing"), "True", "ReplicaSetUpdated", `${subject} is progressing.`);
    // Each move is a sign of life: only the time of the update changes with it.
    const since = before?.status === "True" ? before.lastTransitionTime : undefined;
    return since === undefined
      ? next
      : next.map((it) => (it.type === "Progressing" ? { ...it, lastTransitionTime: since } : it));
  }
  if (isStuck(deployment, told, now)) {
    return say(told, "False", "ProgressDeadlineExceeded", `${subject} has timed out progressing.`);
  }
  return told;
}

/** Everything is new, there, and available. */
export function isComplete({ spec, metadata }: Deployment, counts: Counts): boolean {
  const wanted = spec?.replicas ?? 1;
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = counts;
  return (
    [updatedReplicas, replicas, availableReplicas].every((count) => count === wanted) &&
    observedGeneration >= (metadata?.generation ?? 0)
  );
}

function isMoving(before: Counts, after: Counts): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: Counts) => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isStuck(deployment: Deployment, told: Conditions, now: Instant): boolean {
  const before = find(told, "Progressing");
  if (before === undefined || before.reason === "NewReplicaSetAvailable") return false;
  if (before.reason === "ProgressDeadlineExceeded") return true;
  const at = deadlineOf(deployment, told);
  return at !== undefined && now > at;
}

function hasDeadline({ spec }: Deployment): boolean {
  return (spec?.progressDeadlineSeconds ?? 600) !== always;
}

function deadlineOf({ spec }: Deployment, told: Conditions): Instant | undefined {
  const last = parseTime(find(told, "Progressing")?.lastUpdateTime);
  return last === undefined ? undefined : plus(last, (spec?.progressDeadlineSeconds ?? 600) * 1000);
}

/** When to look whether it is stuck: times are kept to the second, so one more is waited. */
function stuckAt(deployment: Deployment, told: Conditions): Instant | undefined {
  const reason = find(told, "Progressing")?.reason;
  const isOver = reason === "NewReplicaSetAvailable" || reason === "ProgressDeadlineExceeded";
  if (isOver || !hasDeadline(deployment) || deployment.spec?.paused === true || isTerminating(deployment))
    return undefined;
  const at = deadlineOf(deployment, told);
  return at === undefined ? undefined : plus(at, 1000);
}

/** A ReplicaSet cannot do what it should: the current one's trouble comes first. */
function failureOf(
  sets: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
): readonly [string, string, string] | undefined {
  const ordered = current === undefined ? sets : [current, ...sets];
  for (const { status } of ordered) {
    const found = find(status?.conditions, "ReplicaFailure");
    if (found?.status === "True") return [found.status, found.reason ?? "", found.message ?? ""];
  }
  return undefined;
}
