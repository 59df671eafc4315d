import { instant, parseTime } from "@telltale/kinds";
import type { CronJob } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { scheduleOf, zonedTime } from "./schedule.ts";

const cron = (schedule: string, timeZone?: string): CronJob => ({
  spec: { schedule, jobTemplate: {}, ...(timeZone === undefined ? {} : { timeZone }) },
});
const at = (text: string) => parseTime(`2026-${text}Z`) ?? instant(0);

function runs(schedule: string, timeZone?: string) {
  const found = scheduleOf(cron(schedule, timeZone));
  if ("reason" in found) throw new Error(found.message);
  return found;
}

describe("a schedule", () => {
  it("has a next run, never the moment itself, and a last one up to a moment", () => {
    const hourly = runs("0 * * * *");
    expect(hourly.next(at("01-01T10:00:00"))).toBe(at("01-01T11:00:00"));
    expect(hourly.last(at("01-01T08:00:00"), at("01-01T10:00:00"))).toBe(at("01-01T10:00:00"));
    expect(hourly.last(at("01-01T10:00:00"), at("01-01T10:59:59"))).toBeUndefined();
  });

  it("is of its time zone", () => {
    expect(runs("0 9 * * *", "Europe/Berlin").next(at("06-01T00:00:00"))).toBe(at("06-01T07:00:00"));
    expect(runs("TZ=Asia/Tokyo 0 9 * * *").next(at("06-01T00:30:00"))).toBe(at("06-02T00:00:00"));
  });

  it("may be an interval, which counts from the last run", () => {
    const every = runs("@every 1m30s");
    expect(every.next(at("01-01T00:00:10"))).toBe(at("01-01T00:01:40"));
    expect(every.last(at("01-01T00:00:00"), at("01-01T00:04:00"))).toBe(at("01-01T00:03:00"));
    expect(every.last(at("01-01T00:00:00"), at("01-01T00:01:00"))).toBeUndefined();
    expect(runs("@every 1ms").next(at("01-01T00:00:00"))).toBe(at("01-01T00:00:01"));
  });

  it("that cannot be read says why, and so does a zone that nobody knows", () => {
    expect(scheduleOf(cron("61 * * * *"))).toMatchObject({
      reason: "UnparseableSchedule",
      message: expect.stringContaining('unparseable schedule: "61 * * * *" : '),
    });
    expect(scheduleOf(cron("* * * * *", "Mars/Base"))).toEqual({
      reason: "UnknownTimeZone",
      message: 'invalid timeZone: "Mars/Base": unknown time zone Mars/Base',
    });
    for (const text of ["", "@every", "@every soon", "TZ=", "TZ=Nowhere/At * * * * *", "\0"]) {
      expect(scheduleOf(cron(text))).toHaveProperty("reason", "UnparseableSchedule");
    }
  });

  it("may have no run at all", () => {
    expect(runs("0 0 30 2 *").next(at("01-01T00:00:00"))).toBeUndefined();
  });
});

it("a moment is written as a clock of its zone shows it", () => {
  expect(zonedTime(at("01-01T10:00:00"))).toBe("2026-01-01T10:00:00Z");
  expect(zonedTime(at("06-01T10:00:00"), "Europe/Berlin")).toBe("2026-06-01T12:00:00+02:00");
  expect(zonedTime(at("01-01T10:00:00"), "America/St_Johns")).toBe("2026-01-01T06:30:00-03:30");
});
