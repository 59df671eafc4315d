// LocustTest: one load test, run once. This is everything that it can say of itself.
import {
  age,
  column,
  conditions,
  Double,
  defineKind,
  Enum,
  Fields,
  Flag,
  Int32,
  Int64,
  neutral,
  no,
  Optional,
  phases,
  positive,
  type Resource,
  Text,
  Time,
  unknown,
  when,
  wide,
  yes,
} from "@telltale/kinds";
import { v1 } from "./locust-test-v1.ts";
import { LocustTestSpec } from "./spec.ts";

const status = Fields({
  expectedWorkers: Int32(),
  connectedWorkers: Int32({ minimum: 0 }),
  workersSource: Enum(["LocustAPI", "JobStatus"]),
  mostConnectedWorkers: Int32({ description: "The most workers that Locust itself has reported at one time" }),
  lostWorkers: Int32({ description: "Workers that were lost while there was load, as far as that was seen" }),
  workerJobMissingSince: Time({ description: "When the worker Job of a running test was first seen to be missing" }),
  startTime: Time({ description: "When the master Job started" }),
  masterStartTime: Time({ description: "When the container of the master first ran" }),
  completionTime: Time(),
  testResult: Fields({
    totalRequests: Int64(),
    failedRequests: Int64(),
    averageResponseTime: Optional(Double({ description: "Milliseconds, over the whole run" })),
    requestsPerSecond: Optional(Double()),
    sampleTime: Time(),
    final: Flag({ description: "Whether it was read after the load had stopped" }),
  }),
  progress: Fields({
    currentUsers: Optional(Int32()),
    targetUsers: Optional(Int32()),
    duration: Optional(Text({ description: "How long the load has run: 1m30s" })),
    runTime: Optional(Text()),
    percent: Optional(Int32({ minimum: 0, maximum: 100 })),
    state: Optional(Enum(["ready", "spawning", "running", "cleanup", "stopping", "stopped"])),
    loadStartTime: Optional(Time({ description: "When load was first seen" })),
    loadStartNotBefore: Optional(Time({ description: "The last moment at which there was none" })),
  }),
  appliedGeneration: Int64({ description: "The generation that the resources were made from" }),
  appliedSpecHash: Text(),
});

const readFailed = () =>
  unknown("The API server refused to say what is there", "read the message: often a permission of the operator");

export const LocustTest = defineKind({
  group: "locust.io",
  version: "v2",
  kind: "LocustTest",
  shortNames: ["lotest"],
  description: "A distributed Locust load test. It runs once, with the spec that it was made with.",
  spec: LocustTestSpec,
  status,
  phases: phases(
    {
      Pending: ["Running", "Succeeded", "Failed"],
      Running: ["Succeeded", "Failed", when("recreate", "Pending")],
      Succeeded: [],
      Failed: [],
    },
    {
      final: ["Succeeded", "Failed"],
      // When a master ran may be learned after its end: where pods were not heard of before.
      thaw: ["observedGeneration", "masterStartTime", "conditions.SpecDrifted"],
      means: {
        Pending: "resources are being made, or the master has not begun",
        Running: "the master Job is active; its pod may still be starting",
        Succeeded: "the master ended well",
        Failed: "the master failed, or the operator gave up",
      },
    },
  ),
  conditions: conditions(
    {
      Ready: positive({
        means: "Everything that the test needs exists",
        reasons: {
          ResourcesCreating: no("Resources are being made", "wait; if it lasts, the message says for what"),
          ResourcesCreated: yes("All resources exist"),
          ResourcesFailed: no("A resource could not be made, or the test failed", "read the message"),
          ResourcesSuspended: no("A Job is suspended", "set spec.suspend of the Job to false"),
          WaitingForPods: no("A Job has not created all of its pods", "wait; if it lasts, look at PodsHealthy"),
          ReadFailed: readFailed(),
        },
        initial: { status: "False", reason: "ResourcesCreating", message: "Creating resources" },
      }),
      WorkersConnected: positive({
        means: "All workers are connected to the master",
        reasons: {
          WaitingForWorkers: no("Not all workers have connected yet", "wait; if it lasts, look at PodsHealthy"),
          AllWorkersConnected: yes("All workers are connected"),
          WorkersMissing: no("Workers that were connected are gone", "look at the worker pods that the message names"),
          TestFinished: unknown(
            "The test failed, and all workers were connected when they were last counted",
            "nothing to do",
          ),
          ReadFailed: readFailed(),
        },
        initial: { status: "False", reason: "WaitingForWorkers", message: "Waiting for workers to connect" },
      }),
      TestCompleted: positive({
        means: "The test is over, well or not",
        reasons: {
          TestInProgress: no("The test is not over", "wait"),
          TestSucceeded: yes("The test ended well"),
          TestFailed: yes("The test failed", "the message has the cause; exit code 1 often means failed requests"),
          ReadFailed: readFailed(),
        },
        initial: { status: "False", reason: "TestInProgress", message: "Test has not started" },
      }),
      PodsHealthy: positive({
        means: "No pod has a problem that does not go away by itself",
        reasons: {
          PodsStarting: unknown("Pods are to come, or are starting", "wait"),
          PodsNotReady: unknown(
            "Pods that run are not ready: a container has ended, or nothing is heard of their node",
            "look at the pods that the message names, and at their nodes",
          ),
          PodsHealthy: yes("All pods are healthy"),
          PodCreationFailed: no(
            "The Job controller cannot create pods",
            "read the message: often a quota, a LimitRange or an admission webhook",
          ),
          PodsMissing: no(
            "A Job has too few pods, and does not say why",
            "check that a Job controller runs, and read the Events of the Job",
          ),
          ImagePullError: no("An image cannot be pulled", "correct spec.image or the pull secret"),
          ConfigurationError: no("A pod lacks something that it mounts or reads", "make what the message names"),
          SchedulingError: no("A pod finds no node", "free resources, or change spec.scheduling"),
          ContainersNotCreated: no(
            "A pod has a node, and no containers, and nothing names a missing volume",
            "read the Events of the pod: check ConfigMaps, Secrets and volumes, the pull of its image, and the network of its node",
          ),
          CrashLoopBackOff: no("A container ended with an error", "read the log of the pod that the message names"),
          InitializationError: no("An init container failed", "read its log"),
          TestFinished: unknown("The test ended before all of its pods were seen to run", "nothing to do"),
          ReadFailed: readFailed(),
        },
        initial: { status: "Unknown", reason: "PodsStarting", message: "Waiting for pods to start" },
      }),
      LoadComplete: positive({
        means: "The load ran for its run time, and no worker was lost while there was load",
        present: "onceSet",
        qualifiesResult: true,
        reasons: {
          LoadComplete: yes("The load ran for its run time, with all workers that had connected"),
          RanShort: no("The load ended before its run time", "read the log of the master, and run the test again"),
          WorkersLost: no("Workers were lost while there was load", "look at the worker pods, and run the test again"),
          MasterDisrupted: no(
            "The master pod was ended from outside: evicted, preempted, or with its node",
            "read the message for who ended it, and run the test again where that does not happen",
          ),
          LoadContinues: unknown("The load goes on", "wait"),
          LoadUnknown: unknown(
            "How much of the load was run is not known",
            "set --run-time, and let the operator read the web API to its end (autoquit of 10 s or more)",
          ),
        },
      }),
      SpecDrifted: neutral({
        means: "The spec is not the one that the test runs with",
        present: "onceTrue",
        reasons: {
          SpecChangeIgnored: yes("The spec was changed", "delete the LocustTest and make it again to apply it"),
          SpecApplied: no("The spec is the test's again", "nothing to do"),
        },
      }),
      TelemetryAvailable: positive({
        means: "The master's web API is read",
        reasons: {
          WaitingForMaster: unknown("The master does not run yet", "wait"),
          Polling: yes("It is read"),
          MasterEnded: unknown("The master has ended, and is not read any more", "wait"),
          TestFinished: unknown("The test is over, and its master is not read any more", "nothing to do"),
          MasterUnreachable: no("It does not answer", "check the network path from the operator to the pod"),
          WebUIDisabled: no("The test runs without a web API", "leave --headless out to see progress"),
          AuthenticationRequired: no("It asks for a login", "leave --web-login out"),
          PermissionDenied: no(
            "The API server does not let the operator reach the pod",
            "grant get on pods/proxy (telltale rbac locust --locust.telemetry-mode=api-proxy), or set TELEMETRY_MODE",
          ),
          InvalidResponse: no("It answers with something else", "check --web-base-path"),
          Disabled: no("The operator does not read it", "set TELEMETRY_MODE"),
          ReadFailed: readFailed(),
        },
        initial: { status: "Unknown", reason: "WaitingForMaster", message: "Master pod is not running yet" },
      }),
    },
    { order: "insertion" },
  ),
  once: ["startTime", "masterStartTime", "completionTime"],
  memory: [
    "phase",
    "appliedGeneration",
    "appliedSpecHash",
    "expectedWorkers",
    "connectedWorkers",
    "mostConnectedWorkers",
    "lostWorkers",
    "workerJobMissingSince",
    "masterStartTime",
    "progress",
    "testResult",
    "conditions.WorkersConnected",
    "conditions.Ready",
  ],
  volatile: ["testResult", "progress.currentUsers", "progress.duration", "progress.percent"],
  columns: [
    column("Phase", ".status.phase"),
    column("Workers", ".spec.worker.replicas", "integer"),
    column("Connected", ".status.connectedWorkers", "integer"),
    column("Users", ".status.progress.currentUsers", "integer"),
    column("Progress", ".status.progress.percent", "integer"),
    wide("Requests", ".status.testResult.totalRequests", "integer"),
    wide("Failures", ".status.testResult.failedRequests", "integer"),
    wide("Image", ".spec.image"),
    age(),
  ],
  finalizer: "locust.io/cleanup",
  versions: [v1],
});
export type LocustTest = Resource<typeof LocustTest>;
export type LocustTestStatus = NonNullable<LocustTest["status"]>;
