// An instance or a cluster as its parent sees it.
import {
  type Condition,
  type ConditionStatus,
  type Instant,
  instant,
  parseChildType,
  parseTime,
} from "@telltale/kinds";
import { findCondition } from "@telltale/status";
import { CONDITION_TYPE_POD_PREFIX, CONDITION_TYPE_READY } from "../reasons.ts";

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
  /** What the first of its pods with the same reason says, after its name. */
  readonly phrase?: string;
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
  };
}

/** `wanted`: how many pods it asks for, where its status does not say. */
export function childView(child: Child, freshness: Freshness, wanted = 1): ChildView {
  const { metadata, status } = child;
  const ready = findCondition(status?.conditions, CONDITION_TYPE_READY);
  const phrase = phraseIn(status?.conditions ?? [], ready?.reason);
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
    pods: { ready: status?.readyReplicas ?? 0, total: status?.replicas ?? wanted },
  };
}

export const isStale = ({ metadata, status }: Child): boolean =>
  (status?.observedGeneration ?? -1) < (metadata.generation ?? 0);

/** 7.1: live, not stale for long, and its Ready is True. */
export const isReadyChild = ({ isLeaving, freshness, ready }: ChildView): boolean =>
  !isLeaving && freshness !== "stale" && statusOf(ready) === "True";

const statusOf = (ready: ChildView["ready"]): ConditionStatus => ready?.status ?? "Unknown";

function phraseIn(conditions: readonly Condition[], reason: string | undefined): string | undefined {
  const same = conditions.flatMap((it) => {
    const child = parseChildType(it.type);
    return child?.family === CONDITION_TYPE_POD_PREFIX && it.reason === reason ? [{ slot: child.index, it }] : [];
  });
  const [first] = same.sort((a, b) => a.slot - b.slot);
  return first?.it.message.split(" ").slice(2).join(" ");
}
