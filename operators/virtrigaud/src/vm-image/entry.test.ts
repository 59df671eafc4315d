// What is remembered of an image on one provider can be read again, whatever was said.
import { type Instant, instant, parseTime, plus } from "@telltale/kinds";
import { text } from "@telltale/status";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProviderImageStatus } from "../kinds/index.ts";
import { dueAt, failedEntry, importingEntry, reasons, refusedEntry, standingOf, unheardEntry } from "./entry.ts";
import { entryFromMessage } from "./entry-from-message.ts";

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

  it("whatever its message is reworded to: states and counts stand in fields", () => {
    const reworded = (entry: ProviderImageStatus, message: string) => standingOf({ ...entry, message });
    const failed = failedEntry(
      failedEntry(undefined, 3, "Timeout", text`no`, now),
      3,
      "ChecksumMismatch",
      text`no`,
      now,
    );
    const unheard = unheardEntry(failed, 3, { failure: "RateLimit", said: text`no` }, now);
    fc.assert(
      fc.property(fc.string(), (message) => {
        expect(reworded(failed, message)).toEqual({ is: "failed", failures: 2, reason: "ChecksumMismatch" });
        expect(reworded(unheard, message)).toEqual({ is: "unheard", failures: 2, tries: 1, failure: "RateLimit" });
        expect(reworded(importingEntry(unheard, 3, {}, now), message)).toEqual({
          is: "importing",
          failures: 2,
          tries: 1,
        });
        expect(reworded(refusedEntry("Unsupported", text`no`, now), message)).toMatchObject({ is: "refused" });
      }),
    );
  });

  it("what another client wrote counts as begun, or as there", () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (message, available) => {
        const { is } = standingOf(entryFromMessage({ available, message: `upstream: ${message}` }));
        expect(is).toBe(available ? "available" : "importing");
      }),
    );
  });
});

describe("an entry from before it had fields", () => {
  it.each([
    [false, "importing, attempt 3 of 4", { is: "importing", failures: 2, tries: 0 }],
    [false, "importing, attempt 3 of 4, try 8", { is: "importing", failures: 2, tries: 7 }],
    [false, "attempt 2 of 4 failed, ChecksumMismatch: no", { is: "failed", failures: 2, reason: "ChecksumMismatch" }],
    [false, "attempt 2 of 4 failed, Nonsense: no", { is: "failed", failures: 2, reason: "ProviderError" }],
    [false, "attempt 2 of 4, try 7, RateLimit: no", { is: "unheard", failures: 1, tries: 7, failure: "RateLimit" }],
    [false, "refused, Unsupported: no", { is: "refused", failures: 0, reason: "Unsupported" }],
    [true, "image prepared", { is: "available" }],
  ])("%s %s keeps what it counted", (available, message, standing) => {
    const read = entryFromMessage({ available, message });
    expect(standingOf(read)).toEqual(standing);
    expect(read.state).toBeDefined();
  });

  it("is read from its message once: then the fields count", () => {
    const read = entryFromMessage({ available: false, message: "attempt 2 of 4 failed, Timeout: no" });
    const reworded = entryFromMessage({ ...read, message: "attempt 9 of 9 failed, Unsupported: no" });
    expect(standingOf(reworded)).toEqual({ is: "failed", failures: 2, reason: "Timeout" });
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
