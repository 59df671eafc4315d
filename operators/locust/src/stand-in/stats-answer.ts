// The answer of `GET /stats/requests`: as the newest Locust writes it, as older ones did, and as nobody should.
import { type Instant, plus } from "@telltale/kinds";
import type { Fault } from "./faults.ts";
import type { Row } from "./load.ts";
import type { Runner, Worker } from "./runner.ts";

type Json = Readonly<Record<string, unknown>>;

/** Rows that are shown beside the sum. */
const mostRows = 500;

export function statsAnswer(runner: Runner, now: Instant, faults: readonly Fault[], count: number): string {
  runner.look();
  let body = shaped(answerOf(runner, now, faults), faults);
  for (const fault of faults) body = spoilt(body, fault, count);
  const text = `${JSON.stringify(body, undefined, 2)}\n`;
  if (faults.some(({ is }) => is === "nan")) return text.replace(/"(fail_ratio|total_rps)": [\d.]+/g, '"$1": NaN');
  return faults.some(({ is }) => is === "truncate") ? text.slice(0, text.length / 2) : text;
}

/** With the keys of 2.46. */
function answerOf(runner: Runner, now: Instant, faults: readonly Fault[]): Json {
  const { load } = runner;
  const shift = faults.reduce((sum, fault) => sum + (fault.is === "clock" ? fault.ms : 0), 0);
  const { total } = load;
  const rates = load.rates(now);
  const share = (row: Row): number => (total.requests === 0 ? 0 : row.requests / total.requests);
  const rowOf = (row: Row): Json => statsRow(row, rates, row === total ? 1 : share(row));
  return {
    stats: [...[...load.rows.values()].slice(0, mostRows).map(rowOf), rowOf(total)],
    errors: [...load.failures.values()].slice(0, mostRows).map((it) => ({
      method: it.method,
      name: it.name,
      error: it.error,
      occurrences: it.occurrences,
      first_seen: plus(it.firstSeen, shift) / 1000,
      last_seen: plus(it.lastSeen, shift) / 1000,
    })),
    current_rps: rates.current,
    current_fail_per_sec: rates.currentFailures,
    total_rps: rates.average,
    total_fail_per_sec: rates.averageFailures,
    fail_ratio: total.requests === 0 ? 0 : total.failures / total.requests,
    current_response_time_percentiles: {
      "response_time_percentile_0.5": percentile(total, 0.5),
      "response_time_percentile_0.95": percentile(total, 0.95),
    },
    workers: runner.workers.map(workerRow),
    worker_count: runner.workerCount,
    state: runner.state,
    user_count: runner.users,
  };
}

function statsRow(row: Row, rates: ReturnType<Runner["load"]["rates"]>, share: number): Json {
  const per = (rate: number): number => Math.round(rate * share * 100) / 100;
  const of = (sum: number): number => (row.requests === 0 ? 0 : sum / row.requests);
  return {
    method: row.method,
    name: row.name,
    num_requests: row.requests,
    num_failures: row.failures,
    min_response_time: Math.round(row.min),
    max_response_time: Math.round(row.max),
    current_rps: per(rates.current),
    current_fail_per_sec: per(rates.currentFailures),
    avg_response_time: of(row.time),
    median_response_time: percentile(row, 0.5),
    total_rps: per(rates.average),
    total_fail_per_sec: per(rates.averageFailures),
    "response_time_percentile_0.95": percentile(row, 0.95),
    "response_time_percentile_0.99": percentile(row, 0.99),
    avg_content_length: of(row.bytes),
  };
}

/** About where it would be. */
function percentile({ requests, time, max }: Row, at: number): number {
  if (requests === 0) return 0;
  const average = time / requests;
  return Math.round(at <= 0.5 ? Math.min(average, max) : average + (max - average) * (at - 0.5) * 2);
}

const workerRow = ({ id, state, users }: Worker): Json => ({
  id,
  state,
  user_count: users,
  cpu_usage: users === 0 ? 0 : Math.min(100, 5 + users),
  memory_usage: 71_303_168,
});

/** What older versions did not have, or had elsewhere. */
function shaped(body: Json, faults: readonly Fault[]): Json {
  const version = faults.find(({ is }) => is.startsWith("old-"))?.is;
  if (version === undefined) return body;
  const { current_rps: rate, current_fail_per_sec: failures, worker_count, ...rest } = body;
  if (version === "old-2.44") return { ...rest, worker_count };
  // Before 2.43.4 the rate under this name was the current one.
  const old: Json = { ...rest, total_rps: rate, total_fail_per_sec: failures };
  if (version === "old-2.31") return old;
  const { current_response_time_percentiles: percentiles, ...flat } = old;
  const [first, second] = Object.values(percentiles as Json);
  return { ...flat, current_response_time_percentile_1: first, current_response_time_percentile_2: second };
}

function spoilt(body: Json, fault: Fault, count: number): Json {
  const stats = body["stats"] as readonly Json[];
  switch (fault.is) {
    case "no-aggregate":
      return { ...body, stats: stats.slice(0, -1) };
    case "reset-stats":
      return {
        ...body,
        stats: stats.map((row) => ({ ...row, num_requests: 0, num_failures: 0, avg_response_time: 0 })),
      };
    case "flap-workers": {
      const less = count % 2 === 0 ? 0 : 1;
      const workers = body["workers"] as readonly Json[];
      const shown = workers.map((it, i) =>
        i < workers.length - less ? it : { ...it, state: "missing", user_count: 0 },
      );
      const total = Math.max(0, Number(body["worker_count"] ?? workers.length) - less);
      return { ...body, workers: shown, ...("worker_count" in body && { worker_count: total }) };
    }
    case "types":
      return {
        ...body,
        stats: stats.map((row) => ({ ...row, num_requests: "12", num_failures: -2, avg_response_time: null })),
        worker_count: -1,
        user_count: "many",
        current_rps: "fast",
        total_rps: null,
        workers: null,
      };
    case "huge":
      return { ...body, errors: Array.from({ length: 160 }, () => ({ error: "x".repeat(65_536), occurrences: 1 })) };
    default:
      return body;
  }
}
