// The metrics of this operator under its own names (10.6), beside those of the runtime. No label is the name of an object.
import type { Cache, Families, ManagerOptions, Meter, Sample, Sink, WriteOutcome } from "@telltale/runtime";
import type { Mode } from "./cluster-bridge/mode.ts";
import type { Config } from "./config.ts";
import { ownerOf } from "./gate.ts";
import { CAPTCluster } from "./kinds/capt-cluster.ts";
import { CAPTControlPlane } from "./kinds/capt-control-plane.ts";
import type { RunSample } from "./runner/runs.ts";

export interface CaptMetrics {
  /** For the manager. */
  readonly sink: Sink;
  /** A run has ended. */
  onRun(sample: RunSample): void;
  /** It was found out, or has changed, who looks after Clusters. */
  onMode(mode: Mode): void;
  /** What runs Workspaces was chosen. */
  onRunner(kind: RunnerKind): void;
}

export type RunnerKind = (typeof runners)[number];
export type CaptMetric = keyof ReturnType<typeof captFamilies>;

const passSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** From a second to a day. */
const long = [1, 5, 15, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 14_400, 86_400];

/** What there is. The cache is that of the manager, which may be made later. */
export const captFamilies = (cache: Pick<Cache, "held">) =>
  ({
    capt_reconcile_total: { is: "counter", help: "Passes by result", labels: ["controller", "result"] },
    capt_status_writes_total: { is: "counter", help: "What became of a status", labels: ["kind", "result"] },
    capt_timeouts_total: { is: "counter", help: "Waits that were given up", labels: ["kind", "clock"] },
    capt_terminal_failures_total: {
      is: "counter",
      help: "Failures that wait for a person",
      labels: ["kind", "reason"],
    },
    capt_runner_runs_total: { is: "counter", help: "Runs by result", labels: ["operation", "result"] },
    capt_reconcile_seconds: { is: "histogram", help: "Time of a pass", labels: ["controller"], buckets: passSeconds },
    capt_phase_transition_seconds: {
      is: "histogram",
      help: "How long a phase lasted",
      labels: ["kind", "from", "to"],
      buckets: long,
    },
    capt_runner_seconds: { is: "histogram", help: "Time of a run", labels: ["operation"], buckets: long },
    capt_cluster_api_mode: { is: "gauge", help: "1 for who looks after Clusters", labels: ["mode"] },
    capt_runner_kind: { is: "gauge", help: "1 for what runs Workspaces", labels: ["kind"] },
    capt_waiting_for_owner: {
      is: "gauge",
      help: "Objects that no Cluster has taken yet",
      labels: ["kind"],
      read: () => waiting(cache),
    },
  }) as const satisfies Families;

export function captMetrics(meter: Meter<CaptMetric>, policy: Config["timeoutPolicy"]): CaptMetrics {
  return {
    sink: (sample) => tell(meter, sample, policy),
    onRun({ operation, result, took }) {
      meter.tell("capt_runner_runs_total", { operation, result });
      meter.tell("capt_runner_seconds", { operation }, seconds(took));
    },
    onMode: (mode) => one(meter, "capt_cluster_api_mode", "mode", modes, mode),
    onRunner: (kind) => one(meter, "capt_runner_kind", "kind", runners, kind),
  };
}

/** The same for a manager that makes the meter itself, when it runs. What is told before is told then. */
export interface ManagedMetrics extends Omit<CaptMetrics, "sink"> {
  readonly metrics: NonNullable<ManagerOptions["metrics"]>;
}

export function managedMetrics(policy: Config["timeoutPolicy"]): ManagedMetrics {
  let made: CaptMetrics | undefined;
  const early: ((it: CaptMetrics) => void)[] = [];
  const say = (what: (it: CaptMetrics) => void) => (made === undefined ? void early.push(what) : what(made));
  return {
    metrics(meter, cache) {
      const it = captMetrics(meter(captFamilies(cache)), policy);
      made = it;
      for (const what of early.splice(0)) what(it);
      return it.sink;
    },
    onRun: (sample) => say((it) => it.onRun(sample)),
    onMode: (mode) => say((it) => it.onMode(mode)),
    onRunner: (kind) => say((it) => it.onRunner(kind)),
  };
}

function tell(meter: Meter<CaptMetric>, sample: Sample, policy: Config["timeoutPolicy"]): void {
  switch (sample.is) {
    case "pass":
      meter.tell("capt_reconcile_total", { controller: sample.controller, result: sample.result });
      meter.tell("capt_reconcile_seconds", { controller: sample.controller }, seconds(sample.took));
      break;
    case "status":
      meter.tell("capt_status_writes_total", { kind: sample.kind, result: resultOf[sample.outcome] });
      break;
    case "phase": {
      const { kind, from = "", to, after } = sample;
      if (after !== undefined) meter.tell("capt_phase_transition_seconds", { kind, from, to }, seconds(after));
      break;
    }
    case "flip":
      tellFailure(meter, sample, policy);
      break;
    default:
  }
}

const resultOf: Readonly<Record<WriteOutcome, "written" | "skipped" | "conflict" | "error">> = {
  written: "written",
  unchanged: "skipped",
  deferred: "skipped",
  gone: "skipped",
  notLeader: "skipped",
  conflict: "conflict",
  failed: "error",
};

/** The conditions that say that something failed; each failure makes its own True once. */
const failing: Readonly<Record<string, string>> = {
  [CAPTCluster.kind]: "VPCFailed",
  [CAPTControlPlane.kind]: "Failed",
};

/** The wait that each of these ends. An output that is no endpoint is waited for as long as the Secret. */
const clocks: Readonly<Record<string, string>> = {
  VPCReadyTimeout: "vpc",
  WorkspaceReadyTimeout: "workspace",
  SecretTimeout: "secret",
  ControlPlaneTimeout: "controlPlane",
  InvalidEndpoint: "secret",
};

type Flip = Extract<Sample, { is: "flip" }>;

function tellFailure(
  meter: Meter<CaptMetric>,
  { kind, type, status, reason }: Flip,
  policy: Config["timeoutPolicy"],
): void {
  if (failing[kind] !== type || status !== "True") return;
  const clock = clocks[reason];
  if (clock !== undefined) meter.tell("capt_timeouts_total", { kind, clock });
  // The other policy goes on by itself when what was waited for comes.
  if (clock === undefined || policy === "terminal") meter.tell("capt_terminal_failures_total", { kind, reason });
}

const modes = ["external", "standalone", "unsure"] as const satisfies readonly Mode[];
const runners = ["none", "missing", "tofu", "terraform", "simulated"] as const;

/** One of them is 1, all others are 0. */
function one(meter: Meter<CaptMetric>, name: CaptMetric, label: string, all: readonly string[], it: string): void {
  for (const value of all) meter.tell(name, { [label]: value }, value === it ? 1 : 0);
}

function* waiting(cache: Pick<Cache, "held">): Iterable<readonly [{ readonly kind: string }, number]> {
  for (const { kind, store } of cache.held()) {
    if (failing[kind.kind] === undefined) continue;
    let count = 0;
    for (const object of store.values()) if (ownerOf(object) === undefined) count += 1;
    yield [{ kind: kind.kind }, count];
  }
}

/** A clock that went back must not take a sum with it. */
const seconds = (ms: number): number => Math.max(0, ms) / 1000;
