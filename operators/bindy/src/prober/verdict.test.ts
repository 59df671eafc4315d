import { instant } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import type { Trouble } from "../bindcar/outcome.ts";
import { busyLimit, isNews, judged, notAsked, succeeded, type Verdict } from "./verdict.ts";

const at = (ms: number) => instant(ms);
const answered = (status: number): Trouble => ({ at: "answered", status });
const silent: Trouble = { at: "unreachable", why: "refused" };
const up = { isReady: true };

/** One answer each second. */
function after(...answers: readonly (Trouble | undefined)[]): Verdict {
  return answers.reduce<Verdict>((before, it, i) => judged(before, it, up, at(i * 1000)), succeeded(at(0)));
}

describe("8.7 a verdict", () => {
  test("7.8 two failures in a row turn it, one success brings it back", () => {
    expect(after(silent).is).toBe("good");
    expect(after(silent, undefined, silent).is).toBe("good");
    expect(after(silent, silent)).toMatchObject({ is: "failing", failures: 2, since: 1000 });
    expect(after(silent, silent, undefined)).toEqual({ is: "good", failures: 0, since: 2000 });
  });

  test("a pod that has never answered is unknown until its first answer or its second failure", () => {
    const first = judged(notAsked(at(0)), silent, up, at(1));
    expect(notAsked(at(0)).is).toBe("unknown");
    expect(first).toMatchObject({ is: "unknown", failures: 1 });
    expect(judged(first, silent, up, at(2))).toMatchObject({ is: "failing", since: 2 });
    expect(judged(first, undefined, up, at(2))).toEqual({ is: "good", failures: 0, since: 2 });
    expect(isNews(notAsked(at(0)), first)).toBe(false);
    expect(judged(notAsked(at(0)), answered(429), up, at(1)).is).toBe("unknown");
  });

  test("one failure is enough where the kubelet says no as well", () => {
    expect(judged(succeeded(at(0)), silent, { isReady: false }, at(1)).is).toBe("failing");
  });

  test("what failed is remembered, with the zone that was asked for", () => {
    const verdict = judged(after(silent), answered(404), { isReady: true, zone: "example.com" }, at(9));
    expect(verdict.fault).toEqual({ trouble: answered(404), zone: "example.com" });
  });

  test("A-146 too many requests change nothing for five minutes", () => {
    const busy = (before: Verdict, now: number) => judged(before, answered(429), up, at(now));
    const first = busy(succeeded(at(0)), 0);
    expect(busy(first, busyLimit - 1).is).toBe("good");
    expect(busy(busy(first, busyLimit - 1), busyLimit).is).toBe("failing");
    expect(busy(after(silent, silent), 5).is).toBe("failing");
    expect(judged(first, undefined, up, at(5)).limitedSince).toBeUndefined();
  });

  test("a call that was given up says nothing", () => {
    const before = after(silent);
    expect(judged(before, { at: "aborted" }, up, at(9))).toBe(before);
  });

  test("news is a turn, or another cause of the same", () => {
    const failing = after(silent, silent);
    expect(isNews(after(silent), failing)).toBe(true);
    expect(isNews(failing, judged(failing, { at: "unreachable", why: "timeout" }, up, at(9)))).toBe(false);
    expect(isNews(failing, judged(failing, answered(503), up, at(9)))).toBe(true);
    expect(isNews(succeeded(at(0)), after(silent))).toBe(false);
  });
});
