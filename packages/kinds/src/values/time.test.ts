import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMicroTime, formatTime, instant, parseTime, plus } from "./time.ts";

const anyInstant = fc.integer({ min: 0, max: 4_102_444_800_000 }).map(instant);

describe("a time", () => {
  it("is written in whole seconds of UTC, and the rest is cut", () => {
    expect(formatTime(instant(Date.UTC(2026, 0, 19, 22, 0, 0, 999)))).toBe("2026-01-19T22:00:00Z");
  });

  it("is written with six digits as MicroTime", () => {
    expect(formatMicroTime(instant(Date.UTC(2026, 0, 19, 22, 0, 0, 123)))).toBe("2026-01-19T22:00:00.123000Z");
  });

  it("is read with any offset", () => {
    expect(parseTime("2026-01-19T23:00:00+01:00")).toBe(Date.UTC(2026, 0, 19, 22));
    expect(parseTime("2026-01-19T22:00:00.5z")).toBe(Date.UTC(2026, 0, 19, 22, 0, 0, 500));
  });

  it.each(["", "2026-01-19", "2026-01-19T22:00:00", "2026-13-19T22:00:00Z", "2026-01-19 22:00:00Z", "now"])(
    "is not %j",
    (text) => {
      expect(parseTime(text)).toBeUndefined();
    },
  );

  it("is undefined when there is no text", () => {
    expect(parseTime(undefined)).toBeUndefined();
  });

  it("comes back from its text, to the second or to the millisecond", () => {
    fc.assert(
      fc.property(anyInstant, (at) => {
        expect(parseTime(formatTime(at))).toBe(Math.floor(at / 1000) * 1000);
        expect(parseTime(formatMicroTime(at))).toBe(at);
      }),
    );
  });

  it("moves by a length of time", () => {
    expect(plus(instant(1000), 500)).toBe(1500);
  });
});
