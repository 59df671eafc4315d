// What a Bind9GlobalCluster says, given its clusters: the rows G-1 to G-8. Pure.
import type { ConditionStatus } from "@telltale/kinds";
import { type SafeText, table, text } from "@telltale/status";
import { beingDeleted, clusterSays, globalClusterSays, invalid } from "../messages.ts";
import {
  REASON_CLUSTERS_PROGRESSING,
  REASON_CLUSTERS_READY,
  REASON_CONFIGURATION_INVALID,
  REASON_INSTANCES_CREATED,
  REASON_INSTANCES_PENDING,
  REASON_INSTANCES_SCALING,
  REASON_NO_CHILDREN,
  REASON_NOT_READY,
  REASON_PARTIALLY_READY,
  REASON_PROGRESSING,
} from "../reasons.ts";
import type { Problem } from "../validate/index.ts";
import { type ChildView, isReadyChild, isUnknownChild } from "./child-view.ts";

export interface GlobalClusterView {
  readonly name: string;
  readonly isLeaving: boolean;
  readonly invalid?: Problem;
  /** The namespaces that are to have a cluster. */
  readonly targets: readonly string[];
  /** Its clusters, in whatever namespace. */
  readonly clusters: readonly ChildView[];
  /** Targets where no cluster could be made. */
  readonly blocked: readonly BlockedTarget[];
}

export interface BlockedTarget {
  readonly namespace: string;
  /** It will not come by trying again. */
  readonly isRefused: boolean;
  readonly cause: SafeText;
}

export interface GlobalClusterSaid {
  readonly status: ConditionStatus;
  readonly reason:
    | typeof REASON_CLUSTERS_READY
    | typeof REASON_CLUSTERS_PROGRESSING
    | typeof REASON_NOT_READY
    | typeof REASON_NO_CHILDREN
    | typeof REASON_CONFIGURATION_INVALID
    | typeof REASON_PROGRESSING;
  readonly message: SafeText;
}

export interface GlobalClusterStatus {
  readonly ready: GlobalClusterSaid & { readonly row: string };
  readonly instanceCount: number;
  readonly readyInstances: number;
  readonly instances: readonly string[];
}

export function calculateGlobalStatus(view: GlobalClusterView): GlobalClusterStatus {
  const clusters = [...new Map(view.clusters.map((it) => [it.uid, it])).values()];
  const live = clusters.filter(({ isLeaving }) => !isLeaving);
  const facts = factsOf(view, live);
  return {
    ready: globalReady(facts),
    instanceCount: live.length,
    readyInstances: live.filter(isReadyChild).length,
    instances: live.map(({ namespace, name }) => `${namespace}/${name}`).sort(),
  };
}

interface Facts {
  readonly view: GlobalClusterView;
  readonly all: readonly string[];
  readonly notReady: readonly string[];
  readonly unknown: readonly string[];
  readonly ready: number;
  readonly hasNone: boolean;
  readonly isProgressing: boolean;
}

function factsOf(view: GlobalClusterView, live: readonly ChildView[]): Facts {
  const at = (target: string) => live.find(({ namespace }) => namespace === target);
  const named = (targets: readonly string[]) => targets.map((target) => `${target}/${view.name}`);
  const isReady = (target: string) => {
    const cluster = at(target);
    return cluster !== undefined && isReadyChild(cluster);
  };
  const isUnknown = (target: string) => {
    const cluster = at(target);
    return cluster !== undefined && isUnknownChild(cluster);
  };
  const isRefused = (target: string) =>
    view.blocked.some((blocked) => blocked.isRefused && blocked.namespace === target);
  const notReady = view.targets.filter((target) => !isReady(target));
  return {
    view,
    all: named(view.targets),
    notReady: named(notReady),
    unknown: named(notReady.filter(isUnknown)),
    ready: view.targets.length - notReady.length,
    hasNone: view.targets.every((target) => at(target) === undefined && isRefused(target)),
    isProgressing: view.targets.some((target) => isBeingBuilt(at(target))),
  };
}

/** A cluster that is partly ready is one that progresses, as the word is used of children throughout (5.7, A-82). */
const building: readonly string[] = [
  REASON_INSTANCES_CREATED,
  REASON_INSTANCES_SCALING,
  REASON_INSTANCES_PENDING,
  REASON_PARTIALLY_READY,
  REASON_PROGRESSING,
];

const isBeingBuilt = (cluster: ChildView | undefined): boolean =>
  cluster?.ready === undefined || cluster.freshness === "stale" || building.includes(cluster.ready.reason);

export const globalReady = table<Facts, GlobalClusterSaid>([
  {
    id: "G-1",
    when: ({ view }) => view.isLeaving,
    result: ({ view }) => no(REASON_PROGRESSING, beingDeleted("Bind9GlobalCluster", view.name)),
  },
  {
    id: "G-2",
    when: ({ view }) => view.invalid !== undefined,
    result: ({ view: { invalid: { path, problem } = { path: "spec", problem: text`` } } }) =>
      no(REASON_CONFIGURATION_INVALID, invalid(path, problem)),
  },
  {
    id: "G-4",
    when: ({ hasNone }) => hasNone,
    result: ({ view }) => no(REASON_NO_CHILDREN, because(globalClusterSays.noChildren(), view)),
  },
  {
    id: "G-5",
    when: ({ notReady }) => notReady.length === 0,
    result: ({ all }) => ({ status: "True", reason: REASON_CLUSTERS_READY, message: globalClusterSays.allReady(all) }),
  },
  {
    id: "G-8",
    when: ({ notReady, unknown }) => unknown.length === notReady.length,
    result: ({ ready, all, unknown }) => ({
      status: "Unknown",
      reason: REASON_NOT_READY,
      message: globalClusterSays.unknown(ready, all.length, unknown),
    }),
  },
  {
    id: "G-6",
    when: ({ ready, isProgressing }) => ready > 0 || isProgressing,
    result: ({ ready, all, notReady, view }) =>
      no(REASON_CLUSTERS_PROGRESSING, because(globalClusterSays.someReady(ready, all.length, notReady), view)),
  },
  {
    id: "G-7",
    when: () => true,
    result: ({ all, view }) => no(REASON_NOT_READY, because(globalClusterSays.noneReady(all), view)),
  },
]);

/** What keeps the first cluster from being made. */
function because(said: SafeText, { blocked }: GlobalClusterView): SafeText {
  const [first] = blocked;
  return first === undefined ? said : clusterSays.because(said, first.cause);
}

const no = (reason: GlobalClusterSaid["reason"], message: SafeText): GlobalClusterSaid => ({
  status: "False",
  reason,
  message,
});
