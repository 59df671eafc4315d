// Where the embedded server and its controllers are allowed to differ from the recordings, each with its reason.

export interface Allowed {
  readonly scenario: string;
  /** `Kind/name` as in the recording. */
  readonly object: string;
  /** What is not compared: a path as the differences print it. Left out: the object as a whole. */
  readonly path?: string;
  readonly reason: string;
}

/** The garbage collector is part of the embedded server, and deletes a pod before any watcher hears that its Job goes. */
const collected = "the pod is deleted before the Job controller takes off its finalizer, not after";

export const allowed: readonly Allowed[] = [
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
