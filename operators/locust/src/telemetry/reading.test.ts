import { describe, expect, test } from "vitest";
import { config, master, sample } from "../../test/following.ts";
import { heldReading, nextReading, type Reading } from "./reading.ts";
import type { Sample } from "./sample.ts";

/** The readings of a row of samples of one master. */
function readings(...samples: readonly Sample[]): readonly Reading[] {
  const all: Reading[] = [];
  for (const it of samples) all.push(nextReading(all.at(-1), master, it, config.statusInterval));
  return all;
}
const news = (...samples: readonly Sample[]) => readings(...samples).map(({ isNews }) => isNews);

describe("a sample is worth a pass", () => {
  test("if it is the first, or of another master", () => {
    const [first] = readings(sample(0));
    expect(first?.isNews).toBe(true);
    const other = nextReading(first, { ...master, uid: "m2" }, sample(1), config.statusInterval);
    expect([other.isNews, other.since]).toEqual([true, sample(1).at]);
  });

  test("if workers or the state changed, but not within two seconds", () => {
    expect(news(sample(0), sample(1, { workers: 2 }), sample(2, { workers: 2 }))).toEqual([true, false, true]);
    expect(news(sample(0), sample(1.9, { state: "stopping" }), sample(4, { state: "stopping" }))).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("if numbers changed, every 15 s", () => {
    const counting = (seconds: number) => sample(seconds, { totals: { requests: seconds, failures: 0 } });
    expect(news(...[0, 5, 10, 15, 20, 25, 30].map(counting))).toEqual([true, false, false, true, false, false, true]);
    const idle = (seconds: number) => sample(seconds, { state: "ready" });
    expect(news(...[0, 20, 40].map(idle))).toEqual([true, false, false]);
  });

  test("if the clock was put back", () => {
    const back = sample(-500, { totals: { requests: 9_999, failures: 0 } });
    expect(news(sample(0), back)).toEqual([true, true]);
  });
});

test("load is seen from its first sample to the first after it", () => {
  const [ready, spawning, running, stopping, stopped, again] = readings(
    sample(0, { state: "ready" }),
    sample(10, { state: "spawning" }),
    sample(20),
    sample(30, { state: "stopping" }),
    sample(40, { state: "stopped" }),
    sample(50),
  );
  expect([ready?.loadAt, spawning?.loadAt, running?.loadAt]).toEqual([undefined, sample(10).at, sample(10).at]);
  expect([running?.endAt, stopping?.endAt, stopped?.endAt, again?.endAt]).toEqual([
    undefined,
    sample(30).at,
    sample(30).at,
    undefined,
  ]);
  expect([running, stopping, stopped, again].map((it) => [it?.isTurning, it?.stops])).toEqual([
    [false, 0],
    [true, 0],
    [true, 1],
    [false, 0],
  ]);
});

test("nobody was asked: what was read stays, and is no news", () => {
  const [, stopped] = readings(sample(0), sample(10, { state: "stopped" }));
  expect(heldReading(stopped)).toEqual({ ...stopped, isNews: false, isTurning: false });
  expect(heldReading(undefined)).toBeUndefined();
});
