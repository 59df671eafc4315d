// What a schedule does next (3.6, "Schedule"): a run that is due, one that is passed over, children that nobody keeps. Pure.
import { formatTime, type Ms } from "@telltale/kinds";
import { text } from "@telltale/status";
import type { VMSnapshot } from "../kinds/index.ts";
import { byBirth, isPinned } from "./retention.ts";
import { deed, rest, type Step } from "./step.ts";
import { comingRun, dueRun } from "./timetable.ts";
import type { Schedule, World } from "./world.ts";

/** A run that is later than this is not made up for. */
const tooLate: Ms = 3_600_000;

export function scheduling({ snapshot, now }: World, { timetable, last, children }: Schedule): Step {
  const { suspend = false, concurrencyPolicy = "Forbid" } = snapshot.spec.schedule ?? {};
  if (last > now) return deed({ is: "rebase" });
  const run = suspend ? undefined : dueRun(timetable, last, now);
  if (run !== undefined) {
    if (now - run >= tooLate) {
      return deed({ is: "skip", run, why: text`The run of ${formatTime(run)} was missed, and is too long ago` });
    }
    const busy = children.filter(isUnderWay);
    if (busy.length > 0 && concurrencyPolicy === "Forbid") {
      const { name = "" } = busy[0]?.metadata ?? {};
      return deed({
        is: "skip",
        run,
        why: text`The run of ${formatTime(run)} is left out: ${name} is still being taken`,
      });
    }
    return deed({ is: "run", run, instead: concurrencyPolicy === "Replace" ? busy : [] });
  }
  const surplus = surplusOf(snapshot, children);
  if (surplus.length > 0) return deed({ is: "prune", surplus });
  return rest({ is: "scheduled", next: suspend ? undefined : comingRun(timetable, last, now), isSuspended: suspend });
}

const isUnderWay = ({ metadata, status }: VMSnapshot): boolean =>
  metadata.deletionTimestamp === undefined && ["Pending", "Creating", undefined].includes(status?.phase);

/** Those beyond the newest so many that came well, and the newest so many that failed. */
function surplusOf({ spec }: VMSnapshot, children: readonly VMSnapshot[]): readonly VMSnapshot[] {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec.schedule ?? {};
  const beyond = (phase: string, limit: number) =>
    children
      .filter((it) => it.status?.phase === phase && it.metadata.deletionTimestamp === undefined && !isPinned(it))
      .sort(byBirth)
      .slice(0, -limit || undefined);
  return [...beyond("Ready", successfulJobsHistoryLimit), ...beyond("Failed", failedJobsHistoryLimit)];
}
