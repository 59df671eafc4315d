// An instance or a cluster as its parent sees it.
import { type Condition, type ConditionStatus, type Instant, instant, parseTime } from "@telltale/kinds";
import { findCondition, type SafeText, sanitize } from "@telltale/status";
import { meaningOf } from "../http-errors.ts";
import type { Bind9InstanceStatus } from "../kinds/index.ts";
import { CONDITION_TYPE_READY, REASON_PODS_CRASHING, REASON_PODS_PENDING } from "../reasons.ts";
import { podRecords } from "./pod-records.ts";

export interface ChildView {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly isLeaving: boolean;
  readonly created: Instant;
  readonly generation: number;
  /** How its status stands to its spec. */
  readonly freshness: Freshness;
  readonly ready: Pick<Condition, "status" | "reason"> | undefined;
  /** What its Ready says, to be repeated. */
  readonly message?: SafeText;
  /** How many pods it knows of. Undefined: it has not said so yet. */
  readonly livePods?: number;
  /** What the first of its pods with the same reason says, after its name. */
  readonly phrase?: SafeText;
  readonly pods: { readonly ready: number; readonly total: number };
}

/** A child whose newest spec nobody has looked at yet keeps its word for a while, then it counts for nothing (7.1). */
export type Freshness = "current" | "graced" | "stale";

export const staleGrace = 30_000;

interface Child {
  readonly metadata: {
    readonly uid?: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly readyReplicas?: number;
    readonly replicas?: number;
    /** Of an instance. */
    readonly pods?: Bind9InstanceStatus["pods"];
  };
}

/** `wanted`: how many pods it asks for, where its status does not say. */
export function childView(child: Child, freshness: Freshness, wanted = 1): ChildView {
  const { metadata, status } = child;
  const ready = findCondition(status?.conditions, CONDITION_TYPE_READY);
  const phrase = phraseFor(ready?.reason, status);
  return {
    uid: metadata.uid ?? "",
    name: metadata.name ?? "",
    namespace: metadata.namespace ?? "",
    isLeaving: metadata.deletionTimestamp !== undefined,
    created: parseTime(metadata.creationTimestamp) ?? instant(0),
    generation: metadata.generation ?? 0,
    freshness,
    ready: ready === undefined ? undefined : { status: ready.status, reason: ready.reason },
    ...(phrase === undefined ? {} : { phrase }),
    ...(ready === undefined ? {} : { message: sanitize(ready.message, { max: 256 }) }),
    ...(status?.pods === undefined ? {} : { livePods: status.pods.length }),
    pods: { ready: status?.readyReplicas ?? 0, total: status?.replicas ?? wanted },
  };
}

export const isStale = ({ metadata, status }: Child): boolean =>
  (status?.observedGeneration ?? -1) < (metadata.generation ?? 0);

/** 7.1: live, not stale for long, and its Ready is True. */
export const isReadyChild = ({ isLeaving, freshness, ready }: ChildView): boolean =>
  !isLeaving && freshness !== "stale" && statusOf(ready) === "True";

const outOfService: readonly string[] = [REASON_PODS_PENDING, REASON_PODS_CRASHING];

/** Known not to serve, by what it says of its newest spec: it has no pod, or none that runs. */
export const isKnownDown = ({ freshness, ready, livePods }: ChildView): boolean =>
  freshness === "current" &&
  ready?.status === "False" &&
  (livePods === 0 || (livePods !== undefined && outOfService.includes(ready.reason)));

/** Live, and it may be ready. One that has said nothing yet has no pods: the first status comes with them. */
export const isUnknownChild = ({ isLeaving, freshness, ready }: ChildView): boolean =>
  !isLeaving && (freshness === "stale" || ready?.status === "Unknown");

const statusOf = (ready: ChildView["ready"]): ConditionStatus => ready?.status ?? "Unknown";

function phraseFor(reason: string | undefined, status: Child["status"]): SafeText | undefined {
  const failures = podRecords(status).flatMap(({ slot, finding: { probe } }) =>
    probe.kind === "failed" ? [{ slot, ...meaningOf(probe.fault) }] : [],
  );
  return failures.sort((a, b) => a.slot - b.slot).find((failure) => failure.reason === reason)?.phrase;
}
