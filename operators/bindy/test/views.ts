// Pods, instances and clusters as the aggregation sees them, and what a parent's status becomes of them.
import { type Condition, type Instant, instant, type Kind, plus } from "@telltale/kinds";
import { draft } from "@telltale/status";
import type { ChildView } from "../src/aggregate/child-view.ts";
import { type ClusterView, calculateClusterStatus, type InstanceChild } from "../src/aggregate/cluster.ts";
import { calculateGlobalStatus, type GlobalClusterView } from "../src/aggregate/global-cluster.ts";
import { calculateInstanceStatus, type InstanceView } from "../src/aggregate/instance.ts";
import { heldSlotsOf, podRecords } from "../src/aggregate/pod-records.ts";
import type { PodView } from "../src/aggregate/pod-view.ts";
import type { Trouble } from "../src/bindcar/outcome.ts";
import type { Fault } from "../src/http-errors.ts";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance } from "../src/kinds/index.ts";

export const now = instant(Date.UTC(2025, 0, 18, 10, 0, 0));

export const answered = (status: number, more: { code?: "RNDC_AUTH"; zone?: string } = {}) => {
  const { code, zone } = more;
  const trouble: Trouble = { at: "answered", status, ...(code === undefined ? {} : { code }) };
  return { trouble, ...(zone === undefined ? {} : { zone }) };
};
export const silent = { trouble: { at: "unreachable", why: "refused" } } as const;

type PodOptions = Partial<PodView> & { readonly fault?: Fault };

/** Its Bindcar has answered, unless a fault or another state of the probe is given. */
export function pod(name: string, { fault, ...more }: PodOptions = {}): PodView {
  return {
    probe: fault === undefined ? { kind: "succeeded" } : { kind: "failed", fault },
    uid: `uid-${name}`,
    name,
    created: now,
    phase: "Running",
    hasNode: true,
    scheduled: { status: "True" },
    ready: { status: "True" },
    containers: [
      { name: "bind9", isReady: true, restarts: 0 },
      { name: "api", isReady: true, restarts: 0 },
    ],
    planned: ["bind9", "api"],
    ...more,
  };
}

export const unready = (name: string, more: PodOptions = {}): PodView =>
  pod(name, {
    ready: { status: "False" },
    containers: [{ name: "bind9", isReady: false, restarts: 0 }],
    ...more,
  });

export const pending = (name: string): PodView =>
  pod(name, { phase: "Pending", hasNode: false, scheduled: { status: "False" }, ready: undefined, containers: [] });

export const waiting = (name: string, reason: string, restarts = 0): PodView =>
  unready(name, { containers: [{ name: "bind9", isReady: false, restarts, waiting: reason }] });

export const deployment = (desired: number, more: { isOverdue?: boolean; isRolling?: boolean } = {}) => ({
  desired,
  isOverdue: false,
  isRolling: false,
  ...more,
});

type ViewOptions = Partial<InstanceView> & { readonly previous?: readonly Condition[] };

/** `previous`: the conditions that were written before. */
export function instanceView(pods: readonly PodView[], { previous, ...more }: ViewOptions = {}): TestView {
  return {
    name: "production-dns-primary-0",
    isLeaving: false,
    deployment: deployment(pods.length),
    pods,
    held: heldIn(previous),
    ...more,
    ...(previous === undefined ? {} : { previous }),
  };
}

export type TestView = InstanceView & { readonly previous?: readonly Condition[] };

/** The slots of pods by their conditions. */
export const heldIn = (conditions: readonly Condition[] = []): ReadonlyMap<string, number> =>
  heldSlotsOf(podRecords({ conditions }));

/** The conditions that follow, as they are written. */
export function instanceConditions(view: TestView, at: Instant = now): readonly Condition[] {
  const { ready, children } = calculateInstanceStatus(view);
  const { status, reason, message } = ready;
  const it = begin(Bind9Instance, view.name, view.previous, at);
  it.state({ type: "Ready", status, reason, message }).children("Pod", children);
  return it.finish().status.conditions ?? [];
}

export function child(name: string, slot: number, more: Partial<InstanceChild> = {}): InstanceChild {
  return { ...childView(name), slot, isManaged: true, pods: { ready: 1, total: 1 }, ...more };
}

export function childView(name: string, more: Partial<ChildView> = {}): ChildView {
  return {
    uid: `uid-${more.namespace ?? ""}-${name}`,
    name,
    namespace: "dns-system",
    isLeaving: false,
    created: now,
    generation: 1,
    freshness: "current",
    ready: { status: "True", reason: "AllReady" },
    pods: { ready: 1, total: 1 },
    ...more,
  };
}

export const saying = (reason: string, status: "True" | "False" | "Unknown" = "False") => ({
  ready: { status, reason },
  pods: { ready: 0, total: 1 },
});

export function clusterView(children: readonly InstanceChild[], more: Partial<ClusterView> = {}): ClusterView {
  return {
    name: "production-dns",
    isLeaving: false,
    wanted: children.filter((it) => it.isManaged && !it.isLeaving).map(({ name }) => name),
    children,
    hasActed: false,
    previous: undefined,
    ...more,
  };
}

export function clusterConditions(
  view: ClusterView,
  previous: readonly Condition[] = [],
  at: Instant = now,
): readonly Condition[] {
  const { ready, children } = calculateClusterStatus(view, at);
  const { status, reason, message } = ready;
  const it = begin(Bind9Cluster, view.name, previous, at);
  it.state({ type: "Ready", status, reason, message }).children("Bind9Instance", children);
  return it.finish().status.conditions ?? [];
}

export function globalConditions(view: GlobalClusterView): readonly Condition[] {
  const { status, reason, message } = calculateGlobalStatus(view).ready;
  const it = begin(Bind9GlobalCluster, view.name, undefined, now);
  return it.state({ type: "Ready", status, reason, message }).finish().status.conditions ?? [];
}

/** `True AllReady All 2 pods are ready` */
export function says(conditions: readonly Condition[], type: string): string {
  const found = conditions.find((it) => it.type === type);
  return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
}

export const later = (by: number): Instant => plus(now, by);

function begin<K extends Kind>(kind: K, name: string, conditions: readonly Condition[] | undefined, at: Instant) {
  const object = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace: "dns-system", generation: 1, uid: "u" },
    spec: {},
    ...(conditions === undefined ? {} : { status: { conditions, observedGeneration: 1 } }),
  };
  return draft(kind, object as never, at, { strict: true });
}
