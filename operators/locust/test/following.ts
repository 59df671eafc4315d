// A test that is followed: each answer of its master, what telemetry says of it, and the status as it was written after it.
import { formatTime, type Instant, instant } from "@telltale/kinds";
import type { Job } from "@telltale/kinds/builtin";
import type { Polled } from "@telltale/runtime";
import { standardConfig } from "../src/config.ts";
import type { LocustTestStatus } from "../src/kinds/locust-test.ts";
import { parseLocustArgs } from "../src/telemetry/options.ts";
import type { Read } from "../src/telemetry/poller.ts";
import { nextReading, type Reading } from "../src/telemetry/reading.ts";
import type { Sample } from "../src/telemetry/sample.ts";
import type { Master, Reach } from "../src/telemetry/target.ts";
import { Unread } from "../src/telemetry/trouble.ts";
import { type TelemetryInput, type TelemetryView, telemetryView } from "../src/telemetry/view.ts";

const t0 = Date.UTC(2026, 0, 19, 22);
export const at = (seconds: number): Instant => instant(t0 + seconds * 1000);
export const master: Master = { uid: "m1", created: at(0) };
export const reachOf = (it: Master): Reach => ({
  at: "address",
  url: "http://10.0.0.1:8089/stats/requests",
  master: it,
});
export const config = standardConfig.telemetry;
export const options = (line: string) => parseLocustArgs(line.split(" "), []);
const standard = options("--users 100 --run-time 5m");

export const sample = (seconds: number, more: Partial<Sample> = {}): Sample => ({
  at: at(seconds),
  missing: [],
  state: "running",
  workers: 3,
  users: 100,
  totals: { requests: 812, failures: 3, average: 83.41 },
  rate: 40.1,
  ...more,
});

export const worker = (status: NonNullable<Job["status"]> = { active: 3, ready: 3 }): Job => ({ status });

/** A test that is followed: each answer, and the status as it was written after it. */
export function following(start: LocustTestStatus = { phase: "Running" }, more: Partial<TelemetryInput> = {}) {
  let stored = start;
  let polled: Polled<Read> | undefined;
  let view: TelemetryView | undefined;
  let writes = 0;
  const look = (now: Instant, changes: Partial<TelemetryInput> = {}): TelemetryView => {
    const input: TelemetryInput = {
      stored,
      reach: reachOf(master),
      polled,
      worker: worker(),
      workerPods: ["demo-worker-a", "demo-worker-b"],
      now,
      config,
      options: standard,
      ...more,
      ...changes,
    };
    view = telemetryView(input);
    const { testResult, progress, connectedWorkers, workersSource, condition } = view;
    const conditions = [{ type: "TelemetryAvailable", lastTransitionTime: formatTime(now), ...condition }];
    const next = {
      ...stored,
      connectedWorkers,
      workersSource,
      conditions,
      ...(view.mostConnectedWorkers !== undefined && { mostConnectedWorkers: view.mostConnectedWorkers }),
      ...(view.lostWorkers !== undefined && { lostWorkers: view.lostWorkers }),
      ...(testResult !== undefined && { testResult }),
      ...(progress !== undefined && { progress }),
    };
    if (testResult === undefined) delete next.testResult;
    if (progress === undefined) delete next.progress;
    if (JSON.stringify({ ...next, conditions: [] }) !== JSON.stringify({ ...stored, conditions: [] })) writes += 1;
    stored = next;
    return view;
  };
  return {
    look,
    answer(it: Sample, changes: Partial<TelemetryInput> = {}, by: Master = master): TelemetryView {
      const value: Reading = nextReading(polled?.value, by, it, config.statusInterval);
      polled = { value, failures: 0, at: it.at };
      return look(it.at, { reach: reachOf(by), ...changes });
    },
    fail(seconds: number, error: unknown = refused, changes: Partial<TelemetryInput> = {}): TelemetryView {
      const failures = (polled?.failures ?? 0) + 1;
      polled = { ...(polled?.value !== undefined && { value: polled.value }), failures, error, at: at(seconds) };
      return look(at(seconds), changes);
    },
    /** Another process takes over: memory is lost. */
    restart() {
      polled = undefined;
    },
    set(status: LocustTestStatus) {
      stored = status;
    },
    get stored() {
      return stored;
    },
    get writes() {
      return writes;
    },
  };
}

export const refused = new Unread("MasterUnreachable", "connection refused");
