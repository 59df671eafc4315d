// What a Bind9Cluster says, given its instances: the rows C-1 to C-11. Pure.
import { type ConditionStatus, type Instant, type Ms, plus } from "@telltale/kinds";
import { type ChildCondition, type SafeText, table, text } from "@telltale/status";
import { beingDeleted, clusterSays, invalid } from "../messages.ts";
import {
  REASON_ALL_READY,
  REASON_CONFIGURATION_INVALID,
  REASON_INSTANCES_CREATED,
  REASON_INSTANCES_PENDING,
  REASON_INSTANCES_SCALING,
  REASON_NO_CHILDREN,
  REASON_NOT_READY,
  REASON_PARTIALLY_READY,
  REASON_PODS_PENDING,
  REASON_PROGRESSING,
} from "../reasons.ts";
import type { Problem } from "../validate/index.ts";
import { childCondition } from "./child.ts";
import { type ChildView, isReadyChild, isUnknownChild } from "./child-view.ts";
import { shown } from "./limits.ts";

export interface ClusterView {
  readonly name: string;
  readonly isLeaving: boolean;
  readonly invalid?: Problem;
  /** The names of the instances that the spec asks for. */
  readonly wanted: readonly string[];
  /** All instances of the cluster, terminating ones included. */
  readonly children: readonly InstanceChild[];
  /** This pass made or removed instances. */
  readonly hasActed: boolean;
  /** What the API server refused in this pass, or what keeps instances from making their objects. */
  readonly cause?: SafeText;
  /** Surplus instances that are not removed yet. */
  readonly kept?: readonly string[];
  /** What `Ready` gave as its reason before. */
  readonly previous: string | undefined;
}

export interface InstanceChild extends ChildView {
  readonly slot: number;
  /** What its annotation says. */
  readonly storedSlot?: number | undefined;
  readonly isManaged: boolean;
}

export interface ClusterSaid {
  readonly status: ConditionStatus;
  readonly reason:
    | typeof REASON_ALL_READY
    | typeof REASON_PARTIALLY_READY
    | typeof REASON_NOT_READY
    | typeof REASON_NO_CHILDREN
    | typeof REASON_INSTANCES_CREATED
    | typeof REASON_INSTANCES_SCALING
    | typeof REASON_INSTANCES_PENDING
    | typeof REASON_CONFIGURATION_INVALID
    | typeof REASON_PROGRESSING;
  readonly message: SafeText;
}

export interface ClusterStatus {
  readonly ready: ClusterSaid & { readonly row: string };
  readonly children: readonly ChildCondition[];
  readonly instanceCount: number;
  readonly readyInstances: number;
  readonly instances: readonly string[];
  /** When time alone changes it: a child is young no longer. */
  readonly wakeAt?: Instant;
}

export function calculateClusterStatus(view: ClusterView, now: Instant): ClusterStatus {
  const children = [...new Map(view.children.map((it) => [it.uid, it])).values()].sort((a, b) => a.slot - b.slot);
  const facts = factsOf({ ...view, children }, now);
  const said = children.map((it) => ({ slot: it.slot, storedSlot: it.storedSlot, ...childCondition(it) }));
  const live = children.filter(({ isLeaving }) => !isLeaving);
  const youngest = Math.max(...facts.young.map(({ created }) => created));
  return {
    ready: shown(clusterReady(facts), children.length),
    children: said,
    instanceCount: live.length,
    readyInstances: live.filter(isReadyChild).length,
    instances: live.map(({ name }) => name),
    ...(facts.young.length === 0 ? {} : { wakeAt: plus(youngest as Instant, youth) }),
  };
}

/** How long a child may take to begin with. */
export const youth: Ms = 600_000;

interface Facts {
  readonly view: ClusterView;
  readonly managed: readonly InstanceChild[];
  readonly unmanaged: readonly InstanceChild[];
  readonly young: readonly InstanceChild[];
  /** As many as the spec asks for. */
  readonly desired: number;
  readonly total: number;
  readonly ready: number;
  /** Children that may be ready. */
  readonly unknown: number;
  readonly isSettled: boolean;
  readonly isEmptying: boolean;
}

function factsOf(view: ClusterView, now: Instant): Facts {
  const live = view.children.filter(({ isLeaving }) => !isLeaving);
  const leaving = view.children.filter(({ isLeaving, isManaged }) => isLeaving && isManaged);
  const managed = live.filter(({ isManaged }) => isManaged);
  const unmanaged = live.filter(({ isManaged }) => !isManaged);
  const wanted = new Set(view.wanted);
  const counted = [...unmanaged, ...managed.filter(({ name }) => wanted.has(name))];
  const isComplete = managed.length === wanted.size && managed.every(({ name }) => wanted.has(name));
  return {
    view,
    managed,
    unmanaged,
    young: managed.filter((it) => isYoung(it, now)),
    desired: wanted.size,
    total: wanted.size + unmanaged.length,
    ready: counted.filter(isReadyChild).length,
    unknown: counted.filter(isUnknownChild).length,
    isSettled: isComplete && leaving.length === 0 && !view.hasActed,
    isEmptying: leaving.length > 0 || managed.length > 0,
  };
}

const unripe: readonly string[] = [REASON_PROGRESSING, REASON_PODS_PENDING, REASON_NOT_READY, REASON_PARTIALLY_READY];

/** It may still come: nothing that it says is for good. */
const isYoung = (child: InstanceChild, now: Instant): boolean =>
  !isReadyChild(child) &&
  now - child.created < youth &&
  (child.ready === undefined || child.freshness === "stale" || unripe.includes(child.ready.reason));

const beginning: readonly string[] = [REASON_NO_CHILDREN, REASON_INSTANCES_PENDING, REASON_INSTANCES_CREATED];

export const clusterReady = table<Facts, ClusterSaid>([
  {
    id: "C-1",
    when: ({ view }) => view.isLeaving,
    result: ({ view }) => no(REASON_PROGRESSING, beingDeleted("Bind9Cluster", view.name)),
  },
  {
    id: "C-2",
    when: ({ view }) => view.invalid !== undefined,
    result: ({ view: { invalid: { path, problem } = { path: "spec", problem: text`` } } }) =>
      no(REASON_CONFIGURATION_INVALID, invalid(path, problem)),
  },
  {
    id: "C-4",
    when: ({ total, isEmptying }) => total === 0 && !isEmptying,
    result: () => no(REASON_NO_CHILDREN, clusterSays.noChildren()),
  },
  {
    id: "C-5",
    when: ({ desired, managed }) => desired > 0 && managed.length === 0,
    result: ({ desired, view }) => no(REASON_INSTANCES_PENDING, because(clusterSays.pending(desired, desired), view)),
  },
  {
    id: "C-6",
    when: ({ view: { previous }, ready, managed, young, unmanaged }) =>
      (previous === undefined || beginning.includes(previous)) &&
      ready === 0 &&
      managed.length > 0 &&
      young.length === managed.length &&
      unmanaged.length === 0,
    result: ({ managed, view }) => no(REASON_INSTANCES_CREATED, because(clusterSays.created(managed.length), view)),
  },
  {
    id: "C-7",
    when: ({ isSettled, view, young }) =>
      !isSettled || (view.previous === REASON_INSTANCES_SCALING && young.length > 0),
    result: ({ ready, unknown, total, view }) => ({
      status: statusFor(ready, unknown, total),
      reason: REASON_INSTANCES_SCALING,
      message: because(scaling(ready, total, view), view),
    }),
  },
  {
    id: "C-8",
    when: ({ ready, total }) => ready === total,
    result: ({ total }) => ({ status: "True", reason: REASON_ALL_READY, message: clusterSays.allReady(total) }),
  },
  {
    id: "C-11",
    when: ({ ready, unknown, total }) => ready + unknown === total,
    result: ({ ready, unknown, total, view }) => ({
      status: "Unknown",
      reason: REASON_NOT_READY,
      message: because(clusterSays.unknown(ready, total, unknown), view),
    }),
  },
  {
    id: "C-9",
    // Also where the others are unknown: one is known not to be ready.
    when: ({ ready, unknown }) => ready + unknown > 0,
    result: ({ ready, total, view }) => no(REASON_PARTIALLY_READY, because(clusterSays.someReady(ready, total), view)),
  },
  { id: "C-10", when: () => true, result: ({ view }) => no(REASON_NOT_READY, because(clusterSays.noneReady(), view)) },
]);

function statusFor(ready: number, unknown: number, total: number): ConditionStatus {
  if (ready === total && total > 0) return "True";
  return unknown > 0 && ready + unknown === total ? "Unknown" : "False";
}

const scaling = (ready: number, total: number, { kept = [] }: ClusterView): SafeText =>
  kept.length === 0 ? clusterSays.scaling(ready, total) : clusterSays.kept(clusterSays.scaling(ready, total), kept);

const because = (said: SafeText, { cause }: ClusterView): SafeText =>
  cause === undefined ? said : clusterSays.because(said, cause);

const no = (reason: ClusterSaid["reason"], message: SafeText): ClusterSaid => ({ status: "False", reason, message });
