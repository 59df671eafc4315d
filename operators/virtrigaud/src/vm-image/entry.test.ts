// What is remembered of an image on one provider can be read again, whatever was said.
import { type Instant, instant, parseTime, plus } from "@telltale/kinds";
import { text } from "@telltale/status";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProviderImageStatus } from "../kinds/index.ts";
import { dueAt, failedEntry, importingEntry, reasons, refusedEntry, standingOf, unheardEntry } from "./entry.ts";

const now: Instant = instant(Date.UTC(2026, 0, 1));
const said = fc.string({ unit: "binary", maxLength: 2_000 }).map((it) => text`${it}`);

describe("what was noted is what is read", () => {
  it("whatever was said, and however long", () => {
    const failures = fc.constantFrom("Unavailable" as const, "QuotaExceeded" as const, "RateLimit" as const);
    fc.assert(
      fc.property(
        said,
        fc.constantFrom(...reasons),
        failures,
        fc.nat({ max: 10 }),
        (words, reason, failure, retries) => {
          let entry: ProviderImageStatus | undefined;
          for (let n = 1; n <= 3; n += 1) {
            entry = failedEntry(entry, retries, reason, words, now);
            expect(standingOf(entry)).toMatchObject({ is: "failed", failures: n, reason });
            for (let tries = 1; tries <= 3; tries += 1) {
              entry = importingEntry(entry, retries, {}, now);
              expect(standingOf(entry)).toMatchObject({ is: "importing", failures: n, tries: tries - 1 });
              entry = unheardEntry(entry, retries, { failure, said: words }, now);
              expect(standingOf(entry)).toMatchObject({ is: "unheard", failures: n, tries, failure });
            }
          }
          expect(standingOf(refusedEntry(reason, words, now))).toMatchObject({ is: "refused", reason });
          expect(entry?.message?.length).toBeLessThanOrEqual(1024);
        },
      ),
    );
  });

  it("what somebody else wrote counts as begun, or as there", () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (message, available) => {
        const { is } = standingOf({ available, message: `upstream: ${message}` });
        expect(is).toBe(available ? "available" : "importing");
      }),
    );
  });
});

describe("when it is tried again", () => {
  const waitAfter = (entry: ProviderImageStatus, retries: number) => {
    const at = dueAt(entry, retries, "seed", now);
    return at === "never" ? at : (at - (parseTime(entry.lastUpdated) ?? 0)) / 1_000;
  };

  it("after a failure: 30 s, doubling to 10 min, until the retries are used up", () => {
    let entry: ProviderImageStatus | undefined;
    const waits = Array.from({ length: 8 }, () => {
      entry = failedEntry(entry, 7, "ProviderError", text`no`, now);
      return waitAfter(entry, 7);
    });
    expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600, "never"]);
  });

  it("where nobody answered: 5 s, doubling to a minute, spread a little, for ever, and the same after a restart", () => {
    let entry: ProviderImageStatus | undefined;
    for (const about of [5, 10, 20, 40, 60, 60, 60]) {
      entry = unheardEntry(entry, 0, { failure: "Unavailable", said: text`no` }, now);
      const wait = Number(waitAfter(entry, 0));
      expect(Math.abs(wait - about)).toBeLessThanOrEqual(about / 10);
      expect(Number(waitAfter({ ...entry }, 0))).toBe(wait);
    }
  });

  it("a refusal not at all", () => {
    expect(dueAt(refusedEntry("Unsupported", text`no`, now), 9, "seed", plus(now, 1e9))).toBe("never");
  });
});
