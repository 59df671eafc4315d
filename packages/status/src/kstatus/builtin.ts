// The kinds that kstatus knows by name, because they came before its conventions: one rule each. The generic rules
// have already passed when a rule runs, so a rule never sees a deleted object or an outdated generation.
import { type Instant, parseTime } from "@telltale/kinds";
import { type Fields, fields, integer, isFields, list, type SeenCondition, text } from "./fields.ts";
import { type ComputedStatus, current, failed, inProgress, unknown } from "./result.ts";

/** An object taken apart. A part that is absent or no object is empty. */
export interface Seen {
  readonly kind: string;
  readonly metadata: Fields;
  readonly spec: Fields;
  readonly status: Fields;
  readonly conditions: readonly SeenCondition[];
  readonly now: Instant;
}

export type Rule = (seen: Seen) => ComputedStatus;

/** The rule of a built-in kind, in any version of its group. */
export function builtinRule(apiVersion: string, kind: string): Rule | undefined {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return undefined;
  const group = parts.length === 2 ? parts[0] : "";
  return rules.get(group ? `${group}/${kind}` : kind);
}

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["Service", service],
  ["Pod", pod],
  ["Secret", always],
  ["ConfigMap", always],
  ["PersistentVolumeClaim", claim],
  ["apps/StatefulSet", statefulSet],
  ["apps/DaemonSet", daemonSet],
  ["extensions/DaemonSet", daemonSet],
  ["apps/Deployment", deployment],
  ["extensions/Deployment", deployment],
  ["apps/ReplicaSet", replicaSet],
  ["extensions/ReplicaSet", replicaSet],
  ["policy/PodDisruptionBudget", disruptionBudget],
  ["batch/CronJob", always],
  ["batch/Job", job],
  ["apiextensions.k8s.io/CustomResourceDefinition", customResourceDefinition],
]);

function always(): ComputedStatus {
  return current("Resource is always ready");
}

function service({ spec }: Seen): ComputedStatus {
  const balanced = text(spec, "type", "") === "LoadBalancer";
  if (balanced && text(spec, "clusterIP", "") === "") {
    return inProgress("NoIPAssigned", "Service of type LoadBalancer has no cluster IP");
  }
  return current("Service is ready");
}

function claim({ status }: Seen): ComputedStatus {
  const phase = text(status, "phase", "unknown");
  if (phase !== "Bound") return inProgress("NotBound", `PersistentVolumeClaim is not bound, phase ${phase}`);
  return current("PersistentVolumeClaim is bound");
}

/** How long a pod may be unschedulable before that counts as a failure. */
const scheduleWindow = 15_000;

function pod(seen: Seen): ComputedStatus {
  const phase = text(seen.status, "phase", "");
  switch (phase) {
    case "Succeeded":
      return current("Pod has completed successfully");
    case "Failed":
      return current("Pod has completed, but not successfully");
    case "Running":
      return runningPod(seen);
    case "Pending":
      return pendingPod(seen);
    case "":
      return inProgress("PodNotObserved", "Pod has no phase yet");
    default:
      return unknown(`Pod is in the unknown phase ${phase}`);
  }
}

function runningPod({ status, conditions }: Seen): ComputedStatus {
  if (has(conditions, "Ready", "True")) return current("Pod is ready");
  const looping = (list(status, "containerStatuses") ?? []).flatMap(crashLooping);
  if (looping.length > 0) return failed("ContainerCrashLooping", `Containers in a crash loop: ${looping.join(", ")}`);
  return inProgress("PodRunningNotReady", "Pod is running, but not ready");
}

function pendingPod({ metadata, conditions, now }: Seen): ComputedStatus {
  const scheduled = conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (scheduled?.reason !== "Unschedulable") return inProgress("PodPending", "Pod is pending");
  const created = parseTime(text(metadata, "creationTimestamp", undefined));
  if (created !== undefined && now - scheduleWindow < created) {
    return inProgress("PodNotScheduled", "Pod has not been scheduled yet");
  }
  return failed("PodUnschedulable", "Pod could not be scheduled");
}

/** The name of a container that waits in CrashLoopBackOff, or nothing. */
function crashLooping(container: unknown): string[] {
  if (!isFields(container)) return [];
  const name = text(container, "name", undefined);
  const waiting = fields(fields(container, "state"), "waiting");
  return name !== undefined && text(waiting, "reason", "") === "CrashLoopBackOff" ? [name] : [];
}

function deployment({ spec, status, conditions }: Seen): ComputedStatus {
  const exceeded = conditions.find(
    ({ type, reason }) => type === "Progressing" && reason === "ProgressDeadlineExceeded",
  );
  if (exceeded) return failed(exceeded.reason, "Progress deadline exceeded", exceeded.message);

  // without a deadline (the controller reads the largest int32 as none) nobody sets Progressing
  const progressed =
    integer(spec, "progressDeadlineSeconds", maxInt32) === maxInt32 ||
    conditions.some((c) => c.type === "Progressing" && c.status === "True" && c.reason === "NewReplicaSetAvailable");
  const wanted = integer(spec, "replicas", 1);
  const replicas = integer(status, "replicas", 0);
  const updated = integer(status, "updatedReplicas", 0);
  return (
    fewer("LessReplicas", "exist", replicas, wanted) ??
    fewer("LessUpdated", "are updated", updated, wanted) ??
    surplus(replicas, wanted) ??
    fewer("LessAvailable", "are available", integer(status, "availableReplicas", 0), updated) ??
    fewer("LessReady", "are ready", integer(status, "readyReplicas", 0), wanted) ??
    unless(progressed, "ReplicaSetNotAvailable", "ReplicaSet is not available") ??
    unless(has(conditions, "Available", "True"), "DeploymentNotAvailable", "Deployment is not available") ??
    current(`Deployment is available with ${replicas} replicas`)
  );
}

const maxInt32 = 2 ** 31 - 1;

function replicaSet({ spec, status, conditions }: Seen): ComputedStatus {
  const wanted = integer(spec, "replicas", 1);
  const replicas = integer(status, "replicas", 0);
  return (
    unless(!has(conditions, "ReplicaFailure", "True"), "ReplicaFailure", "A replica failed, see the pods") ??
    fewer("LessLabelled", "are fully labelled", integer(status, "fullyLabeledReplicas", 0), wanted) ??
    fewer("LessAvailable", "are available", integer(status, "availableReplicas", 0), wanted) ??
    fewer("LessReady", "are ready", integer(status, "readyReplicas", 0), wanted) ??
    surplus(replicas, wanted) ??
    current(`ReplicaSet is available with ${replicas} replicas`)
  );
}

function statefulSet({ spec, status }: Seen): ComputedStatus {
  const strategy = fields(spec, "updateStrategy");
  if (text(strategy, "type", "") === "OnDelete") return current("StatefulSet is updated by hand (OnDelete)");

  const wanted = integer(spec, "replicas", 1);
  const replicas = integer(status, "replicas", 0);
  return (
    fewer("LessReplicas", "exist", replicas, wanted) ??
    fewer("LessReady", "are ready", integer(status, "readyReplicas", 0), wanted) ??
    surplus(replicas, wanted) ??
    partitionRollout(fields(strategy, "rollingUpdate"), status, wanted) ??
    fewer("LessCurrent", "are current", integer(status, "currentReplicas", 0), wanted) ??
    unless(
      text(status, "currentRevision", "") === text(status, "updateRevision", ""),
      "RevisionMismatch",
      "The current revision is not the updated one yet",
    ) ??
    current(`All replicas are as expected (${replicas})`)
  );
}

/** Decides alone when there is a partition. The server defaults it to 0, so on a cluster there nearly always is one. */
function partitionRollout(rollingUpdate: Fields, status: Fields, wanted: number): ComputedStatus | undefined {
  const partition = integer(rollingUpdate, "partition", -1);
  if (partition === -1) return undefined;
  const updated = integer(status, "updatedReplicas", 0);
  return (
    fewer("PartitionRollout", "of the partition are updated", updated, wanted - partition) ??
    current(`Partition rollout is complete, ${updated} replicas updated`)
  );
}

/** Stricter than the generic rule: a DaemonSet without generations is one that its controller has not touched. */
function daemonSet({ kind, metadata, status }: Seen): ComputedStatus {
  const wanted = integer(status, "desiredNumberScheduled", -1);
  return (
    unless(integer(metadata, "generation", undefined) !== undefined, "NoGeneration", `${kind} has no generation`) ??
    unless(
      integer(status, "observedGeneration", undefined) !== undefined,
      "NoObservedGeneration",
      `${kind} has no observed generation`,
    ) ??
    unless(wanted !== -1, "NoDesiredNumber", `${kind} has no status.desiredNumberScheduled`) ??
    fewer("LessCurrent", "are scheduled", integer(status, "currentNumberScheduled", 0), wanted) ??
    fewer("LessUpdated", "are updated", integer(status, "updatedNumberScheduled", 0), wanted) ??
    fewer("LessAvailable", "are available", integer(status, "numberAvailable", 0), wanted) ??
    fewer("LessReady", "are ready", integer(status, "numberReady", 0), wanted) ??
    current(`All replicas are as expected (${wanted})`)
  );
}

/** Its controller sets the observed generation, and the generic rule has seen it: the budget is computed. */
function disruptionBudget(): ComputedStatus {
  return current("Allowed disruptions have been computed");
}

/** A job is Current from its start on: that it runs is what its spec asks for. */
function job({ spec, status, conditions }: Seen): ComputedStatus {
  const completions = integer(spec, "completions", integer(spec, "parallelism", 1));
  const succeeded = integer(status, "succeeded", 0);
  const lost = integer(status, "failed", 0);
  for (const condition of conditions) {
    if (condition.status !== "True") continue;
    switch (condition.type) {
      case "Complete":
        return current(`Job is complete, ${succeeded} of ${completions} succeeded`);
      case "Failed":
        return failed("JobFailed", `Job failed, ${lost} of ${completions} failed`);
      case "Suspended":
        return current("Job is suspended");
    }
  }
  if (text(status, "startTime", "") === "") return inProgress("JobNotStarted", "Job has not started");
  return current(`Job is running: ${succeeded} succeeded, ${integer(status, "active", 0)} active, ${lost} failed`);
}

function customResourceDefinition({ conditions }: Seen): ComputedStatus {
  for (const { type, status, reason, message } of conditions) {
    if (type === "NamesAccepted" && status === "False") return failed(reason, message);
    if (type !== "Established") continue;
    if (status === "True") return current("CustomResourceDefinition is established");
    if (status === "False" && reason !== "Installing") return failed(reason, message);
  }
  return inProgress("Installing", "CustomResourceDefinition is being installed");
}

function fewer(reason: string, verb: string, have: number, want: number): ComputedStatus | undefined {
  return have < want ? inProgress(reason, `${have} of ${want} replicas ${verb}`) : undefined;
}

function surplus(have: number, want: number): ComputedStatus | undefined {
  return have > want ? inProgress("ExtraPods", `${have - want} replicas are yet to terminate`) : undefined;
}

function unless(fine: boolean, reason: string, message: string): ComputedStatus | undefined {
  return fine ? undefined : inProgress(reason, message);
}

function has(conditions: readonly SeenCondition[], type: string, status: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === status);
}
