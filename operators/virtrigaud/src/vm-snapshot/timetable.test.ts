import { formatTime, type Instant, parseTime } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { childName, comingRun, dueRun, readTimetable, type Timetable } from "./timetable.ts";

function table(cronSpec: string, timezone?: string): Timetable {
  const read = readTimetable({ cronSpec, ...(timezone && { timezone }) });
  if ("error" in read) throw new Error(read.error);
  return read;
}

function at(text: string): Instant {
  const moment = parseTime(text);
  if (moment === undefined) throw new Error(`${text} is no time`);
  return moment;
}

const due = (it: Timetable, last: string, now: string) => {
  const run = dueRun(it, at(last), at(now));
  return run === undefined ? undefined : formatTime(run);
};

describe("a timetable", () => {
  it.each(["@reboot", "0 0 0 * * *", "* * * * * * *", "@every 30d", "@every 10ms", "61 * * * *", "", "@never"])(
    "is not %j",
    (cronSpec) => {
      expect(readTimetable({ cronSpec })).toHaveProperty("error");
    },
  );

  it("needs a zone that is known", () => {
    expect(readTimetable({ cronSpec: "@daily", timezone: "Mars/Olympus" })).toHaveProperty("error");
  });

  it("has the latest run that is due, and those before it are over", () => {
    const quarter = table("*/15 * * * *");
    expect(due(quarter, "2026-01-01T00:00:00Z", "2026-01-01T00:14:59Z")).toBeUndefined();
    expect(due(quarter, "2026-01-01T00:00:00Z", "2026-01-01T00:15:00Z")).toBe("2026-01-01T00:15:00Z");
    expect(due(quarter, "2026-01-01T00:00:00Z", "2026-01-01T00:59:00Z")).toBe("2026-01-01T00:45:00Z");
    expect(due(quarter, "2026-01-01T00:45:00Z", "2026-01-01T00:59:00Z")).toBeUndefined();
  });

  it("goes by a zone: a time that is skipped comes later, one that is repeated once", () => {
    const night = table("30 2 * * *", "Europe/Berlin");
    expect(due(night, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z")).toBe("2026-03-29T01:00:00Z");
    expect(due(night, "2026-10-25T00:30:00Z", "2026-10-25T12:00:00Z")).toBeUndefined();
  });

  it("counts from the last run where it says how often", () => {
    const every = table("@every 1h30m");
    expect(due(every, "2026-01-01T00:10:00Z", "2026-01-01T01:39:59Z")).toBeUndefined();
    expect(due(every, "2026-01-01T00:10:00Z", "2026-01-01T05:00:00Z")).toBe("2026-01-01T04:40:00Z");
    const next = comingRun(every, at("2026-01-01T00:10:00Z"), at("2026-01-01T05:00:00Z"));
    expect(next).toBe(at("2026-01-01T06:10:00Z"));
  });

  it("names what it makes by the time of the run, in UTC, within the length of a name", () => {
    expect(childName("nightly", at("2026-03-29T01:00:00Z"))).toBe("nightly-20260329010000");
    expect(childName("x".repeat(253), at("2026-03-29T01:00:00Z"))).toHaveLength(253);
  });
});
