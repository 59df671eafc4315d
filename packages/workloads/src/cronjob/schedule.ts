// When a CronJob runs: five fields, a name such as `@daily`, or `@every 90m`. Pure.
import {
  type Instant,
  instant,
  type Ms,
  nextRun,
  parseCron,
  parseGoDuration,
  plus,
  previousRun,
} from "@telltale/kinds";
import type { CronJob } from "@telltale/kinds/builtin";

export interface Schedule {
  /** The first run after a moment. Undefined: there is none, ever. */
  next(after: Instant): Instant | undefined;
  /** The last run after one moment, up to another. */
  last(after: Instant, until: Instant): Instant | undefined;
}

/** Why there is none, as an Event says it. */
export interface Unreadable {
  readonly reason: "UnknownTimeZone" | "UnparseableSchedule";
  readonly message: string;
}

export function scheduleOf({ spec }: CronJob): Schedule | Unreadable {
  const { schedule = "", timeZone = "UTC" } = spec ?? {};
  const zoned = parseCron("* * * * *", timeZone);
  if ("error" in zoned) {
    const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
    return { reason: "UnknownTimeZone", message };
  }
  const interval = intervalOf(schedule);
  if (interval !== undefined) return every(interval);
  // A zone in the schedule itself: no longer accepted, but stored by servers of the past.
  const [, zone = timeZone, fields = ""] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/s.exec(schedule) ?? [];
  const cron = parseCron(fields, zone);
  if ("error" in cron) {
    const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${cron.error}`;
    return { reason: "UnparseableSchedule", message };
  }
  return {
    next: (after) => nextRun(cron, after),
    last(after, until) {
      const found = previousRun(cron, plus(until, 1));
      return found !== undefined && found > after ? found : undefined;
    },
  };
}

function intervalOf(schedule: string): Ms | undefined {
  const [, text] = /^@every (\S+)$/.exec(schedule.trim()) ?? [];
  const found = text === undefined ? undefined : parseGoDuration(text);
  return found === undefined ? undefined : Math.max(1000, Math.floor(found / 1000) * 1000);
}

/** Counted from the last run. */
function every(interval: Ms): Schedule {
  return {
    next: (after) => plus(instant(Math.floor(after / 1000) * 1000), interval),
    last(after, until) {
      const runs = Math.floor((until - after) / interval);
      return runs < 1 ? undefined : plus(after, runs * interval);
    },
  };
}

/** A moment as a clock of the zone shows it, with its distance from UTC. */
export function zonedTime(at: Instant, timeZone = "UTC"): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" }).formatToParts(at);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const [, sign = "+", hours = "00", minutes = "00"] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  const local = new Date(at + offset).toISOString().slice(0, 19);
  return offset === 0 ? `${local}Z` : `${local}${sign}${hours}:${minutes}`;
}
