import { expect, test } from "vitest";
import { restartPause, triesAround, tryAfter } from "./retry.ts";

const seconds = (count: number) => count * 1000;

test("the first restart comes at once, the further ones later and later, five minutes at most", () => {
  const pauses = [0, 1, 2, 3, 4, 5, 6, 7, 1000].map((restarts) => restartPause(restarts, 0) / 1000);
  expect(pauses).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
});

test("after ten minutes of running the next restart comes at once again", () => {
  expect(restartPause(6, seconds(599))).toBe(seconds(300));
  expect(restartPause(6, seconds(600))).toBe(0);
});

test.each([
  [0, 0, 10],
  [9, 0, 10],
  [10, 10, 30],
  [29, 10, 30],
  [30, 30, 70],
  [309, 150, 310],
  [310, 310, 610],
  [609, 310, 610],
  [610, 610, 910],
  [1_000_310, 1_000_210, 1_000_510],
])("%i s after the first try the last one was at %i s and the next is at %i s", (elapsed, last, next) => {
  expect(triesAround(seconds(elapsed))).toEqual({ last: seconds(last), next: seconds(next) });
});

test("the try that finds trouble over is the first one after its end", () => {
  expect([0, 1, 10, 11, 100, 310].map((it) => tryAfter(seconds(it)) / 1000)).toEqual([0, 10, 10, 30, 150, 310]);
});
