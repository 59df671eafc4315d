// Whether a Job has the pods that it needs, by the pods themselves: its status may be old, and counts pods that were removed. Pure.
import { type Instant, instant, parseTime } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { latest } from "../moments.ts";
import { classifyJob, failuresOf, isEnded, isTerminating, resumedAt } from "./jobs.ts";

export interface JobPods {
  readonly job: string;
  /** How many it needs now. None where it is suspended, or has begun to complete. */
  readonly expected: number;
  /** How many were created, ended ones included. */
  readonly created: number;
  /** How many have not ended. */
  readonly live: number;
  /** The last time at which a pod of it was created or ended, or the Job itself began. */
  readonly changedAt: Instant;
}

export function jobPods(job: Job, pods: readonly Pod[]): JobPods {
  const present = pods.filter((pod) => !isTerminating(pod));
  const live = present.filter((pod) => !isEnded(pod)).length;
  const succeeded = Math.max(
    job.status?.succeeded ?? 0,
    present.filter(({ status }) => status?.phase === "Succeeded").length,
  );
  const ended = Math.max(present.length - live, succeeded + failuresOf(job));
  // Once a pod has succeeded, a Job without completions creates no more.
  const isCreating = ["Created", "Active"].includes(classifyJob(job)) && succeeded === 0;
  return {
    job: job.metadata?.name ?? "",
    expected: isCreating ? (job.spec?.parallelism ?? 1) : 0,
    created: live + ended,
    live,
    changedAt: latest(bornAt(job), resumedAt(job), ...pods.flatMap((pod) => [bornAt(pod), endedAt(pod)])) ?? instant(0),
  };
}

export const bornAt = ({ metadata }: Pod | Job): Instant => parseTime(metadata?.creationTimestamp) ?? instant(0);

/** When the last container of a pod ended. */
export const endedAt = ({ status }: Pod): Instant | undefined =>
  latest(...(status?.containerStatuses ?? []).map(({ state }) => parseTime(state?.terminated?.finishedAt)));
