// The scenarios that run by default, by name or by the beginning of a name: those whose controllers are there.
// GOLDEN=<names or beginnings, by comma> runs others.

export const ready: readonly string[] = [
  "daemonset",
  "deployment-adopt",
  "deployment-label-release",
  "deployment-service",
  "finalizer-delete",
  "gc-",
  "job-",
  "namespace-delete-empty",
  "pdb",
  "pod-",
  "replicaset-",
  "service-",
  "statefulset-delete-foreground",
  "statefulset-ondelete",
  "statefulset-parallel",
  "statefulset-partition",
  "statefulset-pod-",
  "statefulset-pvc",
  "statefulset-rolling",
];
