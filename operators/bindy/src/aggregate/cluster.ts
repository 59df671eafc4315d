// What a Bind9Cluster says, given its instances: the rows C-1 to C-10 of 7.4. Pure.
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
import { type ChildView, isReadyChild } from "./child-view.ts";
import { shown } from "./limits.ts";

export interface ClusterView {
  readonly name: string;
  readonly isLeaving: boolean;
  readonly invalid?: Problem;
  /** Why the instances are not known. */
  readonly unlisted?: SafeText;
  /** The names of the instances that the spec asks for. */
  readonly wanted: readonly string[];
  /** All instances of the cluster, terminating ones included. */
  readonly children: readonly InstanceChild[];
  /** This pass made or removed instances. */
  readonly hasActed: boolean;
  /** What `Ready` gave as its reason before. */
  readonly previous: string | undefined;
}

export interface InstanceChild extends ChildView {
  readonly slot: number;
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
  const said = children.map((it) => ({ slot: it.slot, key: it.name, ...childCondition(it) }));
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
    then: ({ view }) => no(REASON_PROGRESSING, beingDeleted("Bind9Cluster", view.name)),
  },
  {
    id: "C-2",
    when: ({ view }) => view.invalid !== undefined,
    then: ({ view: { invalid: { path, problem } = { path: "spec", problem: text`` } } }) =>
      no(REASON_CONFIGURATION_INVALID, invalid(path, problem)),
  },
  {
    id: "C-3",
    when: ({ view }) => view.unlisted !== undefined,
    then: ({ view }) => no(REASON_NOT_READY, clusterSays.listFailed(view.unlisted ?? text``)),
  },
  {
    id: "C-4",
    when: ({ total, isEmptying }) => total === 0 && !isEmptying,
    then: () => no(REASON_NO_CHILDREN, clusterSays.noChildren()),
  },
  {
    id: "C-5",
    when: ({ desired, managed }) => desired > 0 && managed.length === 0,
    then: ({ desired }) => no(REASON_INSTANCES_PENDING, clusterSays.pending(desired, desired)),
  },
  {
    id: "C-6",
    when: ({ view: { previous }, ready, managed, young, unmanaged }) =>
      (previous === undefined || beginning.includes(previous)) &&
      ready === 0 &&
      managed.length > 0 &&
      young.length === managed.length &&
      unmanaged.length === 0,
    then: ({ managed }) => no(REASON_INSTANCES_CREATED, clusterSays.created(managed.length)),
  },
  {
    id: "C-7",
    when: ({ isSettled, view, young }) =>
      !isSettled || (view.previous === REASON_INSTANCES_SCALING && young.length > 0),
    then: ({ ready, total }) => ({
      status: ready === total && total > 0 ? "True" : "False",
      reason: REASON_INSTANCES_SCALING,
      message: clusterSays.scaling(ready, total),
    }),
  },
  {
    id: "C-8",
    when: ({ ready, total }) => ready === total,
    then: ({ total }) => ({ status: "True", reason: REASON_ALL_READY, message: clusterSays.allReady(total) }),
  },
  {
    id: "C-9",
    when: ({ ready }) => ready > 0,
    then: ({ ready, total }) => no(REASON_PARTIALLY_READY, clusterSays.someReady(ready, total)),
  },
  { id: "C-10", when: () => true, then: () => no(REASON_NOT_READY, clusterSays.noneReady()) },
]);

const no = (reason: ClusterSaid["reason"], message: SafeText): ClusterSaid => ({ status: "False", reason, message });
