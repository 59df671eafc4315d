import { instant, type KubeObject } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kstatus } from "./compute.ts";
import type { ComputedStatus, StatusName } from "./result.ts";

const now = instant(Date.parse("2026-01-19T22:00:00Z"));

/** What an object holds besides its names; anything, as on the wire. */
type Parts = { metadata?: unknown; spec?: unknown; status?: unknown };
/** A sentence, the object, the status, and the message; the reason where there is one. */
type Row = readonly [sentence: string, parts: Parts, status: StatusName, message: string, reason?: string];

function compute(apiVersion: string, kind: string, parts: Parts): ComputedStatus {
  const object: KubeObject = JSON.parse(JSON.stringify({ apiVersion, kind, ...parts }));
  return kstatus(object, now);
}

function table(apiVersion: string, kind: string, rows: readonly Row[]): void {
  describe(`${apiVersion} ${kind}`, () => {
    for (const [sentence, parts, status, message, reason] of rows) {
      it(sentence, () => expect(compute(apiVersion, kind, parts)).toEqual(expected(status, message, reason)));
    }
  });
}

function expected(status: StatusName, message: string, reason?: string): ComputedStatus {
  if (reason === undefined) return { status, message, conditions: [] };
  const type = status === "Failed" ? "Stalled" : "Reconciling";
  return { status, message, reason, conditions: [{ type, status: "True", reason, message }] };
}

const always = "Resource is always ready";
for (const [apiVersion, kind] of [
  ["v1", "Secret"],
  ["v1", "ConfigMap"],
  ["batch/v1", "CronJob"],
  ["batch/v1beta1", "CronJob"],
] as const) {
  table(apiVersion, kind, [
    ["is Current as soon as it exists", {}, "Current", always],
    [
      "is Current whatever Ready says",
      { status: { conditions: [{ type: "Ready", status: "False" }] } },
      "Current",
      always,
    ],
  ]);
}

table("v1", "Service", [
  ["without a type is ready at once", { spec: {} }, "Current", "Service is ready"],
  ["of type ClusterIP needs no address to be ready", { spec: { type: "ClusterIP" } }, "Current", "Service is ready"],
  ["of type NodePort is ready at once", { spec: { type: "NodePort" } }, "Current", "Service is ready"],
  [
    "of type LoadBalancer waits for its cluster IP",
    { spec: { type: "LoadBalancer" } },
    "InProgress",
    "Service of type LoadBalancer has no cluster IP",
    "NoIPAssigned",
  ],
  [
    "of type LoadBalancer takes an empty cluster IP for none",
    { spec: { type: "LoadBalancer", clusterIP: "" } },
    "InProgress",
    "Service of type LoadBalancer has no cluster IP",
    "NoIPAssigned",
  ],
  [
    "of type LoadBalancer takes a cluster IP that is a number for none",
    { spec: { type: "LoadBalancer", clusterIP: 10 } },
    "InProgress",
    "Service of type LoadBalancer has no cluster IP",
    "NoIPAssigned",
  ],
  [
    "of type LoadBalancer with a cluster IP is ready before its ingress is",
    { spec: { type: "LoadBalancer", clusterIP: "10.0.0.1" }, status: { loadBalancer: {} } },
    "Current",
    "Service is ready",
  ],
  ["with a spec that is a text is ready", { spec: "LoadBalancer" }, "Current", "Service is ready"],
]);

table("v1", "PersistentVolumeClaim", [
  ["is Current when bound", { status: { phase: "Bound" } }, "Current", "PersistentVolumeClaim is bound"],
  [
    "is InProgress while pending",
    { status: { phase: "Pending" } },
    "InProgress",
    "PersistentVolumeClaim is not bound, phase Pending",
    "NotBound",
  ],
  [
    "is InProgress when its volume is lost",
    { status: { phase: "Lost" } },
    "InProgress",
    "PersistentVolumeClaim is not bound, phase Lost",
    "NotBound",
  ],
  ["is InProgress without a phase", {}, "InProgress", "PersistentVolumeClaim is not bound, phase unknown", "NotBound"],
]);

const podReady = (status: string) => ({ type: "Ready", status });
const waiting = (name: unknown, reason: unknown) => ({ name, state: { waiting: { reason } } });
const unscheduled = (reason: string) => [{ type: "PodScheduled", status: "False", reason }];
const unschedulable = (creationTimestamp: unknown): Parts => ({
  metadata: { creationTimestamp },
  status: { phase: "Pending", conditions: unscheduled("Unschedulable") },
});

table("v1", "Pod", [
  ["that nobody has observed is InProgress", {}, "InProgress", "Pod has no phase yet", "PodNotObserved"],
  [
    "with a phase that is a number counts as not observed",
    { status: { phase: 3 } },
    "InProgress",
    "Pod has no phase yet",
    "PodNotObserved",
  ],
  ["that succeeded is Current", { status: { phase: "Succeeded" } }, "Current", "Pod has completed successfully"],
  [
    "that failed is Current, for it will not change any more",
    { status: { phase: "Failed" } },
    "Current",
    "Pod has completed, but not successfully",
  ],
  [
    "that runs and is ready is Current, even with a container in a crash loop",
    {
      status: {
        phase: "Running",
        conditions: [podReady("True")],
        containerStatuses: [waiting("app", "CrashLoopBackOff")],
      },
    },
    "Current",
    "Pod is ready",
  ],
  [
    "that runs and is not ready is InProgress",
    { status: { phase: "Running", conditions: [podReady("False")] } },
    "InProgress",
    "Pod is running, but not ready",
    "PodRunningNotReady",
  ],
  [
    "that runs and says nothing of Ready is InProgress",
    { status: { phase: "Running" } },
    "InProgress",
    "Pod is running, but not ready",
    "PodRunningNotReady",
  ],
  [
    "with containers in a crash loop is Failed and names them",
    {
      status: {
        phase: "Running",
        conditions: [podReady("False")],
        containerStatuses: [
          waiting("app", "CrashLoopBackOff"),
          { name: "proxy", state: { running: {} } },
          waiting("log", "CrashLoopBackOff"),
        ],
      },
    },
    "Failed",
    "Containers in a crash loop: app, log",
    "ContainerCrashLooping",
  ],
  [
    "whose container waits for another reason is InProgress",
    { status: { phase: "Running", containerStatuses: [waiting("app", "ImagePullBackOff")] } },
    "InProgress",
    "Pod is running, but not ready",
    "PodRunningNotReady",
  ],
  [
    "with container statuses in no shape at all is InProgress",
    {
      status: {
        phase: "Running",
        containerStatuses: [
          null,
          "app",
          {},
          waiting(7, "CrashLoopBackOff"),
          waiting("app", 7),
          { name: "app", state: "waiting" },
          { name: "app", state: { waiting: ["CrashLoopBackOff"] } },
          { state: { waiting: { reason: "CrashLoopBackOff" } } },
        ],
      },
    },
    "InProgress",
    "Pod is running, but not ready",
    "PodRunningNotReady",
  ],
  [
    "with container statuses that are no list is InProgress",
    { status: { phase: "Running", containerStatuses: { app: waiting("app", "CrashLoopBackOff") } } },
    "InProgress",
    "Pod is running, but not ready",
    "PodRunningNotReady",
  ],
  ["that is pending is InProgress", { status: { phase: "Pending" } }, "InProgress", "Pod is pending", "PodPending"],
  [
    "that is unscheduled for another reason than Unschedulable is InProgress",
    { status: { phase: "Pending", conditions: unscheduled("SchedulingGated") } },
    "InProgress",
    "Pod is pending",
    "PodPending",
  ],
  [
    "that is scheduled is pending, whatever reason is left over",
    {
      status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "True", reason: "Unschedulable" }] },
    },
    "InProgress",
    "Pod is pending",
    "PodPending",
  ],
  [
    "that is unschedulable has 15 seconds from its creation",
    unschedulable("2026-01-19T21:59:46Z"),
    "InProgress",
    "Pod has not been scheduled yet",
    "PodNotScheduled",
  ],
  [
    "that is unschedulable is Failed when the 15 seconds are over",
    unschedulable("2026-01-19T21:59:45Z"),
    "Failed",
    "Pod could not be scheduled",
    "PodUnschedulable",
  ],
  [
    "that is unschedulable is Failed when nobody knows its age",
    unschedulable(undefined),
    "Failed",
    "Pod could not be scheduled",
    "PodUnschedulable",
  ],
  [
    "that is unschedulable is Failed when its age is nonsense",
    unschedulable("yesterday"),
    "Failed",
    "Pod could not be scheduled",
    "PodUnschedulable",
  ],
  ["whose node is lost is Unknown", { status: { phase: "Unknown" } }, "Unknown", "Pod is in the unknown phase Unknown"],
]);

const rolledOut = { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" };
const available = { type: "Available", status: "True" };
const deployed = {
  replicas: 3,
  updatedReplicas: 3,
  availableReplicas: 3,
  readyReplicas: 3,
  conditions: [rolledOut, available],
};
const deploySpec = { replicas: 3, progressDeadlineSeconds: 600 };

const deploymentRows: readonly Row[] = [
  [
    "with all replicas and both conditions is Current",
    { spec: deploySpec, status: deployed },
    "Current",
    "Deployment is available with 3 replicas",
  ],
  ["without a status waits for one replica", {}, "InProgress", "0 of 1 replicas exist", "LessReplicas"],
  [
    "takes a replica count that is a text for the default of 1",
    { spec: { replicas: "3" } },
    "InProgress",
    "0 of 1 replicas exist",
    "LessReplicas",
  ],
  [
    "waits for its replicas to exist",
    { spec: deploySpec, status: { ...deployed, replicas: 2, updatedReplicas: 0 } },
    "InProgress",
    "2 of 3 replicas exist",
    "LessReplicas",
  ],
  [
    "waits for its replicas to be updated",
    { spec: deploySpec, status: { ...deployed, replicas: 4, updatedReplicas: 2 } },
    "InProgress",
    "2 of 3 replicas are updated",
    "LessUpdated",
  ],
  [
    "waits for old replicas to terminate",
    { spec: deploySpec, status: { ...deployed, replicas: 5, availableReplicas: 0 } },
    "InProgress",
    "2 replicas are yet to terminate",
    "ExtraPods",
  ],
  [
    "waits for every updated replica to be available",
    { spec: deploySpec, status: { ...deployed, updatedReplicas: 4, readyReplicas: 0 } },
    "InProgress",
    "3 of 4 replicas are available",
    "LessAvailable",
  ],
  [
    "waits for its replicas to be ready",
    { spec: deploySpec, status: { ...deployed, readyReplicas: 1, conditions: [] } },
    "InProgress",
    "1 of 3 replicas are ready",
    "LessReady",
  ],
  [
    "with a deadline waits for the new ReplicaSet",
    { spec: deploySpec, status: { ...deployed, conditions: [available] } },
    "InProgress",
    "ReplicaSet is not available",
    "ReplicaSetNotAvailable",
  ],
  [
    "with a deadline does not take progress for arrival",
    {
      spec: deploySpec,
      status: { ...deployed, conditions: [{ ...rolledOut, reason: "ReplicaSetUpdated" }, available] },
    },
    "InProgress",
    "ReplicaSet is not available",
    "ReplicaSetNotAvailable",
  ],
  [
    "with a deadline does not take Progressing=Unknown for arrival",
    { spec: deploySpec, status: { ...deployed, conditions: [{ ...rolledOut, status: "Unknown" }, available] } },
    "InProgress",
    "ReplicaSet is not available",
    "ReplicaSetNotAvailable",
  ],
  [
    "without a deadline needs no Progressing",
    { spec: { replicas: 3 }, status: { ...deployed, conditions: [available] } },
    "Current",
    "Deployment is available with 3 replicas",
  ],
  [
    "takes the largest deadline for none",
    { spec: { replicas: 3, progressDeadlineSeconds: 2147483647 }, status: { ...deployed, conditions: [available] } },
    "Current",
    "Deployment is available with 3 replicas",
  ],
  [
    "waits for Available",
    { spec: deploySpec, status: { ...deployed, conditions: [rolledOut, { ...available, status: "False" }] } },
    "InProgress",
    "Deployment is not available",
    "DeploymentNotAvailable",
  ],
  [
    "scaled to zero is Current when it says that it is available",
    { spec: { replicas: 0 }, status: { conditions: [available] } },
    "Current",
    "Deployment is available with 0 replicas",
  ],
];
table("apps/v1", "Deployment", deploymentRows);
table("extensions/v1beta1", "Deployment", deploymentRows);

it("a Deployment past its progress deadline is Failed, and Stalled keeps the controller's words", () => {
  const exceeded = {
    type: "Progressing",
    status: "False",
    reason: "ProgressDeadlineExceeded",
    message: "web-1 is late",
  };
  const status = { ...deployed, conditions: [available, exceeded] };
  expect(compute("apps/v1", "Deployment", { spec: deploySpec, status })).toEqual({
    status: "Failed",
    reason: "ProgressDeadlineExceeded",
    message: "Progress deadline exceeded",
    conditions: [{ type: "Stalled", status: "True", reason: "ProgressDeadlineExceeded", message: "web-1 is late" }],
  });
});

const full = { replicas: 2, fullyLabeledReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
const two = { replicas: 2 };
const replicaSetRows: readonly Row[] = [
  ["with all replicas is Current", { spec: two, status: full }, "Current", "ReplicaSet is available with 2 replicas"],
  ["without a status waits for one replica", {}, "InProgress", "0 of 1 replicas are fully labelled", "LessLabelled"],
  [
    "with a replica failure is InProgress, not Failed",
    {
      spec: two,
      status: { ...full, conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" }] },
    },
    "InProgress",
    "A replica failed, see the pods",
    "ReplicaFailure",
  ],
  [
    "with a replica failure that is over is Current",
    { spec: two, status: { ...full, conditions: [{ type: "ReplicaFailure", status: "False" }] } },
    "Current",
    "ReplicaSet is available with 2 replicas",
  ],
  [
    "waits for labels before it looks at availability",
    { spec: two, status: { ...full, fullyLabeledReplicas: 1, availableReplicas: 0 } },
    "InProgress",
    "1 of 2 replicas are fully labelled",
    "LessLabelled",
  ],
  [
    "waits for its replicas to be available",
    { spec: two, status: { ...full, availableReplicas: 0, readyReplicas: 1 } },
    "InProgress",
    "0 of 2 replicas are available",
    "LessAvailable",
  ],
  [
    "waits for its replicas to be ready",
    { spec: two, status: { ...full, readyReplicas: 1, replicas: 3 } },
    "InProgress",
    "1 of 2 replicas are ready",
    "LessReady",
  ],
  [
    "waits for extra replicas to terminate",
    { spec: two, status: { ...full, replicas: 3 } },
    "InProgress",
    "1 replicas are yet to terminate",
    "ExtraPods",
  ],
  ["scaled to zero is Current", { spec: { replicas: 0 } }, "Current", "ReplicaSet is available with 0 replicas"],
];
table("apps/v1", "ReplicaSet", replicaSetRows);
table("extensions/v1beta1", "ReplicaSet", replicaSetRows);

const settled = {
  replicas: 2,
  readyReplicas: 2,
  currentReplicas: 2,
  updatedReplicas: 2,
  currentRevision: "web-1",
  updateRevision: "web-1",
};
const partitioned = (partition: unknown) => ({
  replicas: 2,
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
});

table("apps/v1", "StatefulSet", [
  [
    "with all replicas at one revision is Current",
    { spec: two, status: settled },
    "Current",
    "All replicas are as expected (2)",
  ],
  ["without a status waits for one replica", {}, "InProgress", "0 of 1 replicas exist", "LessReplicas"],
  [
    "that is updated by hand is Current with no replica at all",
    { spec: { replicas: 2, updateStrategy: { type: "OnDelete" } } },
    "Current",
    "StatefulSet is updated by hand (OnDelete)",
  ],
  [
    "waits for its replicas to exist",
    { spec: two, status: { ...settled, replicas: 1, readyReplicas: 0 } },
    "InProgress",
    "1 of 2 replicas exist",
    "LessReplicas",
  ],
  [
    "waits for its replicas to be ready before it looks for extra ones",
    { spec: two, status: { ...settled, replicas: 3, readyReplicas: 1 } },
    "InProgress",
    "1 of 2 replicas are ready",
    "LessReady",
  ],
  [
    "waits for extra replicas to terminate",
    { spec: two, status: { ...settled, replicas: 5, currentReplicas: 0 } },
    "InProgress",
    "3 replicas are yet to terminate",
    "ExtraPods",
  ],
  [
    "with a partition waits for the replicas above it",
    { spec: partitioned(1), status: { ...settled, updatedReplicas: 0 } },
    "InProgress",
    "0 of 1 replicas of the partition are updated",
    "PartitionRollout",
  ],
  [
    "with a partition does not look at revisions",
    { spec: partitioned(1), status: { ...settled, currentReplicas: 1, updatedReplicas: 1, updateRevision: "web-2" } },
    "Current",
    "Partition rollout is complete, 1 replicas updated",
  ],
  [
    "with the partition 0 that the server defaults waits for all replicas",
    { spec: partitioned(0), status: { ...settled, updatedReplicas: 1 } },
    "InProgress",
    "1 of 2 replicas of the partition are updated",
    "PartitionRollout",
  ],
  [
    "with a partition above its replicas has nothing to update",
    { spec: partitioned(5), status: { ...settled, updatedReplicas: 0 } },
    "Current",
    "Partition rollout is complete, 0 replicas updated",
  ],
  [
    "takes a partition that is a text for none",
    { spec: partitioned("1"), status: { ...settled, updatedReplicas: 0 } },
    "Current",
    "All replicas are as expected (2)",
  ],
  [
    "waits for its replicas to be current before it compares revisions",
    { spec: two, status: { ...settled, currentReplicas: 1, updateRevision: "web-2" } },
    "InProgress",
    "1 of 2 replicas are current",
    "LessCurrent",
  ],
  [
    "waits for the current revision to become the updated one",
    { spec: two, status: { ...settled, updateRevision: "web-2" } },
    "InProgress",
    "The current revision is not the updated one yet",
    "RevisionMismatch",
  ],
]);

const spread = {
  observedGeneration: 1,
  desiredNumberScheduled: 4,
  currentNumberScheduled: 4,
  updatedNumberScheduled: 4,
  numberAvailable: 4,
  numberReady: 4,
};
const first = { generation: 1 };
const daemonSetRows: readonly Row[] = [
  ["on every node is Current", { metadata: first, status: spread }, "Current", "All replicas are as expected (4)"],
  [
    "that no node wants is Current",
    { metadata: first, status: { observedGeneration: 1, desiredNumberScheduled: 0 } },
    "Current",
    "All replicas are as expected (0)",
  ],
  [
    "without a generation is InProgress",
    { status: spread },
    "InProgress",
    "DaemonSet has no generation",
    "NoGeneration",
  ],
  [
    "that its controller has not observed is InProgress",
    { metadata: first },
    "InProgress",
    "DaemonSet has no observed generation",
    "NoObservedGeneration",
  ],
  [
    "without a desired number is InProgress",
    { metadata: first, status: { observedGeneration: 1 } },
    "InProgress",
    "DaemonSet has no status.desiredNumberScheduled",
    "NoDesiredNumber",
  ],
  [
    "waits for its replicas to be scheduled",
    { metadata: first, status: { ...spread, currentNumberScheduled: 1, updatedNumberScheduled: 0 } },
    "InProgress",
    "1 of 4 replicas are scheduled",
    "LessCurrent",
  ],
  [
    "waits for its replicas to be updated",
    { metadata: first, status: { ...spread, updatedNumberScheduled: 2, numberAvailable: 0 } },
    "InProgress",
    "2 of 4 replicas are updated",
    "LessUpdated",
  ],
  [
    "waits for its replicas to be available",
    { metadata: first, status: { ...spread, numberAvailable: 3, numberReady: 0 } },
    "InProgress",
    "3 of 4 replicas are available",
    "LessAvailable",
  ],
  [
    "waits for its replicas to be ready",
    { metadata: first, status: { ...spread, numberReady: 0 } },
    "InProgress",
    "0 of 4 replicas are ready",
    "LessReady",
  ],
];
table("apps/v1", "DaemonSet", daemonSetRows);
table("extensions/v1beta1", "DaemonSet", daemonSetRows);

table("policy/v1", "PodDisruptionBudget", [
  [
    "is Current when its controller is at the latest generation",
    { metadata: { generation: 2 }, status: { observedGeneration: 2, disruptionsAllowed: 0 } },
    "Current",
    "Allowed disruptions have been computed",
  ],
  [
    "is Current when it allows no disruption and says so",
    { status: { conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }] } },
    "Current",
    "Allowed disruptions have been computed",
  ],
]);

const started = { startTime: "2026-01-19T21:00:00Z", succeeded: 1, active: 2, failed: 3 };
const yes = (type: string) => ({ type, status: "True", reason: "Whatever" });

table("batch/v1", "Job", [
  ["that has not started is InProgress", {}, "InProgress", "Job has not started", "JobNotStarted"],
  [
    "with a start time that is a number has not started",
    { status: { startTime: 5 } },
    "InProgress",
    "Job has not started",
    "JobNotStarted",
  ],
  [
    "that runs without counters has counted nothing",
    { status: { startTime: started.startTime } },
    "Current",
    "Job is running: 0 succeeded, 0 active, 0 failed",
  ],
  ["that runs is Current", { status: started }, "Current", "Job is running: 1 succeeded, 2 active, 3 failed"],
  [
    "that is complete is Current",
    { spec: { completions: 4, parallelism: 2 }, status: { ...started, succeeded: 4, conditions: [yes("Complete")] } },
    "Current",
    "Job is complete, 4 of 4 succeeded",
  ],
  [
    "without completions wants as many as run in parallel",
    { spec: { parallelism: 2 }, status: { ...started, succeeded: 2, conditions: [yes("Complete")] } },
    "Current",
    "Job is complete, 2 of 2 succeeded",
  ],
  [
    "without either wants one",
    { status: { succeeded: 1, conditions: [yes("Complete")] } },
    "Current",
    "Job is complete, 1 of 1 succeeded",
  ],
  [
    "that failed is Failed",
    { spec: { completions: 4 }, status: { ...started, conditions: [yes("Failed")] } },
    "Failed",
    "Job failed, 3 of 4 failed",
    "JobFailed",
  ],
  [
    "that is suspended is Current though it has not started",
    { spec: { suspend: true }, status: { conditions: [yes("Suspended")] } },
    "Current",
    "Job is suspended",
  ],
  [
    "with conditions that are not True goes by its start time",
    {
      status: {
        ...started,
        conditions: ["Complete", "Failed", "Suspended"].map((type) => ({ type, status: "False" })),
      },
    },
    "Current",
    "Job is running: 1 succeeded, 2 active, 3 failed",
  ],
  [
    "that is about to fail is still running",
    { status: { ...started, conditions: [yes("FailureTarget")] } },
    "Current",
    "Job is running: 1 succeeded, 2 active, 3 failed",
  ],
  [
    "goes by the first of its conditions that decides",
    { status: { ...started, conditions: [yes("Failed"), yes("Complete")] } },
    "Failed",
    "Job failed, 3 of 1 failed",
    "JobFailed",
  ],
]);

const established = (status: string, reason: string) => ({
  type: "Established",
  status,
  reason,
  message: "about establishing",
});
const accepted = (status: string) => ({
  type: "NamesAccepted",
  status,
  reason: "ShortNamesConflict",
  message: "about names",
});
const installing = "CustomResourceDefinition is being installed";

table("apiextensions.k8s.io/v1", "CustomResourceDefinition", [
  ["without conditions is being installed", {}, "InProgress", installing, "Installing"],
  [
    "with accepted names is still being installed",
    { status: { conditions: [accepted("True")] } },
    "InProgress",
    installing,
    "Installing",
  ],
  [
    "that says so is being installed",
    { status: { conditions: [established("False", "Installing")] } },
    "InProgress",
    installing,
    "Installing",
  ],
  [
    "with Established=Unknown is being installed",
    { status: { conditions: [established("Unknown", "Wondering")] } },
    "InProgress",
    installing,
    "Installing",
  ],
  [
    "that is established is Current",
    { status: { conditions: [accepted("True"), established("True", "InitialNamesAccepted")] } },
    "Current",
    "CustomResourceDefinition is established",
  ],
  [
    "whose names are taken is Failed in the words of the server",
    { status: { conditions: [accepted("False"), established("True", "InitialNamesAccepted")] } },
    "Failed",
    "about names",
    "ShortNamesConflict",
  ],
  [
    "that cannot be established is Failed in the words of the server",
    { status: { conditions: [established("False", "NotAccepted")] } },
    "Failed",
    "about establishing",
    "NotAccepted",
  ],
]);

describe("a counter that its controller left out is zero", () => {
  it.each([
    ["Deployment", "updatedReplicas", "LessUpdated", { spec: deploySpec, status: deployed }],
    ["Deployment", "availableReplicas", "LessAvailable", { spec: deploySpec, status: deployed }],
    ["Deployment", "readyReplicas", "LessReady", { spec: deploySpec, status: deployed }],
    ["ReplicaSet", "availableReplicas", "LessAvailable", { spec: two, status: full }],
    ["ReplicaSet", "readyReplicas", "LessReady", { spec: two, status: full }],
    ["StatefulSet", "readyReplicas", "LessReady", { spec: two, status: settled }],
    ["StatefulSet", "currentReplicas", "LessCurrent", { spec: two, status: settled }],
    ["StatefulSet", "updatedReplicas", "PartitionRollout", { spec: partitioned(0), status: settled }],
    ["DaemonSet", "currentNumberScheduled", "LessCurrent", { metadata: first, status: spread }],
    ["DaemonSet", "updatedNumberScheduled", "LessUpdated", { metadata: first, status: spread }],
    ["DaemonSet", "numberAvailable", "LessAvailable", { metadata: first, status: spread }],
    ["DaemonSet", "numberReady", "LessReady", { metadata: first, status: spread }],
  ])("%s without %s is held up by %s", (kind, counter, reason, parts) => {
    expect(compute("apps/v1", kind, parts).status).toBe("Current");
    for (const value of [undefined, null, "9", 9.5]) {
      const status = { ...parts.status, [counter]: value };
      expect(compute("apps/v1", kind, { ...parts, status })).toMatchObject({ status: "InProgress", reason });
    }
  });
});

const builtins = [
  ["v1", "Service"],
  ["v1", "Pod"],
  ["v1", "Secret"],
  ["v1", "ConfigMap"],
  ["v1", "PersistentVolumeClaim"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["apps/v1", "Deployment"],
  ["apps/v1", "ReplicaSet"],
  ["policy/v1", "PodDisruptionBudget"],
  ["batch/v1", "CronJob"],
  ["batch/v1", "Job"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
] as const;

describe("any built-in kind", () => {
  it.each(builtins)("%s %s follows the generic rules first", (apiVersion, kind) => {
    const behind = { metadata: { generation: 2 }, status: { observedGeneration: 1 } };
    expect(compute(apiVersion, kind, behind).reason).toBe("LatestGenerationNotObserved");
    const leaving = { metadata: { deletionTimestamp: "2026-01-19T21:59:00Z" } };
    expect(compute(apiVersion, kind, leaving).status).toBe("Terminating");
  });

  it("gets an answer for every shape, and an abnormal one carries exactly its condition", () => {
    const anything = fc.jsonValue({ maxDepth: 3 });
    const condition = fc.record(
      {
        type: fc.constantFrom("Ready", "Progressing", "Available", "Complete", "Failed", "Established", "PodScheduled"),
        status: fc.oneof(fc.constantFrom("True", "False", "Unknown"), anything),
        reason: fc.oneof(fc.constantFrom("Unschedulable", "ProgressDeadlineExceeded"), anything),
        message: fc.oneof(fc.string(), anything),
      },
      { requiredKeys: [] },
    );
    const status = fc.record(
      {
        phase: fc.oneof(fc.constantFrom("Running", "Pending", "Bound"), anything),
        replicas: fc.oneof(fc.integer(), anything),
        observedGeneration: fc.oneof(fc.integer(), anything),
        containerStatuses: fc.oneof(fc.array(anything), anything),
        conditions: fc.oneof(fc.array(condition), anything),
      },
      { requiredKeys: [] },
    );
    const parts = fc.record(
      { metadata: anything, spec: anything, status: fc.oneof(status, anything) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...builtins), parts, ([apiVersion, kind], object) => {
        const computed = compute(apiVersion, kind, object);
        const types = computed.conditions.map(({ type }) => type);
        const want = { InProgress: ["Reconciling"], Failed: ["Stalled"] }[computed.status as string] ?? [];
        expect(types).toEqual(want);
      }),
      { seed: 20260119, numRuns: 2000 },
    );
  });
});
