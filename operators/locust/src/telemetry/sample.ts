// One answer of `GET /stats/requests`, made into numbers that can be trusted. The answer comes from a program that anybody may
// have written: a field that is not what it should be is left out, and no text of it is kept but the names of missing hosts.
import type { Instant } from "@telltale/kinds";

/** What a runner says of itself. */
export type RunnerState = (typeof states)[number];

const states = ["ready", "spawning", "running", "cleanup", "stopping", "stopped", "missing"] as const;

export interface Sample {
  readonly at: Instant;
  /** Absent where it is none that is known: then nobody says that there is load. */
  readonly state?: RunnerState;
  /** Workers that are connected. */
  readonly workers?: number;
  /** Hosts of workers that were connected and are missing. */
  readonly missing: readonly string[];
  readonly users?: number;
  readonly totals?: Totals;
  /** Requests in a second, now. */
  readonly rate?: number;
}

/** Over the whole run. */
export interface Totals {
  readonly requests?: number;
  readonly failures?: number;
  /** Milliseconds. */
  readonly average?: number;
}

/** Why an answer is none. */
export interface Invalid {
  readonly invalid: "not JSON" | "not an object" | "not the statistics of Locust";
}

/** From the text of an answer. `NaN` and `Infinity` are no JSON, although Python writes them. */
export function parseSample(text: string, at: Instant): Sample | Invalid {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { invalid: "not JSON" };
  }
  return mapSample(body, at);
}

export function mapSample(body: unknown, at: Instant): Sample | Invalid {
  if (!isRecord(body)) return { invalid: "not an object" };
  if (!isOfLocust(body)) return { invalid: "not the statistics of Locust" };
  const state = states.find((it) => it === body["state"]);
  const list = (listOf(body["workers"]) ?? []).filter(isRecord);
  const workers = count(body["worker_count"], int32) ?? connectedOf(body["workers"], list);
  const users = count(body["user_count"], int32);
  const row = totalsIn(body["stats"]);
  const totals = row === undefined ? undefined : totalsOf(row);
  const rate = number(body["current_rps"]) ?? number(row?.["current_rps"]) ?? number(body["total_rps"]);
  return {
    at,
    ...(state !== undefined && { state }),
    ...(workers !== undefined && { workers }),
    missing: missingOf(list),
    ...(users !== undefined && { users }),
    ...(totals !== undefined && { totals }),
    ...(rate !== undefined && { rate: rounded(rate) }),
  };
}

/** What every version of Locust says: the state of its runner, and of users or requests. Any other JSON is some other program's. */
function isOfLocust({ state, user_count: users, stats }: Loose): boolean {
  return typeof state === "string" && (number(users) !== undefined || Array.isArray(stats));
}

/** Before 2.37.2 nobody counted for us. */
function connectedOf(given: unknown, list: readonly Loose[]): number | undefined {
  if (!Array.isArray(given)) return undefined;
  return list.filter(({ state }) => state === "ready" || state === "spawning" || state === "running").length;
}

/** A worker's id is its host, an underscore and something random. */
function missingOf(list: readonly Loose[]): readonly string[] {
  const hosts = list.flatMap(({ id, state }) => {
    if (state !== "missing" || typeof id !== "string") return [];
    return /^([a-z0-9.-]{1,253})_/.exec(id)?.[1] ?? [];
  });
  return [...new Set(hosts)];
}

/** The sum is the last row; its name was `Total` long ago. */
function totalsIn(stats: unknown): Loose | undefined {
  const isTotals = (row: unknown): row is Loose =>
    isRecord(row) && (row["name"] === "Aggregated" || row["name"] === "Total");
  return listOf(stats)?.findLast(isTotals);
}

function totalsOf(row: Loose): Totals {
  const requests = count(row["num_requests"], Number.MAX_SAFE_INTEGER);
  const failures = count(row["num_failures"], Number.MAX_SAFE_INTEGER);
  const average = number(row["avg_response_time"]);
  return {
    ...(requests !== undefined && { requests }),
    ...(failures !== undefined && { failures }),
    ...(average !== undefined && { average: rounded(average) }),
  };
}

type Loose = Readonly<Record<string, unknown>>;

const int32 = 2 ** 31 - 1;

const isRecord = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;

/** A whole number that its field in the status can hold. */
function count(value: unknown, most: number): number | undefined {
  const whole = Math.trunc(number(value) ?? Number.NaN);
  return whole <= most ? whole : undefined;
}

const rounded = (value: number): number => (value < 1e15 ? Math.round(value * 100) / 100 : value);
