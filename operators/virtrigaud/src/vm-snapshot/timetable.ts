// When a schedule takes snapshots, and what they are called (3.6, "Schedule"). Pure: `now` and the last run are given.
import { type Cron, type Instant, instant, type Ms, nextRun, parseCron, plus, previousRun } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { parseLength } from "../durations.ts";
import type { VMSnapshotSpec } from "../kinds/index.ts";

export type Timetable = { readonly is: "cron"; readonly cron: Cron } | { readonly is: "every"; readonly every: Ms }; // counted from the last run

/** A child's name has whole seconds. */
const shortest: Ms = 1_000;

export function readTimetable({
  cronSpec = "",
  timezone,
}: NonNullable<VMSnapshotSpec["schedule"]>): Timetable | { readonly error: SafeText } {
  const written = cronSpec.trim();
  if (written === "") return { error: text`schedule.cronSpec is missing` };
  const every = /^@every\s+(\S+)$/.exec(written)?.[1];
  if (every !== undefined) {
    const length = parseLength(every);
    if (length === undefined) return { error: text`schedule.cronSpec: ${every} is no length of time` };
    return length < shortest
      ? { error: text`schedule.cronSpec: ${every} is less than 1s` }
      : { is: "every", every: length };
  }
  if (written === "@reboot") return { error: text`schedule.cronSpec: @reboot is not supported` };
  const cron = parseCron(written, timezone === undefined || timezone === "" ? "UTC" : timezone, { skipped: "later" });
  return "error" in cron ? { error: text`schedule: ${cron.error}` } : { is: "cron", cron };
}

/** The latest run after the last one that is due by now. Those before it were missed, and are not made up for. */
export function dueRun(timetable: Timetable, last: Instant, now: Instant): Instant | undefined {
  if (timetable.is === "every") {
    const count = Math.floor((now - last) / timetable.every);
    return count < 1 ? undefined : plus(last, count * timetable.every);
  }
  const run = previousRun(timetable.cron, plus(now, 1));
  return run !== undefined && run > last ? run : undefined;
}

/** The first run that is still to come. */
export function comingRun(timetable: Timetable, last: Instant, now: Instant): Instant | undefined {
  if (timetable.is === "cron") return nextRun(timetable.cron, now);
  const count = Math.floor((now - last) / timetable.every) + 1;
  return plus(last, Math.max(1, count) * timetable.every);
}

/** Fixed by the time of the run: whoever makes it twice makes it once. */
export function childName(name: string, run: Instant): string {
  const stamp = new Date(instant(run)).toISOString().replace(/\D/g, "").slice(0, 14);
  return `${name.slice(0, 253 - stamp.length - 1)}-${stamp}`;
}
