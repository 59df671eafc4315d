import { type Instant, instant, parseTime } from "@telltale/kinds";
import type { CronJob, Job } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { beyondHistory } from "./history.ts";
import { jobFor } from "./job-of-run.ts";
import { plan } from "./plan.ts";

const text = (time: string) => `2026-01-01T${time}Z`;
const at = (time: string): Instant => parseTime(text(time)) ?? instant(0);

type Spec = Partial<NonNullable<CronJob["spec"]>>;
const cron = (spec: Spec = {}, status: CronJob["status"] = {}): CronJob => ({
  metadata: { name: "it", namespace: "default", uid: "cron", creationTimestamp: text("08:30:00") },
  spec: { schedule: "0 * * * *", jobTemplate: {}, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1, ...spec },
  status,
});

const job = (name: string, outcome?: "Complete" | "Failed", start = "08:40:00"): Job => ({
  metadata: { name, namespace: "default", uid: name },
  status: {
    startTime: text(start),
    conditions: outcome === undefined ? [] : [{ type: outcome, status: "True", lastTransitionTime: text(start) }],
  },
});

const listed = (...names: string[]) => ({ active: names.map((name) => ({ name, uid: name, namespace: "default" })) });

function next(it: CronJob, jobs: readonly Job[] = [], now = "09:00:10", gone: readonly string[] = []) {
  const { events, start, remove, replace, active, wakeAt } = plan({ cron: it, jobs, gone: new Set(gone) }, at(now));
  return {
    events: events.map(({ reason }) => reason),
    start: start?.job.metadata?.name,
    go: [...remove, ...replace].map(({ metadata }) => metadata?.name),
    active: active.map(({ name }) => name),
    wakeAt,
  };
}

const due = `it-${at("09:00:00") / 60_000}`;

describe("a CronJob starts", () => {
  it("a Job that is named after its run, and looks again at the next one", () => {
    expect(next(cron())).toMatchObject({ start: due, wakeAt: at("10:00:00"), events: [] });
    expect(next(cron(), [], "08:50:00")).toMatchObject({ start: undefined, wakeAt: at("09:00:00") });
  });

  it("none while it is suspended or deleted", () => {
    expect(next(cron({ suspend: true }))).toMatchObject({ start: undefined, wakeAt: undefined });
    const leaving = { ...cron(), metadata: { ...cron().metadata, deletionTimestamp: text("08:59:00") } };
    expect(next(leaving)).toMatchObject({ start: undefined });
  });

  it("none where it cannot tell when, and says so", () => {
    expect(next(cron({ schedule: "never" }))).toMatchObject({ start: undefined, events: ["UnparseableSchedule"] });
    expect(next(cron({ timeZone: "Nowhere" }))).toMatchObject({ start: undefined, events: ["UnknownTimeZone"] });
    expect(next(cron({ schedule: "0 0 30 2 *" }))).toMatchObject({ start: undefined, events: ["InvalidSchedule"] });
  });

  it("none that came up too long ago, and says which", () => {
    const { events } = plan({ cron: cron({ startingDeadlineSeconds: 5 }), jobs: [], gone: new Set() }, at("09:00:10"));
    expect(events).toEqual([
      {
        type: "Warning",
        reason: "MissSchedule",
        message: "Missed scheduled time to start a job: Thu, 01 Jan 2026 09:00:00 +0000",
      },
    ]);
  });

  it("the last of very many that were missed, and says that something is wrong", () => {
    const often = cron({ schedule: "* * * * *" }, { lastScheduleTime: text("01:00:00") });
    expect(next(often)).toMatchObject({ start: due, events: ["TooManyMissedTimes"] });
  });

  it("none that runs already", () => {
    expect(next(cron({}, listed(due)), [job(due)])).toMatchObject({ start: undefined, active: [due] });
  });
});

describe("while one runs", () => {
  const old = job("old");
  const policy = (concurrencyPolicy: string) => next(cron({ concurrencyPolicy }, listed("old")), [old]);

  it("Allow starts another beside it", () => {
    expect(policy("Allow")).toMatchObject({ start: due, go: [], active: ["old"] });
  });

  it("Forbid starts none, and says so", () => {
    expect(policy("Forbid")).toMatchObject({ start: undefined, events: ["JobAlreadyActive"], active: ["old"] });
  });

  it("Replace removes it first", () => {
    expect(policy("Replace")).toMatchObject({ start: due, go: ["old"] });
  });
});

describe("the list of those that run", () => {
  it("loses what has ended, and what is gone", () => {
    const it = cron({ suspend: true }, listed("done", "lost", "runs"));
    const found = next(it, [job("done", "Complete"), job("runs")], "09:00:10", ["lost"]);
    expect(found).toMatchObject({ active: ["runs"], events: ["SawCompletedJob", "MissingJob"] });
    const { events } = plan({ cron: it, jobs: [job("done", "Failed")], gone: new Set() }, at("09:00:10"));
    expect(events[0]?.message).toBe("Saw completed job: done, condition: Failed");
  });

  it("does not take in a Job that it did not start, and says so", () => {
    expect(next(cron({ suspend: true }), [job("stray")])).toMatchObject({ active: [], events: ["UnexpectedJob"] });
  });
});

describe("the history", () => {
  const names = (jobs: readonly Job[], spec: Spec = {}) =>
    beyondHistory(cron(spec), jobs).map((it) => it.metadata?.name);

  it("keeps the newest of those that succeeded and of those that failed", () => {
    const jobs = [
      job("b", "Complete", "08:02:00"),
      job("a", "Complete", "08:01:00"),
      job("c", "Complete", "08:03:00"),
      job("d", "Complete", "08:04:00"),
      job("e", "Failed", "08:00:00"),
      job("f", "Failed", "08:01:00"),
      job("g"),
    ];
    expect(names(jobs)).toEqual(["a", "e"]);
    expect(names(jobs, { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 })).toHaveLength(6);
  });

  it("does not remove again what is going", () => {
    const going = { ...job("a", "Failed"), metadata: { name: "a", deletionTimestamp: text("09:00:00") } };
    expect(names([going], { failedJobsHistoryLimit: 0 })).toEqual([]);
  });
});

it("a Job has the labels and annotations of the template, and the time of its run", () => {
  const jobTemplate = {
    metadata: { labels: { a: "1" }, annotations: { b: "2" } },
    spec: { template: {}, backoffLimit: 2 },
  };
  const made = jobFor(cron({ jobTemplate, timeZone: "Europe/Berlin" }), at("09:00:00"));
  expect(made).toMatchObject({
    metadata: {
      name: due,
      labels: { a: "1" },
      annotations: { b: "2", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T10:00:00+01:00" },
    },
    spec: jobTemplate.spec,
  });
});
