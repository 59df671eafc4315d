// The numbers of a load that nobody makes: so many requests for each user, as a seed decides. As with Locust, the master learns of
// them in the reports of its workers, every three seconds; what they did until they stopped comes with the next report.
import type { Random } from "@telltale/clock";
import { type Instant, instant, type Ms, plus } from "@telltale/kinds";

/** What is known of the requests to one name. */
export interface Row {
  readonly method: string;
  readonly name: string;
  requests: number;
  failures: number;
  /** Milliseconds, of all of them. */
  time: number;
  min: number;
  max: number;
  bytes: number;
}

export interface Failure {
  readonly method: string;
  readonly name: string;
  readonly error: string;
  occurrences: number;
  readonly firstSeen: Instant;
  lastSeen: Instant;
}

export interface LoadOptions {
  /** Requests of one user in a second. */
  readonly rate: number;
  /** How many of them fail: 0 to 1. */
  readonly failRatio: number;
  /** How many names are requested. */
  readonly names: number;
}

const reportEvery: Ms = 3_000;
/** Users come by the second. */
const step: Ms = 1_000;
/** The current rate is that of the ten seconds before the last two. */
const rateOver: Ms = 10_000;
const rateDelay: Ms = 2_000;

export class Load {
  readonly rows = new Map<string, Row>();
  readonly failures = new Map<string, Failure>();
  readonly #random: Random;
  readonly #options: LoadOptions;
  /** Since when users have done something that is not reported. */
  #since: Instant | undefined;
  #began: Instant | undefined;
  /** Requests that were made and are not reported. */
  #pending = 0;
  #reports: { readonly at: Instant; readonly requests: number; readonly failures: number }[] = [];

  constructor(random: Random, options: LoadOptions) {
    this.#random = random;
    this.#options = options;
  }

  /** A new run: everything from zero. */
  begin(now: Instant): void {
    this.rows.clear();
    this.failures.clear();
    this.#reports = [];
    this.#pending = 0;
    this.#began = now;
    this.#since = now;
  }

  /** Up to now, given how many users there were at each moment since the last time. */
  work(now: Instant, usersAt: (at: Instant) => number): void {
    if (this.#since === undefined || this.#began === undefined) return;
    for (;;) {
      const next = after(this.#began, this.#since, reportEvery);
      const until = instant(Math.min(next, after(this.#began, this.#since, step), now));
      if (until > this.#since) {
        this.#pending += usersAt(this.#since) * this.#options.rate * ((until - this.#since) / 1000);
        this.#since = until;
      }
      if (until === next) this.#tell(next);
      if (until >= now) return;
    }
  }

  reset(): void {
    for (const row of this.rows.values())
      Object.assign(row, { requests: 0, failures: 0, time: 0, min: 0, max: 0, bytes: 0 });
    this.failures.clear();
    this.#reports = [];
  }

  /** Numbers from outside, as one row. */
  set(totals: { readonly requests: number; readonly failures: number; readonly average: number }, now: Instant): void {
    const { requests, failures, average } = totals;
    this.rows.clear();
    this.failures.clear();
    this.rows.set("/item", {
      method: "GET",
      name: "/item",
      requests,
      failures,
      time: requests * average,
      min: requests === 0 ? 0 : average / 2,
      max: requests === 0 ? 0 : average * 5,
      bytes: requests * 1200,
    });
    if (failures > 0) this.#fail("GET", "/item", failures, now);
  }

  get total(): Row {
    const sum: Row = { method: "", name: "Aggregated", requests: 0, failures: 0, time: 0, min: 0, max: 0, bytes: 0 };
    for (const row of this.rows.values()) {
      if (row.requests > 0) sum.min = sum.requests === 0 ? row.min : Math.min(sum.min, row.min);
      sum.max = Math.max(sum.max, row.max);
      for (const field of ["requests", "failures", "time", "bytes"] as const) sum[field] += row[field];
    }
    return sum;
  }

  /** In a second: of late, and since the beginning. */
  rates(now: Instant): Readonly<Record<"current" | "currentFailures" | "average" | "averageFailures", number>> {
    const recent = this.#reports.filter(({ at }) => at > now - rateOver - rateDelay);
    const per = (sum: number, over: Ms): number => Math.round((sum / (over / 1000)) * 100) / 100;
    const { requests, failures } = this.total;
    const lasted = Math.max(1_000, (this.#reports.at(-1)?.at ?? now) - (this.#began ?? now));
    return {
      current: per(
        recent.reduce((sum, it) => sum + it.requests, 0),
        rateOver,
      ),
      currentFailures: per(
        recent.reduce((sum, it) => sum + it.failures, 0),
        rateOver,
      ),
      average: per(requests, lasted),
      averageFailures: per(failures, lasted),
    };
  }

  #tell(at: Instant): void {
    // Chance is asked once for each report, and not for each look: who looks changes nothing.
    const requests = Math.round(this.#pending * (0.9 + 0.2 * this.#random.next()));
    this.#pending = 0;
    if (requests === 0) return;
    let failed = 0;
    for (const [name, count] of this.#spread(requests)) {
      const failures = this.#failuresOf(count);
      failed += failures;
      this.#count(name, count, failures, at);
    }
    this.#reports = [...this.#reports.slice(-9), { at, requests, failures: failed }];
  }

  /** Over all names, about evenly. */
  *#spread(requests: number): Generator<readonly [string, number]> {
    const { names } = this.#options;
    let left = requests;
    for (let i = 0; i < names && left > 0; i += 1) {
      const share = Math.round((left / (names - i)) * (0.8 + 0.4 * this.#random.next()));
      const count = i === names - 1 ? left : Math.min(left, Math.max(share, 1));
      left -= count;
      yield [`/item/${i + 1}`, count];
    }
  }

  #failuresOf(count: number): number {
    const { failRatio } = this.#options;
    if (failRatio <= 0) return 0;
    const exact = count * failRatio;
    return Math.min(count, Math.floor(exact) + (this.#random.next() < exact % 1 ? 1 : 0));
  }

  #count(name: string, count: number, failures: number, at: Instant): void {
    const row = this.rows.get(name) ?? {
      method: "GET",
      name,
      requests: 0,
      failures: 0,
      time: 0,
      min: 0,
      max: 0,
      bytes: 0,
    };
    this.rows.set(name, row);
    const average = 40 + 80 * this.#random.next();
    row.min = row.requests === 0 ? average / 4 : Math.min(row.min, average / 4);
    row.max = Math.max(row.max, average * 4);
    row.requests += count;
    row.failures += failures;
    row.time += count * average;
    row.bytes += count * 1200;
    if (failures > 0) this.#fail("GET", name, failures, at);
  }

  #fail(method: string, name: string, occurrences: number, at: Instant): void {
    const known = this.failures.get(name);
    if (known === undefined) {
      const error = `HTTPError('500 Server Error: Internal Server Error for url: ${name}')`;
      this.failures.set(name, { method, name, error, occurrences, firstSeen: at, lastSeen: at });
    } else {
      known.occurrences += occurrences;
      known.lastSeen = at;
    }
  }
}

/** The next moment after `at` that is a whole number of steps away from the beginning. */
const after = (began: Instant, at: Instant, every: Ms): Instant =>
  plus(began, (Math.floor((at - began) / every) + 1) * every);
