// The metrics of this operator under its own names (appendix C), beside those of the runtime. Only `condition_status` has the names
// of objects, and only of `Ready`: that of every child would have no end.
import type { Clock } from "@telltale/clock";
import type { Condition, Instant, KubeObject } from "@telltale/kinds";
import type { Cache, Families, Labels, Meter, PassResult, Sample, Sink } from "@telltale/runtime";
import type { Trouble } from "./bindcar/outcome.ts";
import { meaningOf } from "./http-errors.ts";
import { bindyKinds } from "./manifests/crds.ts";

export interface BindyMetrics {
  /** A Bindcar has answered with this code; 0: it has not. */
  onBindcar(code: number): void;
  /** A probe has failed. */
  onProbe(trouble: Trouble): void;
  /** For the manager: from now on everything is told there. */
  into(meter: <N extends string>(families: Families<N>) => Meter<N>, cache: Held): Sink;
}

export interface MetricsOptions {
  readonly clock: Clock;
  /** Who this is, of several. */
  readonly podName: string;
}

/** What is known of our objects. */
export type Held = Pick<Cache, "held">;

type Metric = keyof ReturnType<typeof bindyFamilies>;

export function bindyMetrics({ clock, podName }: MetricsOptions): BindyMetrics {
  let meter: Meter<Metric> | undefined;
  return {
    onBindcar: (code) =>
      meter?.tell("bindy_firestoned_io_bindcar_requests_total", { code: code === 0 ? "none" : String(code) }),
    onProbe: (trouble) =>
      meter?.tell("bindy_firestoned_io_probe_failures_total", { reason: meaningOf({ trouble }).reason }),
    into(make, cache) {
      const made = make(bindyFamilies(cache, clock));
      meter = made;
      made.tell("bindy_firestoned_io_leader_status", { pod_name: podName }, 0);
      return (sample) => tell(made, sample, podName);
    },
  };
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export const bindyFamilies = (cache: Held, clock: Clock) =>
  ({
    bindy_firestoned_io_reconciliations_total: counter("Passes by how they ended", "resource_type", "status"),
    bindy_firestoned_io_reconciliation_duration_seconds: {
      is: "histogram",
      help: "Time of a pass",
      labels: ["resource_type"],
      buckets: seconds,
    },
    bindy_firestoned_io_requeues_total: counter("Passes that come again, by why", "resource_type", "reason"),
    bindy_firestoned_io_resources_created_total: counter("Objects made", "resource_type"),
    bindy_firestoned_io_resources_updated_total: counter("Objects put right", "resource_type"),
    bindy_firestoned_io_resources_deleted_total: counter("Objects deleted", "resource_type"),
    bindy_firestoned_io_resources_active: gauge("Objects that there are", ["resource_type"], () => active(cache)),
    bindy_firestoned_io_errors_total: counter("Passes that failed, by how", "resource_type", "error_type"),
    bindy_firestoned_io_leader_elections_total: counter("Times that the lease was gained or lost", "status"),
    bindy_firestoned_io_leader_status: gauge("1 while this pod holds the lease", ["pod_name"]),
    bindy_firestoned_io_generation_observation_lag_seconds: gauge(
      "For how long the oldest change of a spec has not been answered by a status",
      ["resource_type"],
      lagging(cache, clock),
    ),
    bindy_firestoned_io_condition_status: gauge(
      "1 where Ready is True",
      ["kind", "namespace", "name", "type", "reason"],
      () => conditions(cache),
    ),
    bindy_firestoned_io_status_writes_total: counter("Statuses written", "kind"),
    bindy_firestoned_io_bindcar_requests_total: counter("Requests to Bindcar, each attempt, by code", "code"),
    bindy_firestoned_io_probe_failures_total: counter("Probes of a Bindcar that failed", "reason"),
  }) as const satisfies Families;

const counter = (help: string, ...labels: readonly string[]) => ({ is: "counter", help, labels }) as const;

const gauge = (help: string, labels: readonly string[], read?: () => Iterable<Reading>) =>
  ({ is: "gauge", help, labels, ...(read !== undefined && { read }) }) as const;

type Reading = readonly [Labels, number];

function tell(meter: Meter<Metric>, sample: Sample, podName: string): void {
  switch (sample.is) {
    case "pass": {
      const resource_type = sample.controller;
      meter.tell("bindy_firestoned_io_reconciliations_total", { resource_type, status: statusOf[sample.result] });
      // A clock that went back must not take a sum with it.
      const took = Math.max(0, sample.took) / 1000;
      meter.tell("bindy_firestoned_io_reconciliation_duration_seconds", { resource_type }, took);
      const reason = comesAgain[sample.result];
      if (reason !== undefined) meter.tell("bindy_firestoned_io_requeues_total", { resource_type, reason });
      if (statusOf[sample.result] === "error")
        meter.tell("bindy_firestoned_io_errors_total", { resource_type, error_type: sample.result });
      break;
    }
    case "panic":
      meter.tell("bindy_firestoned_io_errors_total", { resource_type: sample.controller, error_type: "panic" });
      break;
    case "ensure": {
      const name = ensured[sample.outcome];
      if (name !== undefined) meter.tell(name, { resource_type: sample.kind.toLowerCase() });
      break;
    }
    case "status":
      if (sample.outcome === "written") meter.tell("bindy_firestoned_io_status_writes_total", { kind: sample.kind });
      break;
    case "lease":
      meter.tell("bindy_firestoned_io_leader_elections_total", { status: sample.held ? "acquired" : "lost" });
      meter.tell("bindy_firestoned_io_leader_status", { pod_name: podName }, sample.held ? 1 : 0);
      break;
    default:
  }
}

const statusOf: Readonly<Record<PassResult, "success" | "error" | "requeue">> = {
  success: "success",
  ignored: "success",
  requeue: "requeue",
  waiting: "requeue",
  conflict: "requeue",
  error: "error",
  terminal: "error",
};

const comesAgain: Readonly<Partial<Record<PassResult, string>>> = {
  requeue: "asked",
  waiting: "waiting",
  conflict: "conflict",
  error: "error",
};

const ensured: Readonly<Record<string, Metric | undefined>> = {
  created: "bindy_firestoned_io_resources_created_total",
  updated: "bindy_firestoned_io_resources_updated_total",
  deleted: "bindy_firestoned_io_resources_deleted_total",
};

interface Stated extends KubeObject {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

const ours = new Set(bindyKinds.map(({ kind }) => kind));

/** Each of our kinds once: one may be read in several ways. */
function* stores(cache: Held): Iterable<{ readonly kind: string; objects(): Iterable<Stated> }> {
  const seen = new Set<string>();
  for (const { kind, store } of cache.held()) {
    if (!ours.has(kind.kind) || seen.has(kind.kind)) continue;
    seen.add(kind.kind);
    yield { kind: kind.kind, objects: () => store.values() as Iterable<Stated> };
  }
}

function* active(cache: Held): Iterable<Reading> {
  for (const { kind, objects } of stores(cache)) {
    yield [{ resource_type: kind.toLowerCase() }, [...objects()].length];
  }
}

function* conditions(cache: Held): Iterable<Reading> {
  for (const { kind, objects } of stores(cache)) {
    for (const { metadata, status } of objects()) {
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      if (ready === undefined) continue;
      const { namespace = "", name = "" } = metadata ?? {};
      yield [{ kind, namespace, name, type: "Ready", reason: ready.reason }, ready.status === "True" ? 1 : 0];
    }
  }
}

/** Since when something is behind is known from one scrape to the next. */
function lagging(cache: Held, clock: Clock): () => Iterable<Reading> {
  let behind = new Map<string, Instant>();
  return function* () {
    const now = clock.now();
    const still = new Map<string, Instant>();
    for (const { kind, objects } of stores(cache)) {
      let longest = 0;
      for (const { metadata, status } of objects()) {
        const { uid = "", generation = 0 } = metadata ?? {};
        if ((status?.observedGeneration ?? 0) >= generation) continue;
        const key = `${uid} ${generation}`;
        const since = behind.get(key) ?? now;
        still.set(key, since);
        longest = Math.max(longest, now - since);
      }
      yield [{ resource_type: kind.toLowerCase() }, longest / 1000];
    }
    behind = still;
  };
}
