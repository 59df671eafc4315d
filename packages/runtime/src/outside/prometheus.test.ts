import { ConfigMap, Pod } from "@telltale/kinds/builtin";
import { Counter, collectDefaultMetrics, register as global, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import type { Gauges, Sample } from "../samples.ts";
import { type Prometheus, prometheus } from "./prometheus.ts";

/** The series of a scrape that are not zero, without the process's own and without buckets. */
async function series({ text }: Prometheus): Promise<string[]> {
  return (await text())
    .split("\n")
    .filter((line) => line !== "" && !/^#|^process_|^nodejs_|_bucket\{| 0$/.test(line))
    .sort();
}

async function told(...samples: Sample[]): Promise<string[]> {
  const it = prometheus();
  for (const sample of samples) it.sink(sample);
  return series(it);
}

const controller = "boats";
const kind = "Boat";

describe("samples become metrics", () => {
  const at = 'controller="boats"';
  const queue = `name="boats",${at}`;
  it.each<[Sample, string[]]>([
    [{ is: "panic", controller }, [`controller_runtime_reconcile_panics_total{${at}} 1`]],
    [
      { is: "enqueue", controller, cause: "child" },
      [`telltale_enqueues_total{${at},cause="child"} 1`, `workqueue_adds_total{${queue}} 1`],
    ],
    [
      { is: "dequeue", controller, waited: 250 },
      [`workqueue_queue_duration_seconds_count{${queue}} 1`, `workqueue_queue_duration_seconds_sum{${queue}} 0.25`],
    ],
    [{ is: "retry", controller }, [`workqueue_retries_total{${queue}} 1`]],
    [
      { is: "status", controller, kind, outcome: "written", significance: "detail" },
      [`telltale_status_writes_total{${at},kind="Boat",outcome="written",significance="detail"} 1`],
    ],
    [{ is: "checkpoint", controller, name: "started" }, [`telltale_checkpoints_total{${at},name="started"} 1`]],
    [
      { is: "phase", controller, kind, to: "Sailing", from: "Docked", after: 90_000 },
      [
        `telltale_phase_seconds_count{${at},kind="Boat",phase="Docked"} 1`,
        `telltale_phase_seconds_sum{${at},kind="Boat",phase="Docked"} 90`,
        `telltale_phase_transitions_total{${at},kind="Boat",from="Docked",to="Sailing"} 1`,
      ],
    ],
    [
      { is: "phase", controller, kind, to: "Docked" },
      [`telltale_phase_transitions_total{${at},kind="Boat",from="",to="Docked"} 1`],
    ],
    [
      { is: "flip", controller, kind, type: "Ready", status: "False", reason: "Aground", from: "True", after: 60_000 },
      [
        `telltale_condition_flips_total{${at},kind="Boat",type="Ready",status="False",reason="Aground"} 1`,
        `telltale_condition_held_seconds_count{${at},kind="Boat",type="Ready",status="True"} 1`,
        `telltale_condition_held_seconds_sum{${at},kind="Boat",type="Ready",status="True"} 60`,
      ],
    ],
    [
      { is: "flapping", controller, kind, type: "Ready" },
      [`telltale_flapping_total{${at},kind="Boat",type="Ready"} 1`],
    ],
    [
      { is: "violation", controller, kind, rule: 78 },
      [`telltale_rule_violations_total{${at},kind="Boat",rule="78"} 1`],
    ],
    [
      { is: "ensure", controller, kind: "Pod", outcome: "created" },
      [`telltale_ensures_total{${at},kind="Pod",outcome="created"} 1`],
    ],
    [
      { is: "request", method: "GET", code: 200, took: 20, again: false },
      [
        'rest_client_request_duration_seconds_count{verb="GET"} 1',
        'rest_client_request_duration_seconds_sum{verb="GET"} 0.02',
        'rest_client_requests_total{code="200",method="GET"} 1',
      ],
    ],
    [
      { is: "request", method: "POST", code: 0, took: 10, again: true },
      [
        'rest_client_request_duration_seconds_count{verb="POST"} 1',
        'rest_client_request_duration_seconds_sum{verb="POST"} 0.01',
        'rest_client_request_retries_total{code="<error>",verb="POST"} 1',
        'rest_client_requests_total{code="<error>",method="POST"} 1',
      ],
    ],
    [{ is: "watch", kind: "Pod", what: "expired" }, ['telltale_watch_happenings_total{kind="Pod",what="expired"} 1']],
    [{ is: "event", controller, outcome: "dropped" }, [`telltale_events_total{${at},outcome="dropped"} 1`]],
    [{ is: "lease", name: "boats-lease", held: true }, ['leader_election_master_status{name="boats-lease"} 1']],
    [
      { is: "webhook", path: "/convert", code: 200, took: 5 },
      [
        'controller_runtime_webhook_latency_seconds_count{webhook="/convert"} 1',
        'controller_runtime_webhook_latency_seconds_sum{webhook="/convert"} 0.005',
        'controller_runtime_webhook_requests_total{webhook="/convert",code="200"} 1',
      ],
    ],
    [
      { is: "poll", source: "telemetry", ok: false, took: 1_000 },
      [
        'telltale_poll_seconds_count{source="telemetry"} 1',
        'telltale_poll_seconds_sum{source="telemetry"} 1',
        'telltale_polls_total{source="telemetry",outcome="failed"} 1',
      ],
    ],
    [{ is: "lost log" }, ["telltale_log_lines_lost_total 1"]],
  ])("%o", async (sample, expected) => {
    expect(await told(sample)).toEqual(expected);
  });

  it.each([
    ["success", "success", 0, 0],
    ["ignored", "success", 0, 0],
    ["requeue", "requeue_after", 0, 0],
    ["waiting", "requeue_after", 0, 0],
    ["conflict", "requeue", 0, 0],
    ["error", "error", 1, 0],
    ["terminal", "error", 1, 1],
  ] as const)(
    "a pass that ended with %s is %s to controller-runtime's dashboards",
    async (ours, theirs, errors, terminal) => {
      const lines = await told({ is: "pass", controller, result: ours, took: 1_500 });
      expect(lines).toContain(`controller_runtime_reconcile_total{${at},result="${theirs}"} 1`);
      expect(lines).toContain(`telltale_passes_total{${at},result="${ours}"} 1`);
      expect(lines).toContain(`controller_runtime_reconcile_time_seconds_sum{${at}} 1.5`);
      expect(lines).toContain(`workqueue_work_duration_seconds_sum{${queue}} 1.5`);
      const count = (name: string) => lines.filter((line) => line.startsWith(`${name}{`)).length;
      expect(count("controller_runtime_reconcile_errors_total")).toBe(errors);
      expect(count("controller_runtime_terminal_reconcile_errors_total")).toBe(terminal);
    },
  );

  it("a time that ran backwards counts as none", async () => {
    const lines = await told({ is: "dequeue", controller, waited: -50 });
    expect(lines).toEqual([`workqueue_queue_duration_seconds_count{${queue}} 1`]);
  });

  it("reasons that nobody declared do not grow the series without end", async () => {
    const flips = Array.from({ length: 5_000 }, (_, i): Sample => {
      return { is: "flip", controller, kind, type: "Ready", status: "True", reason: `R${i}` };
    });
    const lines = await told(...flips);
    expect(lines).toHaveLength(201);
    expect(lines.find((line) => line.includes('reason="other"'))).toMatch(/ 4800$/);
  });
});

describe("gauges", () => {
  const cache = { kind: Pod, synced: true, objects: 3, silent: 1_000, resourceVersion: "100" };
  const gauges: Gauges = {
    queues: () => [{ controller, waiting: 4, delayed: 5, running: 2, workers: 10, longest: 3_000, unfinished: 3_500 }],
    caches: () => [
      { ...cache, namespace: "a" },
      { ...cache, namespace: "b", synced: false, objects: 4, silent: 7_000, resourceVersion: "90" },
      { ...cache, kind: ConfigMap, resourceVersion: "" },
    ],
  };

  it("are read when somebody asks, and a kind in several namespaces is one series", async () => {
    expect(await series(prometheus({ gauges }))).toEqual([
      'controller_runtime_active_workers{controller="boats"} 2',
      'controller_runtime_max_concurrent_reconciles{controller="boats"} 10',
      'telltale_cache_objects{group="",kind="ConfigMap"} 3',
      'telltale_cache_objects{group="",kind="Pod"} 7',
      'telltale_cache_resource_version{group="",kind="Pod"} 90',
      'telltale_cache_silent_seconds{group="",kind="ConfigMap"} 1',
      'telltale_cache_silent_seconds{group="",kind="Pod"} 7',
      'telltale_cache_synced{group="",kind="ConfigMap"} 1',
      'telltale_queue_delayed{controller="boats"} 5',
      'workqueue_depth{name="boats",controller="boats"} 4',
      'workqueue_longest_running_processor_seconds{name="boats",controller="boats"} 3',
      'workqueue_unfinished_work_seconds{name="boats",controller="boats"} 3.5',
    ]);
  });

  it("a cache that is gone is gone from the next scrape", async () => {
    let caches = gauges.caches();
    const it = prometheus({ gauges: { queues: () => [], caches: () => caches } });
    await it.text();
    caches = [];
    expect(await series(it)).toEqual([]);
  });
});

describe("a registry", () => {
  it("of ours is never the global one, and carries the process", async () => {
    const it = prometheus();
    expect(global.getMetricsAsArray()).toEqual([]);
    const text = await it.text();
    for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "nodejs_eventloop_utilization"]) {
      expect(text).toMatch(new RegExp(`^${name} [0-9.e-]+$`, "m"));
    }
    expect(it.contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  it("may be the operator's, with metrics of its own in it", async () => {
    const register = new Registry();
    new Counter({ name: "boats_built_total", help: "Boats", registers: [register] }).inc();
    collectDefaultMetrics({ register });
    const it = prometheus({ register });
    it.sink({ is: "lost log" });
    const lines = await series(it);
    expect(lines).toContain("boats_built_total 1");
    expect(lines).toContain("telltale_log_lines_lost_total 1");
  });

  it("has the counters of known controllers from the start", async () => {
    const text = await prometheus({ controllers: [controller] }).text();
    for (const line of [
      'controller_runtime_reconcile_total{controller="boats",result="error"} 0',
      'controller_runtime_reconcile_total{controller="boats",result="requeue_after"} 0',
      'telltale_passes_total{controller="boats",result="conflict"} 0',
      'controller_runtime_reconcile_panics_total{controller="boats"} 0',
      'workqueue_retries_total{name="boats",controller="boats"} 0',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });
});
