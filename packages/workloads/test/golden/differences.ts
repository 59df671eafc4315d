// Where the embedded server and its controllers are allowed to differ from the recordings, each with its reason.

export interface Allowed {
  readonly scenario: string;
  /** `Kind/name` as in the recording. */
  readonly object: string;
  /** What is not compared: a path as the differences print it. Left out: the object as a whole. */
  readonly path?: string;
  /** Only what it passes through is not compared; how it stands when everything has settled is. */
  readonly between?: true;
  readonly reason: string;
}

/** The garbage collector is part of the embedded server, and deletes a pod before any watcher hears that its Job goes. */
const collected = "the pod is deleted before the Job controller takes off its finalizer, not after";

/** The notes on the recordings name these as what varies and is never to be relied on. */
const interleaved =
  "whether observedGeneration is written alone or with the first counts, and what is unavailable meanwhile, is a matter of who is faster";

export const allowed: readonly Allowed[] = [
  { scenario: "deployment-rolling-4", object: "Deployment/web", between: true, reason: interleaved },
  { scenario: "deployment-rollover", object: "Deployment/web", between: true, reason: interleaved },
  { scenario: "deployment-scale-during-rollout", object: "Deployment/web", between: true, reason: interleaved },
  {
    scenario: "deployment-hand-scale-rs",
    object: "ReplicaSet/web-<hash:1>",
    between: true,
    reason: "the ReplicaSet tells of the size that a person gave it before the Deployment takes it back",
  },
  {
    scenario: "job-delete-background",
    object: "Pod/bg-<rand:1>",
    path: "metadata.finalizers[0]",
    reason: collected,
  },
  {
    scenario: "job-delete-foreground",
    object: "Pod/fg-<rand:1>",
    path: "metadata.finalizers[0]",
    reason: collected,
  },
];
