// Cron schedules: five fields or `@daily` and the like, read in a time zone. When to run, not the running; `@every` is no schedule here.
// A local time that the clock skips does not run, unless asked for. One that the clock repeats runs once, except in a schedule
// for every hour, which goes on through the repeated hour.

import { type Instant, instant } from "./time.ts";

/** The values each field admits, in ascending order. */
export type Cron = {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** 0 is Sunday. */
  readonly weekdays: readonly number[];
  /** `either` when day of month and day of week are both restricted: then one of them is enough. */
  readonly day: "both" | "either";
  readonly timeZone: string;
  /** A local time that the clock skips runs as soon as the clock goes on. A schedule for every hour needs no such thing. */
  readonly skipped?: "later";
};

export function parseCron(
  text: string,
  timeZone = "UTC",
  { skipped }: Pick<Cron, "skipped"> = {},
): Cron | { error: string } {
  if (!isTimeZone(timeZone)) return { error: `unknown time zone ${JSON.stringify(timeZone)}` };
  const trimmed = text.trim();
  const fields = (shorthands.get(trimmed) ?? trimmed).split(/\s+/);
  if (trimmed.startsWith("@") && !shorthands.has(trimmed))
    return { error: `unknown schedule ${JSON.stringify(trimmed)}` };
  if (fields.length !== 5) return { error: `expected 5 fields, found ${trimmed === "" ? 0 : fields.length}` };

  const parsed: Field[] = [];
  for (const [at, range] of ranges.entries()) {
    const field = parseField(fields[at] ?? "", range);
    if (typeof field === "string") return { error: `${range.name}: ${field}` };
    parsed.push(field);
  }
  const [minutes = none, hours = none, days = none, months = none, weekdays = none] = parsed;
  return {
    minutes: minutes.values,
    hours: hours.values,
    days: days.values,
    months: months.values,
    weekdays: weekdays.values,
    day: days.any || weekdays.any ? "both" : "either",
    timeZone,
    ...(skipped === undefined ? {} : { skipped }),
  };
}

/** The first run after a moment, never the moment itself; undefined when there is none within five years. */
export function nextRun(cron: Cron, after: Instant): Instant | undefined {
  const offset = offsetAt(cron.timeZone, after);
  // A clock about to be set back shows times again that it has shown before.
  const repeated = Math.max(0, offset - offsetAt(cron.timeZone, after + day));
  const limit = after + offset + fiveYears;
  let best: number | undefined;
  let local = nextMatch(cron, after + offset - repeated, limit);
  while (local !== undefined) {
    const runs = runsAt(cron, local);
    if (best !== undefined && (runs[0] ?? best) >= best) break;
    for (const run of runs) if (run > after && (best === undefined || run < best)) best = run;
    local = nextMatch(cron, local + minute, limit);
  }
  return best === undefined ? undefined : instant(best);
}

/** The last run before a moment, never the moment itself; undefined when there is none within five years. */
export function previousRun(cron: Cron, before: Instant): Instant | undefined {
  const offset = offsetAt(cron.timeZone, before);
  const repeated = Math.max(0, offsetAt(cron.timeZone, before - day) - offset);
  const limit = before + offset - fiveYears;
  let best: number | undefined;
  let local = previousMatch(cron, before + offset + repeated, limit);
  while (local !== undefined) {
    const runs = runsAt(cron, local);
    if (best !== undefined && (runs.at(-1) ?? best) <= best) break;
    for (const run of runs) if (run < before && (best === undefined || run > best)) best = run;
    local = previousMatch(cron, local - minute, limit);
  }
  return best === undefined ? undefined : instant(best);
}

// --- Fields

type Field = { values: readonly number[]; any: boolean };
type Range = { name: string; min: number; max: number; names?: readonly string[] };

const none: Field = { values: [], any: false };
const ranges: readonly Range[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  {
    name: "month",
    min: 1,
    max: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { name: "day of week", min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const shorthands: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

/** A comma list of `*`, `n`, `n-m`, each with an optional `/step`; a text is what is wrong with it. */
function parseField(text: string, range: Range): Field | string {
  const values = new Set<number>();
  let any = false;
  for (const part of text.split(",")) {
    const match = /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\d{1,4}))?$/.exec(part);
    if (match === null) return `cannot read ${JSON.stringify(part)}`;
    const [, star, low = "", high, stepText] = match;
    const step = Number(stepText ?? "1");
    if (step === 0) return `a step of 0 in ${JSON.stringify(part)}`;
    const from = star === undefined ? readPoint(low, range) : range.min;
    if (from === undefined) return `${JSON.stringify(low)} is not a value from ${range.min} to ${range.max}`;
    // `n/step` means from n to the end.
    const open = star !== undefined || (high === undefined && stepText !== undefined);
    const to = open ? Math.max(from, range.max) : readPoint(high ?? low, range);
    if (to === undefined) return `${JSON.stringify(high)} is not a value from ${range.min} to ${range.max}`;
    if (from > to) return `${JSON.stringify(part)} begins after its end`;
    // As in robfig/cron v3, `*/2` restricts the days and `*/1` does not.
    if (star !== undefined && step === 1) any = true;
    for (let value = from; value <= to; value += step) values.add(range.name === "day of week" ? value % 7 : value);
  }
  return { values: [...values].sort((a, b) => a - b), any };
}

function readPoint(text: string, range: Range): number | undefined {
  const named = range.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + range.min;
  if (!/^\d{1,4}$/.test(text)) return undefined;
  const value = Number(text);
  const max = range.name === "day of week" ? 7 : range.max; // 7 is Sunday too
  return value >= range.min && value <= max ? value : undefined;
}

// --- Local time: milliseconds as if the local clock were UTC

const minute = 60_000;
const day = 86_400_000;
const fiveYears = 1827 * day; // with two leap days

/** The first matching local minute from `from` up to `limit`. */
function nextMatch(cron: Cron, from: number, limit: number): number | undefined {
  const start = Math.ceil(from / minute) * minute;
  for (let midnight = Math.floor(start / day) * day; midnight <= limit; midnight += day) {
    if (!dayMatches(cron, midnight)) continue;
    const earliest = (start - midnight) / minute;
    for (const hour of cron.hours) {
      if (hour * 60 + 59 < earliest) continue;
      const found = cron.minutes.find((value) => hour * 60 + value >= earliest);
      if (found === undefined) continue;
      const local = midnight + (hour * 60 + found) * minute;
      return local <= limit ? local : undefined;
    }
  }
  return undefined;
}

/** The last matching local minute from `from` down to `limit`. */
function previousMatch(cron: Cron, from: number, limit: number): number | undefined {
  const start = Math.floor(from / minute) * minute;
  for (let midnight = Math.floor(start / day) * day; midnight > limit - day; midnight -= day) {
    if (!dayMatches(cron, midnight)) continue;
    const latest = (start - midnight) / minute;
    const hour = cron.hours.findLast((value) => cron.minutes.some((m) => value * 60 + m <= latest));
    const found = hour === undefined ? undefined : cron.minutes.findLast((value) => hour * 60 + value <= latest);
    if (hour === undefined || found === undefined) continue;
    const local = midnight + (hour * 60 + found) * minute;
    return local >= limit ? local : undefined;
  }
  return undefined;
}

function dayMatches(cron: Cron, midnight: number): boolean {
  const date = new Date(midnight);
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false;
  const ofMonth = cron.days.includes(date.getUTCDate());
  const ofWeek = cron.weekdays.includes(date.getUTCDay());
  return cron.day === "both" ? ofMonth && ofWeek : ofMonth || ofWeek;
}

// --- Time zones

/** The moments at which the schedule runs for one local time, in order: none or a later one when it is skipped, two when it is repeated. */
function runsAt(cron: Cron, local: number): number[] {
  // No zone is a day away from UTC, so these two stand on either side of a change of the clock near `local`.
  const before = offsetAt(cron.timeZone, local - day);
  const after = offsetAt(cron.timeZone, local + day);
  if (before === after) return [local - before];
  const moments = [local - before, local - after]
    .filter((moment) => moment + offsetAt(cron.timeZone, moment) === local)
    .sort((a, b) => a - b);
  if (cron.hours.length === 24) return moments;
  if (moments.length === 0 && cron.skipped === "later")
    return [changeBetween(cron.timeZone, local - day - before, local + day - after)];
  return moments.slice(0, 1);
}

/** The moment, to the second, at which the clock is set between two moments. */
function changeBetween(timeZone: string, from: number, to: number): number {
  const old = offsetAt(timeZone, from);
  let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(timeZone, middle * 1000) === old) low = middle;
    else high = middle;
  }
  return high * 1000;
}

/** How far local time is ahead of UTC at a moment, in milliseconds. */
function offsetAt(timeZone: string, at: number): number {
  if (timeZone === "UTC") return 0;
  const second = Math.floor(at / 1000) * 1000;
  const field: Record<string, number> = {};
  for (const { type, value } of clockOf(timeZone).formatToParts(second)) field[type] = Number(value);
  const { year = 0, month = 1, day: date = 1, hour = 0, minute: min = 0, second: sec = 0 } = field;
  return Date.UTC(year, month - 1, date, hour, min, sec) - second;
}

// Building a formatter takes longer than a thousand uses of it.
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  clocks.set(timeZone, clock);
  return clock;
}

/** An IANA name. Node also takes offsets such as `+01:00`, which no other reader of the schedule would. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    clockOf(text);
    return true;
  } catch {
    return false;
  }
}
