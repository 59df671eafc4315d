// Which run of a CronJob is to be started now: the last one that came up and was not started. Earlier ones are passed over. Pure.
import { type Instant, instant, type Ms, parseTime } from "@telltale/kinds";
import type { CronJob } from "@telltale/kinds/builtin";
import { birthOf } from "../pods/facts.ts";
import type { Schedule } from "./schedule.ts";

/** What there is to do at a moment. */
export type Due =
  | { readonly is: "nothing" }
  | { readonly is: "start"; readonly at: Instant; readonly missed: "few" | "many" }
  | { readonly is: "late"; readonly at: Instant } // it came up too long ago to be started
  | { readonly is: "never" }; // no day has such a date

/** More are too many: something is wrong. */
const few = 100;

export function dueOf(cron: CronJob, schedule: Schedule, now: Instant): Due {
  const since = lastOf(cron);
  const first = schedule.next(since);
  if (first === undefined) return { is: "never" };
  const limit = cron.spec?.startingDeadlineSeconds;
  const earliest = limit === undefined ? since : instant(Math.max(since, now - limit * 1000));
  const at = schedule.last(earliest, now);
  if (at !== undefined) return { is: "start", at, missed: missedSince(earliest, schedule, now) > few ? "many" : "few" };
  const late = schedule.last(since, now);
  return late === undefined ? { is: "nothing" } : { is: "late", at: late };
}

/** The next run from now on. */
export function nextAt(cron: CronJob, schedule: Schedule, now: Instant): Instant | undefined {
  return schedule.next(instant(Math.max(lastOf(cron), now)));
}

const lastOf = (cron: CronJob): Instant => parseTime(cron.status?.lastScheduleTime) ?? birthOf(cron);

/** About how many: schedules are not always even, and nobody waits for a count of years of minutes. */
function missedSince(since: Instant, schedule: Schedule, now: Instant): number {
  const first = schedule.next(since);
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined) return 0;
  const between: Ms = Math.max(1000, second - first);
  return Math.floor((now - first) / between) + 1;
}
