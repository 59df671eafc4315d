// CronJob: a Job for each time that its schedule comes up. `plan.ts` decides.
import { formatTime, type Instant, parseTime } from "@telltale/kinds";
import { CronJob, Job } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look, type StatusValue } from "@telltale/runtime";
import { outcomeOf } from "../job/facts.ts";
import { unlessEnding } from "../objects/ending.ts";
import { controllerOf, nameOf, uidOf } from "../pods/facts.ts";
import { wordsOf } from "../pods/words.ts";
import { type Plan, plan, type Reference, type World } from "./plan.ts";

/** What came of a plan. */
interface Result {
  readonly active: readonly Reference[];
  readonly startedAt?: Instant;
  readonly wakeAt?: Instant;
  /** Something could not be done. */
  readonly isLame: boolean;
}

interface Done extends World {
  readonly done?: Result;
}

export function cronJobs(): Controller {
  return controller(CronJob, "cronjob-controller").owns(Job).untilGone().reconcile<Done, Plan>({
    observe,
    plan,
    act,
    status: said,
  });
}

async function observe(cron: CronJob, look: Look): Promise<World> {
  const jobs = look.children(Job).filter((job) => controllerOf(job)?.uid === uidOf(cron));
  const known = new Set(jobs.map(uidOf));
  const gone = new Set<string>();
  for (const { uid = "", name = "", namespace = "" } of cron.status?.active ?? []) {
    if (known.has(uid)) continue;
    // A cache that lags behind is no reason to start another.
    const live = await look.live(Job, { name, namespace });
    if (live === undefined || uidOf(live) !== uid) gone.add(uid);
  }
  return { cron, jobs, gone };
}

async function act(todo: Plan, hands: Hands<typeof CronJob>, world: World): Promise<Done> {
  for (const { type, reason, message } of todo.events) hands.event(type, reason, message);
  const removed = await inTurn(todo.remove, hands);
  const replaced = await inTurn(todo.replace, hands);
  const active = todo.active.filter(({ uid = "" }) => !replaced.has(uid));
  const isLame = removed.size < todo.remove.length || replaced.size < todo.replace.length;
  const rest: Result = { active, isLame, ...(todo.wakeAt === undefined ? {} : { wakeAt: todo.wakeAt }) };
  // One that could not be removed is in the way of the next.
  if (todo.start === undefined || replaced.size < todo.replace.length) return { ...world, done: rest };
  const { at, job } = todo.start;
  const started = await start(job, hands);
  if (started === "refused") return { ...world, done: { ...rest, isLame: true } };
  if (started === "not ours") return { ...world, done: rest };
  const isListed = started === "over" || active.some(({ uid }) => uid === uidOf(started));
  return { ...world, done: { ...rest, active: isListed ? active : [...active, referenceTo(started)], startedAt: at } };
}

/** The uids of those that could be removed. */
async function inTurn(jobs: readonly Job[], hands: Hands<typeof CronJob>): Promise<ReadonlySet<string>> {
  const done = new Set<string>();
  for (const job of jobs) if (await remove(job, hands)) done.add(uidOf(job));
  return done;
}

async function remove(job: Job, hands: Hands<typeof CronJob>): Promise<boolean> {
  try {
    await hands.remove(Job, job, "Background");
    hands.event("Normal", "SuccessfulDelete", `Deleted job ${nameOf(job)}`);
    return true;
  } catch (error) {
    hands.event("Warning", "FailedDelete", `Deleted job: ${wordsOf(error)}`);
    return false;
  }
}

/** The Job of a run: it may have been made before, by a pass that was cut short. */
type Started =
  | Job
  | "over" // made before, and on its way out again
  | "not ours" // somebody else has the name
  | "refused";

async function start(job: Job, hands: Hands<typeof CronJob>): Promise<Started> {
  let started: Started = "not ours";
  try {
    await unlessEnding(async () => {
      const { as, live } = await hands.ensure(Job, job, { mode: "createOnly" });
      if (as === "created") hands.event("Normal", "SuccessfulCreate", `Created job ${nameOf(live)}`);
      started = as === "foreign" ? "not ours" : as === "terminating" ? "over" : live;
    });
    return started;
  } catch (error) {
    hands.event("Warning", "FailedCreate", `Error creating job: ${wordsOf(error)}`);
    return "refused";
  }
}

function referenceTo(job: Job): Reference {
  const { namespace, resourceVersion } = job.metadata ?? {};
  return {
    apiVersion: Job.apiVersion,
    kind: Job.kind,
    name: nameOf(job),
    uid: uidOf(job),
    ...(namespace === undefined ? {} : { namespace }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

function said({ cron, jobs, done }: Done): StatusValue<typeof CronJob> {
  if (done === undefined) return { status: undefined };
  const { active: _, ...before } = cron.status ?? {};
  const success = lastSuccess(cron, jobs);
  return {
    status: {
      ...before,
      ...(done.active.length === 0 ? {} : { active: [...done.active] }),
      ...(done.startedAt === undefined ? {} : { lastScheduleTime: formatTime(done.startedAt) }),
      ...(success === undefined ? {} : { lastSuccessfulTime: success }),
    },
    ...(done.wakeAt === undefined ? {} : { wakeAt: done.wakeAt }),
    ...(done.isLame ? { retry: true } : {}),
  };
}

function lastSuccess({ status }: CronJob, jobs: readonly Job[]): string | undefined {
  const ends = jobs
    .filter((job) => outcomeOf(job)?.type === "Complete")
    .flatMap((job) => job.status?.completionTime ?? []);
  return ends.reduce(
    (last, end) => ((parseTime(end) ?? 0) > (parseTime(last) ?? 0) ? end : last),
    status?.lastSuccessfulTime,
  );
}
