import { instant, plus } from "@telltale/kinds";
import { expect, test } from "vitest";
import { nextTry } from "./plan.ts";

test("T03 making is tried again after 1, 2, 4 and so on seconds, and every five minutes at last", () => {
  const since = instant(Date.UTC(2026, 0, 19, 22));
  const pauses: number[] = [];
  for (let now = since; pauses.length < 12; ) {
    const next = nextTry(since, now);
    pauses.push((next - now) / 1000);
    now = next;
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
});

test("T03 a pass in between does not move the next try", () => {
  const since = instant(Date.UTC(2026, 0, 19, 22));
  expect(nextTry(since, plus(since, 10_000))).toBe(plus(since, 15_000));
});
