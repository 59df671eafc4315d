// The metrics of this operator under its own names (8.2), beside those of the runtime, which has `workqueue_depth`. Of what people
// write only the names of Providers are in labels.
import type { Families, Meter, PassResult, Sample, Sink } from "@telltale/runtime";
import { virtrigaudKinds } from "./kinds/index.ts";
import type { CallSample } from "./link/calls.ts";
import { callFamilies, tellCall } from "./link/metrics.ts";
import type { AddressSample } from "./virtual-machine/first-address.ts";

export interface VirtrigaudMetrics {
  /** For the operator. */
  onCall(sample: CallSample): void;
  onAddress(sample: AddressSample): void;
  /** For the manager: from now on everything is told there. */
  into(meter: <N extends string>(families: Families<N>) => Meter<N>): Sink;
}

/** What `virtrigaud_build_info` says. */
export interface BuildOptions {
  readonly version: string;
  /** Of the source. */
  readonly gitSha?: string;
  /** Of Node.js, in the label that is called after Go. */
  readonly node: string;
}

export function virtrigaudMetrics(build: BuildOptions): VirtrigaudMetrics {
  let meter: Meter<Metric> | undefined;
  return {
    onCall(sample) {
      if (meter === undefined) return;
      tellCall(meter, sample);
      if (sample.is !== "call" || sample.code === "OK") return;
      meter.tell("virtrigaud_errors_total", { reason: kebab(sample.code), component: "provider" });
    },
    onAddress: ({ type, took }) =>
      meter?.tell("virtrigaud_ip_discovery_duration_seconds", { provider_type: type }, seconds(took)),
    into(make) {
      const made = make(virtrigaudFamilies);
      meter = made;
      const { version, gitSha = "unknown", node } = build;
      made.tell("virtrigaud_build_info", { version, git_sha: gitSha, go_version: node, component: "manager" });
      return (sample) => tell(made, sample);
    },
  };
}

type Metric = keyof typeof virtrigaudFamilies;

const doubling = (first: number, count: number) => Array.from({ length: count }, (_, i) => first * 2 ** i);

const virtrigaudFamilies = {
  ...callFamilies,
  virtrigaud_build_info: {
    is: "gauge",
    help: "1, with what runs here; go_version is that of Node.js",
    labels: ["version", "git_sha", "go_version", "component"],
  },
  virtrigaud_manager_reconcile_total: { is: "counter", help: "Passes by how they ended", labels: ["kind", "outcome"] },
  virtrigaud_manager_reconcile_duration_seconds: {
    is: "histogram",
    help: "Time of a pass",
    labels: ["kind"],
    buckets: doubling(0.001, 15),
  },
  virtrigaud_errors_total: { is: "counter", help: "What went wrong, and where", labels: ["reason", "component"] },
  virtrigaud_ip_discovery_duration_seconds: {
    is: "histogram",
    help: "From the making of a VirtualMachine to its first address",
    labels: ["provider_type"],
    buckets: doubling(0.1, 10),
  },
} as const satisfies Families;

function tell(meter: Meter<Metric>, sample: Sample): void {
  switch (sample.is) {
    case "pass": {
      const kind = kindOf(sample.controller);
      meter.tell("virtrigaud_manager_reconcile_total", { kind, outcome: outcomes[sample.result] });
      meter.tell("virtrigaud_manager_reconcile_duration_seconds", { kind }, seconds(sample.took));
      const reason = errors[sample.result];
      if (reason !== undefined) meter.tell("virtrigaud_errors_total", { reason, component: sample.controller });
      return;
    }
    case "panic":
      meter.tell("virtrigaud_errors_total", { reason: "panic", component: sample.controller });
      return;
    case "status":
      if (sample.outcome === "failed")
        meter.tell("virtrigaud_errors_total", { reason: "status-not-written", component: sample.controller });
  }
}

const outcomes: Readonly<Record<PassResult, "success" | "error" | "requeue">> = {
  success: "success",
  ignored: "success",
  requeue: "requeue",
  waiting: "requeue",
  conflict: "requeue",
  error: "error",
  terminal: "error",
};

const errors: Readonly<Partial<Record<PassResult, string>>> = {
  error: "reconcile-failed",
  terminal: "reconcile-given-up",
};

/** Controllers are called after their kinds, but for one: adoption has none of its own. */
const kindNames = new Map(virtrigaudKinds.map(({ kind }) => [kind.toLowerCase(), kind]));
const kindOf = (controller: string): string => kindNames.get(controller) ?? controller;

/** `DEADLINE_EXCEEDED` is `deadline-exceeded`. */
const kebab = (code: string): string => code.toLowerCase().replaceAll("_", "-");

/** A clock that went back must not take a sum with it. */
const seconds = (took: number): number => Math.max(0, took) / 1_000;
