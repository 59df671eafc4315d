// What one pod says: the rows P-1 to P-10. Pure.
import type { ConditionStatus } from "@telltale/kinds";
import { type SafeText, table, text } from "@telltale/status";
import { type Fault, meaningOf } from "../http-errors.ts";
import { podSays } from "../messages.ts";
import {
  type BindcarReason,
  REASON_NOT_PROBED,
  REASON_NOT_READY,
  REASON_PODS_CRASHING,
  REASON_PODS_PENDING,
  REASON_PROGRESSING,
  REASON_READY,
  REASON_UPSTREAM_UNREACHABLE,
  REASON_ZONE_TRANSFER_FAILED,
} from "../reasons.ts";
import type { ContainerView, Lag, PodView } from "./pod-view.ts";

export type PodReason =
  | typeof REASON_READY
  | typeof REASON_NOT_READY
  | typeof REASON_NOT_PROBED
  | typeof REASON_PROGRESSING
  | typeof REASON_PODS_PENDING
  | typeof REASON_PODS_CRASHING
  | typeof REASON_ZONE_TRANSFER_FAILED
  | typeof REASON_UPSTREAM_UNREACHABLE
  | BindcarReason;

export interface PodSaid {
  readonly status: ConditionStatus;
  readonly reason: PodReason;
  readonly message: SafeText;
  /** What the instance says where all its pods have trouble with Bindcar. */
  readonly cause?: SafeText;
}

export const podCondition = table<PodView, PodSaid>([
  {
    id: "P-1",
    when: ({ ready }) => ready?.status === "Unknown",
    result: ({ name }) => ({
      status: "Unknown",
      reason: REASON_NOT_READY,
      message: podSays.lost(name),
    }),
  },
  {
    id: "P-2",
    when: ({ scheduled, phase, hasNode }) => scheduled?.status === "False" || (phase === "Pending" && !hasNode),
    result: ({ name, scheduled }) =>
      no(
        REASON_PODS_PENDING,
        podSays.unscheduled(name, scheduled?.reason === undefined ? undefined : text`${scheduled.reason}`),
      ),
  },
  {
    id: "P-3",
    when: (pod) => crashingOf(pod) !== undefined,
    result: (pod) => {
      const { name = "", waiting, ended, restarts = 0 } = crashingOf(pod) ?? {};
      const why = waiting ?? ended?.reason ?? "Error";
      return no(REASON_PODS_CRASHING, podSays.crashing(pod.name, name, why, restarts));
    },
  },
  {
    id: "P-4",
    when: (pod) => waitingOf(pod, stuck) !== undefined,
    result: (pod) => {
      const { name = "", waiting = "" } = waitingOf(pod, stuck) ?? {};
      return no(REASON_NOT_READY, podSays.blocked(pod.name, name, waiting));
    },
  },
  {
    id: "P-5",
    when: (pod) => pod.containers.length === 0 || waitingOf(pod, starting) !== undefined,
    result: (pod) => {
      const { name = pod.planned[0] ?? "", waiting = "ContainerCreating" } = waitingOf(pod, starting) ?? {};
      return no(REASON_PROGRESSING, podSays.starting(pod.name, name, waiting));
    },
  },
  {
    id: "P-6",
    when: ({ probe }) => probe.kind === "failed",
    result({ name, probe }) {
      const fault: Fault = probe.kind === "failed" ? probe.fault : { trouble: { at: "unreachable", why: "failed" } };
      const { reason, phrase, message: cause } = meaningOf(fault);
      return { ...no(reason, podSays.bindcar(name, phrase)), cause };
    },
  },
  {
    id: "P-7",
    when: ({ lag }) => lag !== undefined,
    result: ({ name, lag }) => lagging(name, lag ?? { is: "cutOff", zone: "" }),
  },
  {
    id: "P-8",
    when: ({ ready }) => ready?.status !== "True",
    result: ({ name, ready }) => no(REASON_NOT_READY, podSays.notReady(name, ready?.reason)),
  },
  {
    id: "P-10",
    when: ({ probe }) => probe.kind === "unknown",
    result: ({ name, probe }) => ({
      status: "Unknown",
      reason: REASON_NOT_PROBED,
      message: probe.kind === "unknown" && probe.wasAnswered ? podSays.silent(name) : podSays.notProbed(name),
    }),
  },
  {
    id: "P-9",
    when: () => true,
    result: ({ name }) => ({ status: "True", reason: REASON_READY, message: podSays.ready(name) }),
  },
]);

/** The kubelet says so, and its Bindcar has answered. */
export const isReadyPod = ({ ready, probe }: PodView): boolean =>
  ready?.status === "True" && probe.kind === "succeeded";

/** It may be ready: the node cannot be reached, or Bindcar has not answered yet. */
export const isUnknownPod = ({ ready, probe }: PodView): boolean =>
  ready?.status === "Unknown" || (ready?.status === "True" && probe.kind === "unknown");

const no = (reason: PodReason, message: SafeText): PodSaid => ({ status: "False", reason, message });

const stuck = [
  "ImagePullBackOff",
  "ErrImagePull",
  "InvalidImageName",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
];
const starting = ["ContainerCreating", "PodInitializing"];

const waitingOf = ({ containers }: PodView, reasons: readonly string[]): ContainerView | undefined =>
  containers.find(({ waiting = "" }) => reasons.includes(waiting));

/** So many restarts are no accident any more. */
const patience = 3;

const crashingOf = ({ containers }: PodView): ContainerView | undefined =>
  containers.find(({ waiting, isReady, restarts, ended }) => {
    const keepsEnding = ended !== undefined && ended.exitCode !== 0 && !isReady && restarts >= patience;
    return waiting === "CrashLoopBackOff" || (keepsEnding && !stuck.includes(waiting ?? ""));
  });

function lagging(name: string, lag: Lag): PodSaid {
  if (lag.is === "cutOff") {
    return no(REASON_UPSTREAM_UNREACHABLE, podSays.notFetched(name, lag.zone));
  }
  const { zone, have, want } = lag;
  return no(REASON_ZONE_TRANSFER_FAILED, podSays.behind(name, zone, have, want));
}
