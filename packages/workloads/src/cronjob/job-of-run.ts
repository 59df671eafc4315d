// The Job of one run of a CronJob. Its name says which run it is, so that no run is started twice. Pure.
import type { Instant } from "@telltale/kinds";
import type { CronJob, Job } from "@telltale/kinds/builtin";
import { nameOf } from "../pods/facts.ts";
import { zonedTime } from "./schedule.ts";

const scheduledAt = "batch.kubernetes.io/cronjob-scheduled-timestamp";

export function jobFor(cron: CronJob, at: Instant): Job {
  const { jobTemplate, timeZone } = cron.spec ?? {};
  const { labels, annotations } = jobTemplate?.metadata ?? {};
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${nameOf(cron)}-${Math.floor(at / 60_000)}`,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [scheduledAt]: zonedTime(at, timeZone) },
    },
    ...(jobTemplate?.spec === undefined ? {} : { spec: jobTemplate.spec }),
  };
}
