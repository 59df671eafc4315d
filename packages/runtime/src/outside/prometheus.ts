// Samples as Prometheus metrics: controller-runtime's names where it has them, so that dashboards carry over, and
// `telltale_` for what only we tell. Whoever imports this file loads `prom-client`; nobody else does.
import type { Ms } from "@telltale/kinds";
import { Registry } from "prom-client";
import type { Families, Meter } from "../meter.ts";
import type { Gauges, PassResult, Sample, Sink } from "../samples.ts";
import { meterIn } from "./metered.ts";
import { type Metrics, metricsIn } from "./metrics.ts";
import { processIn } from "./process-metrics.ts";
import { gaugesIn } from "./scraped.ts";

export interface Prometheus {
  readonly sink: Sink;
  /** What a scrape gets. */
  text(): Promise<string>;
  readonly contentType: string;
  /** Metrics of an operator's own, beside these. Each name once. */
  meter<N extends string>(families: Families<N>): Meter<N>;
}

export interface PrometheusOptions {
  /** What is read at each scrape. */
  readonly gauges?: Gauges;
  /** Where the metrics go, for an operator that adds its own. Default: a registry of their own, never the global one. */
  readonly register?: Registry;
  /** Their counters are there from the start, as zeros: a rate needs to see the first step. */
  readonly controllers?: readonly string[];
}

export function prometheus(options: PrometheusOptions = {}): Prometheus {
  const register = options.register ?? new Registry();
  const metrics = metricsIn(register);
  if (options.gauges !== undefined) gaugesIn(register, options.gauges);
  processIn(register);
  for (const controller of options.controllers ?? []) zero(metrics, controller);
  const few = vocabulary(200);
  return {
    sink: (sample) => tell(metrics, sample, few),
    text: () => register.metrics(),
    contentType: register.contentType,
    meter: (families) => meterIn(register, families),
  };
}

/** What controller-runtime calls each result. The finer one is in `telltale_passes_total`. */
const upstream: Readonly<Record<PassResult, string>> = {
  success: "success",
  ignored: "success",
  requeue: "requeue_after",
  waiting: "requeue_after",
  conflict: "requeue",
  error: "error",
  terminal: "error",
};

function tell(m: Metrics, s: Sample, few: Vocabulary): void {
  switch (s.is) {
    case "pass":
      tellPass(m, s);
      break;
    case "panic":
      m.panics.inc({ controller: s.controller });
      break;
    case "enqueue":
      m.adds.inc({ name: s.controller, controller: s.controller });
      m.enqueues.inc({ controller: s.controller, cause: s.cause });
      break;
    case "dequeue":
      m.waits.observe({ name: s.controller, controller: s.controller }, seconds(s.waited));
      break;
    case "retry":
      m.retries.inc({ name: s.controller, controller: s.controller });
      break;
    case "status": {
      const { controller, kind, outcome, significance } = s;
      m.statusWrites.inc({ controller, kind, outcome, significance });
      break;
    }
    case "checkpoint":
      m.checkpoints.inc({ controller: s.controller, name: few("checkpoint", s.name) });
      break;
    case "phase":
      tellPhase(m, s, few);
      break;
    case "flip":
      tellFlip(m, s, few);
      break;
    case "flapping":
      m.flapping.inc({ controller: s.controller, kind: s.kind, type: few("type", s.type) });
      break;
    case "violation":
      m.violations.inc({ controller: s.controller, kind: s.kind, rule: s.rule });
      break;
    case "ensure":
      m.ensures.inc({ controller: s.controller, kind: s.kind, outcome: few("outcome", s.outcome) });
      break;
    case "request":
      tellRequest(m, s, few);
      break;
    case "watch":
      m.watches.inc({ kind: s.kind, what: s.what });
      break;
    case "event":
      m.events.inc({ controller: s.controller, outcome: s.outcome });
      break;
    case "lease":
      m.leader.set({ name: s.name }, s.held ? 1 : 0);
      break;
    case "webhook": {
      const webhook = few("path", s.path);
      m.webhooks.inc({ webhook, code: s.code });
      m.webhookTime.observe({ webhook }, seconds(s.took));
      break;
    }
    case "poll": {
      const source = few("source", s.source);
      m.polls.inc({ source, outcome: s.ok ? "ok" : "failed" });
      m.pollTime.observe({ source }, seconds(s.took));
      break;
    }
    case "lost log":
      m.lostLines.inc();
      break;
    default:
      s satisfies never;
  }
}

type Of<Is extends Sample["is"]> = Extract<Sample, { is: Is }>;

function tellPass(m: Metrics, { controller, result, took }: Of<"pass">): void {
  m.passes.inc({ controller, result });
  m.reconciles.inc({ controller, result: upstream[result] });
  if (upstream[result] === "error") m.errors.inc({ controller });
  if (result === "terminal") m.terminal.inc({ controller });
  m.reconcileTime.observe({ controller }, seconds(took));
  m.workTime.observe({ name: controller, controller }, seconds(took));
}

function tellPhase(m: Metrics, { controller, kind, from, to, after }: Of<"phase">, few: Vocabulary): void {
  const left = few("phase", from ?? "");
  m.phases.inc({ controller, kind, from: left, to: few("phase", to) });
  if (after !== undefined) m.phaseTime.observe({ controller, kind, phase: left }, seconds(after));
}

function tellFlip(m: Metrics, s: Of<"flip">, few: Vocabulary): void {
  const { controller, kind, status, from, after } = s;
  const type = few("type", s.type);
  m.flips.inc({ controller, kind, type, status, reason: few("reason", s.reason) });
  if (from !== undefined && after !== undefined) {
    m.held.observe({ controller, kind, type, status: from }, seconds(after));
  }
}

function tellRequest(m: Metrics, s: Of<"request">, few: Vocabulary): void {
  const method = few("method", s.method);
  const code = s.code === 0 ? "<error>" : s.code; // what client-go says where no answer came
  m.requests.inc({ code, method });
  m.requestTime.observe({ verb: method }, seconds(s.took));
  if (s.again) m.repeats.inc({ code, verb: method });
}

function zero(m: Metrics, controller: string): void {
  for (const result of new Set(Object.values(upstream))) m.reconciles.inc({ controller, result }, 0);
  for (const result of Object.keys(upstream)) m.passes.inc({ controller, result }, 0);
  for (const counter of [m.errors, m.terminal, m.panics]) counter.inc({ controller }, 0);
  for (const counter of [m.adds, m.retries]) counter.inc({ name: controller, controller }, 0);
}

/** A clock that went back must not take a sum with it. */
const seconds = (ms: Ms): number => Math.max(0, ms) / 1000;

type Vocabulary = (label: string, value: string) => string;

/** Lets so many values of a label through; all further ones are `other`, so that nobody's input grows the series. */
function vocabulary(max: number): Vocabulary {
  const known = new Map<string, Set<string>>();
  return (label, value) => {
    const values = known.get(label) ?? new Set();
    known.set(label, values);
    if (values.size < max) values.add(value);
    return values.has(value) ? value : "other";
  };
}
