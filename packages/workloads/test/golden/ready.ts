// The scenarios that run by default, by name or by the beginning of a name: those whose controllers are there.
// GOLDEN=<names or beginnings, by comma> runs others.

export const ready: readonly string[] = [
  "daemonset",
  "deployment-adopt",
  "deployment-label-release",
  "finalizer-delete",
  "gc-",
  "pod-",
  "replicaset-",
  "service-external-name",
  "service-no-selector",
  "statefulset-delete-foreground",
  "statefulset-ondelete",
  "statefulset-parallel",
  "statefulset-partition",
  "statefulset-pod-",
  "statefulset-rolling",
];
