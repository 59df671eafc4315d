// The metrics that samples are counted into. No label is the name or the namespace of an object.
import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from "prom-client";

export type Metrics = ReturnType<typeof metricsIn>;

export function metricsIn(register: Registry) {
  const registers = [register];
  const counter = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Counter<L>({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) =>
    new Gauge<L>({ name, help, labelNames, registers });
  const histogram = <L extends string>(buckets: number[], name: string, help: string, ...labelNames: readonly L[]) =>
    new Histogram<L>({ name, help, labelNames, registers, buckets });

  return {
    // controller-runtime's
    reconciles: counter("controller_runtime_reconcile_total", "Passes by result", "controller", "result"),
    errors: counter("controller_runtime_reconcile_errors_total", "Passes that failed", "controller"),
    terminal: counter(
      "controller_runtime_terminal_reconcile_errors_total",
      "Passes that failed until the object changes",
      "controller",
    ),
    panics: counter(
      "controller_runtime_reconcile_panics_total",
      "Passes that threw what nobody expected",
      "controller",
    ),
    reconcileTime: histogram(passSeconds, "controller_runtime_reconcile_time_seconds", "Time of a pass", "controller"),
    adds: counter("workqueue_adds_total", "Keys that were put into the queue", "name", "controller"),
    waits: histogram(fine, "workqueue_queue_duration_seconds", "Time of a key in the queue", "name", "controller"),
    workTime: histogram(fine, "workqueue_work_duration_seconds", "Time of a pass", "name", "controller"),
    retries: counter("workqueue_retries_total", "Keys that came back after an error", "name", "controller"),
    requests: counter("rest_client_requests_total", "Requests by code and method, each attempt", "code", "method"),
    repeats: counter("rest_client_request_retries_total", "Attempts that were followed by another", "code", "verb"),
    requestTime: histogram(passSeconds, "rest_client_request_duration_seconds", "Time of an attempt", "verb"),
    leader: gauge("leader_election_master_status", "1 while this process holds the lease", "name"),
    webhooks: counter("controller_runtime_webhook_requests_total", "Calls of a webhook by code", "webhook", "code"),
    webhookTime: histogram(fine, "controller_runtime_webhook_latency_seconds", "Time of a webhook call", "webhook"),

    // ours
    passes: counter("telltale_passes_total", "Passes by result, in full", "controller", "result"),
    enqueues: counter("telltale_enqueues_total", "Keys put into the queue, by why", "controller", "cause"),
    statusWrites: counter(
      "telltale_status_writes_total",
      "What became of a status, by how urgent it was",
      "controller",
      "kind",
      "outcome",
      "significance",
    ),
    checkpoints: counter("telltale_checkpoints_total", "Status writes before an effect", "controller", "name"),
    phases: counter("telltale_phase_transitions_total", "Phases entered", "controller", "kind", "from", "to"),
    phaseTime: histogram(long, "telltale_phase_seconds", "How long a phase lasted", "controller", "kind", "phase"),
    flips: counter(
      "telltale_condition_flips_total",
      "Conditions that took another status",
      "controller",
      "kind",
      "type",
      "status",
      "reason",
    ),
    held: histogram(
      long,
      "telltale_condition_held_seconds",
      "How long a condition held a status",
      "controller",
      "kind",
      "type",
      "status",
    ),
    flapping: counter("telltale_flapping_total", "Conditions that began to flap", "controller", "kind", "type"),
    violations: counter("telltale_rule_violations_total", "Broken status rules", "controller", "kind", "rule"),
    ensures: counter("telltale_ensures_total", "Children brought about, by outcome", "controller", "kind", "outcome"),
    watches: counter("telltale_watch_happenings_total", "What happened to watches", "kind", "what"),
    events: counter("telltale_events_total", "What became of Kubernetes Events", "controller", "outcome"),
    polls: counter("telltale_polls_total", "Polls of sources outside Kubernetes", "source", "outcome"),
    pollTime: histogram(passSeconds, "telltale_poll_seconds", "Time of a poll", "source"),
    lostLines: counter("telltale_log_lines_lost_total", "Log lines that could not be written"),
  };
}

/** controller-runtime's buckets, so that its quantiles compare. */
const passSeconds = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** From ten nanoseconds to a thousand seconds: the queue's and the webhooks', there too. */
const fine = exponentialBuckets(1e-8, 10, 12);
/** From a second to a week. */
const long = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 43_200, 86_400, 604_800];
