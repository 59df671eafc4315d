import { type Instant, instant, parseTime } from "@telltale/kinds";
import type { CronJob } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { dueOf, nextAt } from "./due.ts";
import { scheduleOf } from "./schedule.ts";

const at = (time: string): Instant => parseTime(`2026-01-01T${time}Z`) ?? instant(0);
const text = (time: string) => `2026-01-01T${time}Z`;

function cron(last?: string, deadline?: number, schedule = "0 * * * *"): CronJob {
  return {
    metadata: { creationTimestamp: text("08:30:00") },
    spec: { schedule, jobTemplate: {}, ...(deadline === undefined ? {} : { startingDeadlineSeconds: deadline }) },
    status: last === undefined ? {} : { lastScheduleTime: text(last) },
  };
}

function due(it: CronJob, now: string) {
  const schedule = scheduleOf(it);
  return "reason" in schedule ? schedule : dueOf(it, schedule, at(now));
}

describe("a run is due", () => {
  it("once it came up, since the last one or since the CronJob was made", () => {
    expect(due(cron(), "08:59:59")).toEqual({ is: "nothing" });
    expect(due(cron(), "09:00:00")).toEqual({ is: "start", at: at("09:00:00"), missed: "few" });
    expect(due(cron("09:00:00"), "09:59:59")).toEqual({ is: "nothing" });
    expect(due(cron("09:00:00"), "10:00:01")).toMatchObject({ is: "start", at: at("10:00:00") });
  });

  it("alone: of several that were missed only the last is started", () => {
    expect(due(cron("09:00:00"), "13:20:00")).toEqual({ is: "start", at: at("13:00:00"), missed: "few" });
    expect(due(cron("08:00:00", undefined, "* * * * *"), "12:00:00")).toEqual({
      is: "start",
      at: at("12:00:00"),
      missed: "many",
    });
  });

  it("not when it came up too long ago to be started", () => {
    expect(due(cron("09:00:00", 600), "10:05:00")).toMatchObject({ is: "start", at: at("10:00:00") });
    expect(due(cron("09:00:00", 600), "10:20:00")).toEqual({ is: "late", at: at("10:00:00") });
    expect(due(cron("10:00:00", 600), "10:20:00")).toEqual({ is: "nothing" });
  });

  it("and what is too long ago is not counted as missed", () => {
    expect(due(cron("08:00:00", 60, "* * * * *"), "12:00:00")).toMatchObject({ is: "start", missed: "few" });
  });

  it("not again when the clock is put back", () => {
    expect(due(cron("10:00:00"), "09:30:00")).toEqual({ is: "nothing" });
    expect(due(cron("10:00:00"), "10:00:00")).toEqual({ is: "nothing" });
  });

  it("never where no day has such a date", () => {
    expect(due(cron(undefined, undefined, "0 0 30 2 *"), "10:00:00")).toEqual({ is: "never" });
  });
});

it("the next run is after now, and after the last one", () => {
  const next = (it: CronJob, now: string) => {
    const schedule = scheduleOf(it);
    return "reason" in schedule ? undefined : nextAt(it, schedule, at(now));
  };
  expect(next(cron("09:00:00"), "09:10:00")).toBe(at("10:00:00"));
  expect(next(cron("11:00:00"), "09:10:00")).toBe(at("12:00:00"));
});
