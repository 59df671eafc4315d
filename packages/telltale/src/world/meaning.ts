// What a reason means and what to do about it: from the vocabulary of the kind, and for what Kubernetes itself says from a table.
import { declarationOf, type Kind } from "@telltale/kinds";
import type { Said } from "./look.ts";

export interface Meaning {
  readonly means: string;
  readonly fix: string;
}

export function meaningOf(kind: Kind | undefined, { type, reason }: Said): Meaning | undefined {
  const declared = kind === undefined ? undefined : declarationOf(kind.conditions, type);
  const own = declared?.reasons[reason];
  if (own !== undefined) return { means: own.means, fix: own.fix };
  return kubernetes[reason];
}

const seeLog = "read its log: kubectl logs, and kubectl logs --previous for the run before";

/** What kubelets, the scheduler and Kubernetes' own controllers say most often. */
const kubernetes: Readonly<Record<string, Meaning>> = {
  BackoffLimitExceeded: {
    means: "Its pods failed more often than the Job allows",
    fix: "look at the last pod; then make the Job again",
  },
  PodFailurePolicy: { means: "A pod failed in a way that the Job's policy does not forgive", fix: "look at the pod" },
  DeadlineExceeded: {
    means: "It ran for longer than it may",
    fix: "raise activeDeadlineSeconds, or find out what took so long",
  },
  CrashLoopBackOff: { means: "The container ends again and again; it is started later and later", fix: seeLog },
  Error: { means: "The container ended with an error", fix: seeLog },
  OOMKilled: { means: "The container needed more memory than its limit", fix: "raise resources.limits.memory" },
  ContainerCannotRun: { means: "The program of the container could not be started", fix: "check command and image" },
  ImagePullBackOff: { means: "The image cannot be pulled", fix: "check its name, and the pull secret" },
  ErrImagePull: { means: "The image cannot be pulled", fix: "check its name, and the pull secret" },
  InvalidImageName: { means: "The name of the image is none", fix: "correct it" },
  CreateContainerConfigError: {
    means: "A ConfigMap or Secret that the container reads is missing",
    fix: "make what the message names",
  },
  CreateContainerError: { means: "The container could not be made", fix: "read the message" },
  Unschedulable: { means: "No node has room for the pod", fix: "free resources, add a node, or ask for less" },
  SchedulingGated: { means: "Somebody holds the pod back from being scheduled", fix: "see spec.schedulingGates" },
  ContainersNotReady: {
    means: "A container does not run, or its probe fails",
    fix: "look at the container; kubectl describe shows its probes",
  },
  ContainersNotInitialized: {
    means: "Init containers have not ended yet",
    fix: "wait; if it lasts, read the log of the init container",
  },
  ReadinessGatesNotReady: {
    means: "Somebody outside has not said yet that the pod may serve",
    fix: "look at spec.readinessGates",
  },
  Evicted: { means: "The node had no room left", fix: "set requests that are true, or add nodes" },
  MinimumReplicasUnavailable: { means: "Fewer pods are ready than there must be", fix: "look at its pods" },
  ProgressDeadlineExceeded: {
    means: "A rollout did not get on for too long",
    fix: "look at the newest pods; kubectl rollout undo goes back",
  },
  FailedCreate: { means: "Pods could not be made", fix: "read the message: often a quota, or an admission webhook" },
  NodeLost: { means: "Nothing is heard of the pod's node", fix: "look at the node" },
};
