// What a CronJob does at a moment: forget Jobs that have ended, remove old ones, and start one. Pure.
import type { Instant } from "@telltale/kinds";
import type { CronJob, Job } from "@telltale/kinds/builtin";
import { outcomeOf } from "../job/facts.ts";
import { isTerminating, nameOf, uidOf } from "../pods/facts.ts";
import { dueOf, nextAt } from "./due.ts";
import { beyondHistory } from "./history.ts";
import { jobFor } from "./job-of-run.ts";
import { scheduleOf } from "./schedule.ts";

export type Reference = NonNullable<NonNullable<CronJob["status"]>["active"]>[number];

export interface World {
  readonly cron: CronJob;
  /** Those that it controls. */
  readonly jobs: readonly Job[];
  /** Uids of Jobs that are gone, although the status has them as running. */
  readonly gone: ReadonlySet<string>;
}

export interface Plan {
  readonly events: readonly Telling[];
  /** No longer kept. */
  readonly remove: readonly Job[];
  /** They make way for the next one. */
  readonly replace: readonly Job[];
  readonly start?: { readonly at: Instant; readonly job: Job };
  /** Those that run. */
  readonly active: readonly Reference[];
  readonly wakeAt?: Instant;
}

/** An Event to be. */
export interface Telling {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export function plan(world: World, now: Instant): Plan {
  const { cron, jobs } = world;
  const old = beyondHistory(cron, jobs);
  const { active, events } = running(world, old);
  const kept: Plan = { events, remove: old, replace: [], active };
  if (isTerminating(cron)) return kept;
  const schedule = scheduleOf(cron);
  const isReadable = !("reason" in schedule);
  if (!isReadable && schedule.reason === "UnknownTimeZone") return telling(kept, warning(schedule));
  if (cron.spec?.suspend === true) return kept;
  if (!isReadable) return telling(kept, warning(schedule));
  const next = nextAt(cron, schedule, now);
  const waiting: Plan = { ...kept, ...(next === undefined ? {} : { wakeAt: next }) };
  const due = dueOf(cron, schedule, now);
  switch (due.is) {
    case "nothing":
      return waiting;
    case "never":
      return telling(kept, {
        type: "Warning",
        reason: "InvalidSchedule",
        message: `invalid schedule: ${cron.spec?.schedule ?? ""} : time difference between two schedules is less than 1 second`,
      });
    case "late":
      return telling(waiting, {
        type: "Warning",
        reason: "MissSchedule",
        message: `Missed scheduled time to start a job: ${mailTime(due.at)}`,
      });
    case "start":
      return starting(cron, jobs, due.missed === "many" ? telling(waiting, tooMany) : waiting, due.at);
  }
}

const tooMany: Telling = {
  type: "Warning",
  reason: "TooManyMissedTimes",
  message: "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
};

const telling = (plan: Plan, event: Telling): Plan => ({ ...plan, events: [...plan.events, event] });
const warning = (said: Omit<Telling, "type">): Telling => ({ type: "Warning", ...said });

function starting(cron: CronJob, jobs: readonly Job[], waiting: Plan, at: Instant): Plan {
  const { active } = waiting;
  const job = jobFor(cron, at);
  // It was started, and only the time was not written down, or was lost.
  if (active.some(({ name }) => name === nameOf(job))) return waiting;
  const policy = cron.spec?.concurrencyPolicy ?? "Allow";
  if (policy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return telling(waiting, { type: "Normal", reason: "JobAlreadyActive", message });
  }
  if (policy !== "Replace") return { ...waiting, start: { at, job } };
  const replace = jobs.filter((it) => active.some(({ uid }) => uid === uidOf(it)));
  return { ...waiting, replace, start: { at, job } };
}

/** The list of those that run, and what is to be said of those that joined or left it. */
function running({ cron, jobs, gone }: World, old: readonly Job[]): Pick<Plan, "active" | "events"> {
  const events: Telling[] = [];
  const listed = (cron.status?.active ?? []).filter(({ uid }) => !old.some((job) => uidOf(job) === uid));
  const isListed = (job: Job): boolean => listed.some(({ uid }) => uid === uidOf(job));
  const ended = new Set<string>();
  for (const job of jobs) {
    const outcome = outcomeOf(job);
    if (outcome === undefined && !isListed(job)) {
      const message = `Saw a job that the controller did not create or forgot: ${nameOf(job)}`;
      events.push({ type: "Warning", reason: "UnexpectedJob", message });
    } else if (outcome !== undefined && isListed(job)) {
      const message = `Saw completed job: ${nameOf(job)}, condition: ${outcome.type}`;
      events.push({ type: "Normal", reason: "SawCompletedJob", message });
      ended.add(uidOf(job));
    }
  }
  for (const { uid = "", name = "" } of listed) {
    if (gone.has(uid))
      events.push({ type: "Normal", reason: "MissingJob", message: `Active job went missing: ${name}` });
  }
  return { active: listed.filter(({ uid = "" }) => !ended.has(uid) && !gone.has(uid)), events };
}

/** `Thu, 01 Jan 2026 00:00:00 +0000`. */
const mailTime = (at: Instant): string => new Date(at).toUTCString().replace("GMT", "+0000");
