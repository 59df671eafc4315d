// A pod as the aggregation sees it: what the kubelet says of it, and what Bindcar in it answers.
import { type ConditionStatus, type Instant, instant, parseTime } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { Fault } from "../http-errors.ts";

export interface PodView {
  readonly uid: string;
  readonly name: string;
  readonly created: Instant;
  readonly phase: string;
  readonly hasNode: boolean;
  readonly scheduled: { readonly status: ConditionStatus; readonly reason?: string } | undefined;
  readonly ready: { readonly status: ConditionStatus; readonly reason?: string } | undefined;
  readonly containers: readonly ContainerView[];
  /** Containers that the pod is to have, for one that has no status yet. */
  readonly planned: readonly string[];
  readonly probe: ProbeState;
  /** A zone that it should have from elsewhere, and has not had for too long. */
  readonly lag?: Lag;
}

export interface ContainerView {
  readonly name: string;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly waiting?: string;
  /** How its last run ended. */
  readonly ended?: { readonly exitCode: number; readonly reason: string };
}

/** What keeps a secondary from being up to date (P-7). */
export type Lag =
  | { readonly is: "behind"; readonly zone: string; readonly have: number; readonly want: number }
  | { readonly is: "cutOff"; readonly zone: string }; // none of its external primaries can be reached

/** What the last probes of a pod's Bindcar came to. */
export type ProbeState =
  | { readonly kind: "unknown"; readonly wasAnswered: boolean } // it has not answered yet, or not for too long
  | { readonly kind: "succeeded" }
  | { readonly kind: "failed"; readonly fault: Fault };

export const notProbed: ProbeState = { kind: "unknown", wasAnswered: false };

/** What is known of a pod from elsewhere. */
export interface Finding {
  readonly probe: ProbeState;
  readonly lag?: Lag;
}

export function podView(pod: Pod, finding: Finding = { probe: notProbed }): PodView {
  const { metadata, spec, status } = pod;
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  return {
    uid: metadata?.uid ?? "",
    name: metadata?.name ?? "",
    created: parseTime(metadata?.creationTimestamp) ?? instant(0),
    phase: status?.phase ?? "Pending",
    hasNode: (spec?.nodeName ?? "") !== "",
    scheduled: conditionOf(pod, "PodScheduled"),
    ready: conditionOf(pod, "Ready"),
    containers: [...initContainerStatuses.filter(isUnfinished), ...containerStatuses].map(containerView),
    planned: (spec?.containers ?? []).map(({ name }) => name),
    ...finding,
  };
}

/** Whether a pod is a child: neither going away nor an evicted shell (5.2). */
export const isLive = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";

type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

/** An init container that has done its work is none that could be in the way. */
const isUnfinished = ({ state }: ContainerStatus): boolean => state?.terminated?.exitCode !== 0;

function containerView({ name, ready, restartCount, state, lastState }: ContainerStatus): ContainerView {
  const ended = state?.terminated ?? lastState?.terminated;
  const waiting = state?.waiting?.reason ?? (state?.waiting === undefined ? undefined : "");
  return {
    name,
    isReady: ready,
    restarts: restartCount,
    ...(waiting === undefined ? {} : { waiting: waiting === "" ? "ContainerCreating" : waiting }),
    ...(ended === undefined ? {} : { ended: { exitCode: ended.exitCode, reason: ended.reason ?? "Error" } }),
  };
}

function conditionOf({ status }: Pod, type: string): PodView["ready"] {
  const found = status?.conditions?.find((it) => it.type === type);
  if (found === undefined) return undefined;
  // The API allows these three words, its type any text.
  const word = found.status as ConditionStatus;
  return { status: word, ...(found.reason === undefined || found.reason === "" ? {} : { reason: found.reason }) };
}
