import { VirtualClock } from "@telltale/clock";
import { expect, it } from "vitest";
import { Pulse } from "./pulse.ts";

/** After how long it is given up when nothing is heard from now on. */
function givenUpAfter(clock: VirtualClock, pulse: Pulse, isFollowing: boolean): number | undefined {
  const began = clock.uptime();
  let at: number | undefined;
  const timer = pulse.watch(
    () => isFollowing,
    () => {
      at = clock.uptime() - began;
    },
  );
  clock.advance(3_600_000);
  timer.cancel();
  return at;
}

it("gives an answer and a list half a minute", () => {
  const clock = new VirtualClock();
  expect(givenUpAfter(clock, new Pulse(clock), false)).toBe(30_000);
});

it("waits for a stream's own end where no bookmarks come", () => {
  const clock = new VirtualClock();
  expect(givenUpAfter(clock, new Pulse(clock), true)).toBe(630_000);
});

it.each([
  [1_000, 90_000], // never sooner
  [60_000, 180_000],
  [150_000, 450_000],
  [3_600_000, 630_000], // a machine that slept: no stream lasts so long
])("takes bookmarks for a heartbeat: every %i ms they give it %i ms", (gap, limit) => {
  const clock = new VirtualClock();
  const pulse = new Pulse(clock);
  pulse.follow();
  for (let i = 0; i < 2; i += 1) {
    clock.advance(gap);
    pulse.hear();
    pulse.bookmark();
  }
  expect(givenUpAfter(clock, pulse, true)).toBe(limit);
});

it("counts from the last word, and not what was before it began", () => {
  const clock = new VirtualClock();
  const pulse = new Pulse(clock);
  clock.advance(1_000_000);
  let isSilent = false;
  pulse.watch(
    () => false,
    () => {
      isSilent = true;
    },
  );
  for (let i = 0; i < 10; i += 1) {
    clock.advance(29_000);
    pulse.hear();
  }
  expect(isSilent).toBe(false);
  clock.advance(29_999);
  expect(isSilent).toBe(false);
  clock.advance(1);
  expect(isSilent).toBe(true);
});

it("tells for how long nothing was heard, whoever tries meanwhile", () => {
  const clock = new VirtualClock();
  const pulse = new Pulse(clock);
  clock.advance(50_000);
  pulse
    .watch(
      () => false,
      () => {},
    )
    .cancel();
  clock.advance(50_000);
  expect(pulse.silent).toBe(100_000);
});

it("leaves no timer behind", () => {
  const clock = new VirtualClock();
  const timer = new Pulse(clock).watch(
    () => true,
    () => expect.unreachable(),
  );
  clock.advance(100_000);
  timer.cancel();
  expect(clock.next()).toBeUndefined();
});
