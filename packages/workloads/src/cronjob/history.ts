// Which ended Jobs of a CronJob are no longer kept: the oldest beyond its limits. Pure.
import { parseTime } from "@telltale/kinds";
import type { CronJob, Job } from "@telltale/kinds/builtin";
import { outcomeOf } from "../job/facts.ts";
import { isTerminating, nameOf } from "../pods/facts.ts";

export function beyondHistory({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const of = (type: string): readonly Job[] => jobs.filter((job) => outcomeOf(job)?.type === type);
  return [
    ...oldest(of("Complete"), spec?.successfulJobsHistoryLimit),
    ...oldest(of("Failed"), spec?.failedJobsHistoryLimit),
  ].filter((job) => !isTerminating(job));
}

function oldest(jobs: readonly Job[], limit: number | undefined): readonly Job[] {
  if (limit === undefined || jobs.length <= limit) return [];
  return [...jobs].sort(byStart).slice(0, jobs.length - limit);
}

/** One that never began comes last. */
function byStart(a: Job, b: Job): number {
  const startOf = ({ status }: Job): number => parseTime(status?.startTime) ?? Number.POSITIVE_INFINITY;
  const [first, second] = [startOf(a), startOf(b)];
  return first !== second ? (first < second ? -1 : 1) : nameOf(a) < nameOf(b) ? -1 : 1;
}
