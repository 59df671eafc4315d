import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cron, nextRun, parseCron, previousRun } from "./cron.ts";
import { formatTime, type Instant, instant, parseTime } from "./time.ts";

function cron(text: string, timeZone?: string): Cron {
  const parsed = parseCron(text, timeZone);
  if ("error" in parsed) throw new Error(parsed.error);
  return parsed;
}

function at(text: string): Instant {
  const moment = parseTime(text);
  if (moment === undefined) throw new Error(`${text} is no time`);
  return moment;
}

function next(text: string, after: string, timeZone?: string): string | undefined {
  const run = nextRun(cron(text, timeZone), at(after));
  return run === undefined ? undefined : formatTime(run);
}

function previous(text: string, before: string, timeZone?: string): string | undefined {
  const run = previousRun(cron(text, timeZone), at(before));
  return run === undefined ? undefined : formatTime(run);
}

describe("reading a schedule", () => {
  it("takes lists, ranges, steps and names", () => {
    expect(cron("1,5-7,*/20 0/6 1-10/3 jan-MAR,12 MON-fri")).toEqual({
      minutes: [0, 1, 5, 6, 7, 20, 40],
      hours: [0, 6, 12, 18],
      days: [1, 4, 7, 10],
      months: [1, 2, 3, 12],
      weekdays: [1, 2, 3, 4, 5],
      day: "either",
      timeZone: "UTC",
    });
  });

  it("takes 7 as Sunday, alone and in ranges, and does not reach it with a step", () => {
    expect(cron("0 0 * * 7").weekdays).toEqual([0]);
    expect(cron("0 0 * * 5-7").weekdays).toEqual([0, 5, 6]);
    expect(cron("0 0 * * 1/2").weekdays).toEqual([1, 3, 5]);
  });

  it("takes ? as *", () => {
    expect(cron("0 0 ? * ?")).toEqual(cron("0 0 * * *"));
  });

  it.each([
    ["@hourly", "0 * * * *"],
    ["@daily", "0 0 * * *"],
    ["@midnight", "0 0 * * *"],
    ["@weekly", "0 0 * * 0"],
    ["@monthly", "0 0 1 * *"],
    ["@yearly", "0 0 1 1 *"],
    ["@annually", "0 0 1 1 *"],
  ])("takes %s for %s", (short, long) => {
    expect(cron(short)).toEqual(cron(long));
  });

  it("needs both days to match only as long as one of them is open", () => {
    expect(cron("0 0 1 * 1").day).toBe("either");
    expect(cron("0 0 * * 1").day).toBe("both");
    expect(cron("0 0 1 * ?").day).toBe("both");
    expect(cron("0 0 */1 * 1").day).toBe("both");
    expect(cron("0 0 */2 * 1").day).toBe("either");
  });

  it.each([
    ["", "expected 5 fields, found 0"],
    ["* * * *", "expected 5 fields, found 4"],
    ["0 * * * * *", "expected 5 fields, found 6"],
    ["@reboot", 'unknown schedule "@reboot"'],
    ["@every 1h", 'unknown schedule "@every 1h"'],
    ["60 * * * *", 'minute: "60" is not a value from 0 to 59'],
    ["* 24 * * *", 'hour: "24" is not a value from 0 to 23'],
    ["* * 0 * *", 'day of month: "0" is not a value from 1 to 31'],
    ["* * * foo *", 'month: "foo" is not a value from 1 to 12'],
    ["* * * * 8", 'day of week: "8" is not a value from 0 to 6'],
    ["*/0 * * * *", 'minute: a step of 0 in "*/0"'],
    ["5-1 * * * *", 'minute: "5-1" begins after its end'],
    ["1,,2 * * * *", 'minute: cannot read ""'],
    ["-1 * * * *", 'minute: cannot read "-1"'],
    ["*-5 * * * *", 'minute: cannot read "*-5"'],
    ["1/2/3 * * * *", 'minute: cannot read "1/2/3"'],
    ["TZ=UTC 0 0 * * *", "expected 5 fields, found 6"],
  ])("refuses %j and says why", (text, error) => {
    expect(parseCron(text)).toEqual({ error });
  });

  it.each(["Mars/Olympus", "", "+01:00", "Local"])("refuses the time zone %j", (timeZone) => {
    expect(parseCron("0 0 * * *", timeZone)).toEqual({ error: `unknown time zone ${JSON.stringify(timeZone)}` });
  });
});

describe("the next run", () => {
  it.each([
    ["0/15 * * * *", "2012-07-09T14:59:59Z", "2012-07-09T15:00:00Z"],
    ["0/15 * * * *", "2012-07-09T15:00:00Z", "2012-07-09T15:15:00Z"],
    ["20-35/15 * * * *", "2012-07-09T23:45:00Z", "2012-07-10T00:20:00Z"],
    ["0 0 9 4-10 ?", "2012-07-09T23:35:00Z", "2012-08-09T00:00:00Z"],
    ["0 0 * 2 1", "2012-07-09T23:35:00Z", "2013-02-04T00:00:00Z"],
    ["* * * * *", "2012-12-31T23:59:45Z", "2013-01-01T00:00:00Z"],
    ["0 0 29 2 ?", "2012-07-09T23:35:00Z", "2016-02-29T00:00:00Z"],
    ["0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
    ["0 0 13 * 5", "2026-01-10T00:00:00Z", "2026-01-13T00:00:00Z"],
    ["0 0 29 2 *", "2026-02-28T00:00:00Z", "2028-02-29T00:00:00Z"],
  ])("of %s after %s is %s", (text, after, run) => {
    expect(next(text, after)).toBe(run);
  });

  it("is none for a day that never comes, or not within five years", () => {
    expect(next("0 0 30 2 *", "2026-01-01T00:00:00Z")).toBeUndefined();
    expect(next("0 0 31 4 *", "2026-01-01T00:00:00Z")).toBeUndefined();
    expect(next("0 0 29 2 *", "2096-03-01T00:00:00Z")).toBeUndefined();
  });

  it("is at the local time of its zone", () => {
    expect(next("30 8 * * *", "2026-01-15T00:00:00Z", "Europe/Berlin")).toBe("2026-01-15T07:30:00Z");
    expect(next("30 8 * * *", "2026-07-15T00:00:00Z", "Europe/Berlin")).toBe("2026-07-15T06:30:00Z");
    expect(next("0 0 * * *", "2026-01-15T00:00:00Z", "Asia/Kolkata")).toBe("2026-01-15T18:30:00Z");
    expect(next("0 0 1 * *", "2026-01-15T00:00:00Z", "Pacific/Kiritimati")).toBe("2026-01-31T10:00:00Z");
  });
});

describe("the previous run", () => {
  it.each([
    ["0 * * * *", "2026-01-01T00:00:00Z", "2025-12-31T23:00:00Z"],
    ["0 * * * *", "2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z"],
    ["0 0 29 2 *", "2027-01-01T00:00:00Z", "2024-02-29T00:00:00Z"],
    ["15,45 6 * * 1", "2026-01-05T06:30:00Z", "2026-01-05T06:15:00Z"],
    ["15,45 6 * * 1", "2026-01-05T06:10:00Z", "2025-12-29T06:45:00Z"],
  ])("of %s before %s is %s", (text, before, run) => {
    expect(previous(text, before)).toBe(run);
  });

  it("is none for a day that never comes", () => {
    expect(previous("0 0 30 2 *", "2026-01-01T00:00:00Z")).toBeUndefined();
  });
});

describe("when the clocks change", () => {
  it("a skipped local time does not run that day", () => {
    // 2026-03-29 02:00 in Berlin is followed by 03:00.
    expect(next("30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin")).toBe("2026-03-30T00:30:00Z");
    expect(previous("30 2 * * *", "2026-03-29T12:00:00Z", "Europe/Berlin")).toBe("2026-03-28T01:30:00Z");
    expect(next("30 2 11 3 ?", "2012-03-11T05:00:00Z", "America/New_York")).toBe("2013-03-11T06:30:00Z");
  });

  it("a midnight that is skipped does not run, and the day goes on", () => {
    // 2018-11-04 began at 01:00 in São Paulo.
    expect(next("0 0 * * *", "2018-11-03T12:00:00Z", "America/Sao_Paulo")).toBe("2018-11-05T02:00:00Z");
    expect(next("0 1 * * *", "2018-11-03T12:00:00Z", "America/Sao_Paulo")).toBe("2018-11-04T03:00:00Z");
  });

  it("a day that is skipped does not run", () => {
    // Apia went from the 29th to the 31st of December 2011.
    expect(next("0 12 * * *", "2011-12-30T00:00:00Z", "Pacific/Apia")).toBe("2011-12-30T22:00:00Z");
    expect(next("0 12 30 12 *", "2011-12-01T00:00:00Z", "Pacific/Apia")).toBe("2012-12-29T22:00:00Z");
  });

  it("a skipped local time runs when the clock goes on, where that is asked for", () => {
    const later = (text: string, timeZone: string): Cron => {
      const parsed = parseCron(text, timeZone, { skipped: "later" });
      if ("error" in parsed) throw new Error(parsed.error);
      return parsed;
    };
    const runs = (it: Cron, from: string, count: number) => {
      const found: string[] = [];
      for (let run = nextRun(it, at(from)); run !== undefined && found.length < count; run = nextRun(it, run)) {
        found.push(formatTime(run));
      }
      return found;
    };
    const half = later("30 2 * * *", "Europe/Berlin");
    expect(runs(half, "2026-03-28T00:00:00Z", 3)).toEqual([
      "2026-03-28T01:30:00Z",
      "2026-03-29T01:00:00Z",
      "2026-03-30T00:30:00Z",
    ]);
    expect(previousRun(half, at("2026-03-29T12:00:00Z"))).toBe(at("2026-03-29T01:00:00Z"));
    expect(previousRun(half, at("2026-03-29T01:00:00Z"))).toBe(at("2026-03-28T01:30:00Z"));
    // Several of the skipped ones, and one at the very end of the gap, are one run.
    expect(runs(later("15,45 2 * * *", "Europe/Berlin"), "2026-03-29T00:00:00Z", 2)).toEqual([
      "2026-03-29T01:00:00Z",
      "2026-03-30T00:15:00Z",
    ]);
    expect(runs(later("0 2,3 * * *", "Europe/Berlin"), "2026-03-29T00:00:00Z", 2)).toEqual([
      "2026-03-29T01:00:00Z",
      "2026-03-30T00:00:00Z",
    ]);
    expect(runs(later("0 0 * * *", "America/Sao_Paulo"), "2018-11-03T12:00:00Z", 1)).toEqual(["2018-11-04T03:00:00Z"]);
    // It goes by the clock, and every hour comes.
    expect(runs(later("30 * * * *", "Europe/Berlin"), "2026-03-29T00:30:00Z", 1)).toEqual(["2026-03-29T01:30:00Z"]);
  });

  it("a repeated local time runs the first time only", () => {
    // 2026-10-25 03:00 in Berlin is followed by 02:00.
    expect(next("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin")).toBe("2026-10-25T00:30:00Z");
    expect(next("30 2 * * *", "2026-10-25T00:30:00Z", "Europe/Berlin")).toBe("2026-10-26T01:30:00Z");
    expect(previous("30 2 * * *", "2026-10-25T12:00:00Z", "Europe/Berlin")).toBe("2026-10-25T00:30:00Z");
    expect(previous("30 2 * * *", "2026-10-25T01:10:00Z", "Europe/Berlin")).toBe("2026-10-25T00:30:00Z");
  });

  it("a schedule for every hour goes on through the repeated hour", () => {
    expect(next("30 * * * *", "2026-10-25T00:30:00Z", "Europe/Berlin")).toBe("2026-10-25T01:30:00Z");
    expect(next("30 * * * *", "2026-10-25T01:30:00Z", "Europe/Berlin")).toBe("2026-10-25T02:30:00Z");
    expect(previous("30 * * * *", "2026-10-25T01:30:00Z", "Europe/Berlin")).toBe("2026-10-25T00:30:00Z");
    expect(next("30 * * * *", "2026-03-29T00:30:00Z", "Europe/Berlin")).toBe("2026-03-29T01:30:00Z");
  });
});

const minute = 60_000;
const day = 86_400_000;

const changes = [
  { timeZone: "UTC", around: at("2026-03-01T00:00:00Z") },
  { timeZone: "Europe/Berlin", around: at("2026-03-29T01:00:00Z") },
  { timeZone: "Europe/Berlin", around: at("2026-10-25T01:00:00Z") },
  { timeZone: "America/New_York", around: at("2026-11-01T06:00:00Z") },
  { timeZone: "America/Sao_Paulo", around: at("2018-11-04T03:00:00Z") },
  { timeZone: "America/Sao_Paulo", around: at("2018-02-18T02:00:00Z") },
  { timeZone: "Australia/Lord_Howe", around: at("2026-04-04T15:00:00Z") },
  { timeZone: "Australia/Lord_Howe", around: at("2026-10-03T15:30:00Z") },
  { timeZone: "Pacific/Apia", around: at("2011-12-30T10:00:00Z") },
];

/** Every minute of six days around a change, with the text of the local clock and whether the clock shows it for the first time. */
const minutesOf = changes.map(({ timeZone, around }) => {
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const seen = new Set<string>();
  const minutes: { at: number; first: boolean; wall: Date }[] = [];
  for (let moment = around - 3 * day; moment <= around + 3 * day; moment += minute) {
    const text = clock.format(moment);
    minutes.push({ at: moment, first: !seen.has(text), wall: new Date(`${text.replace(" ", "T")}:00Z`) });
    seen.add(text);
  }
  return minutes;
});

const field = (values: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(","));

const anyCron = fc
  .tuple(
    field(["0", "30", "59", "*/7", "15-20", "*"]),
    field(["0", "1", "2", "3", "1-3", "*/2", "23", "*"]),
    field(["1", "4", "25", "28-31", "*/2", "*"]),
    field(["*"]),
    field(["0", "6", "MON-FRI", "*"]),
  )
  .map((fields) => fields.join(" "));

describe("a run", () => {
  it("is what the local clock says, minute by minute", () => {
    fc.assert(
      fc.property(
        anyCron,
        fc.nat({ max: changes.length - 1 }),
        fc.integer({ min: -2880, max: 2880 }),
        (text, which, shift) => {
          const { timeZone = "", around = instant(0) } = changes[which] ?? {};
          const schedule = cron(text, timeZone);
          const runs = (minutesOf[which] ?? []).filter(({ wall, first }) => {
            const ofMonth = schedule.days.includes(wall.getUTCDate());
            const ofWeek = schedule.weekdays.includes(wall.getUTCDay());
            const days = schedule.day === "both" ? ofMonth && ofWeek : ofMonth || ofWeek;
            const time = schedule.hours.includes(wall.getUTCHours()) && schedule.minutes.includes(wall.getUTCMinutes());
            return days && time && (first || schedule.hours.length === 24);
          });
          const moment = instant(around + shift * minute);
          const end = around + 3 * day;
          const following = runs.find((run) => run.at > moment)?.at;
          const found = nextRun(schedule, moment);
          if (following === undefined) expect(found === undefined || found > end).toBe(true);
          else expect(found).toBe(following);
          const preceding = runs.findLast((run) => run.at < moment)?.at;
          const last = previousRun(schedule, moment);
          if (preceding === undefined) expect(last === undefined || last < end - 6 * day).toBe(true);
          else expect(last).toBe(preceding);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("lies after its start, and is the last one before the moment that follows it", () => {
    fc.assert(
      fc.property(anyCron, fc.constantFrom(...changes), fc.integer({ min: 0, max: 2e12 }), (text, { timeZone }, ms) => {
        const schedule = cron(text, timeZone);
        const run = nextRun(schedule, instant(ms));
        if (run === undefined) return;
        expect(run).toBeGreaterThan(ms);
        expect(previousRun(schedule, instant(run + 1))).toBe(run);
        expect(nextRun(schedule, instant(run - 1))).toBe(run);
      }),
    );
  });
});
