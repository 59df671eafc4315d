import { turn, VirtualClock } from "@telltale/clock";
import { expect, test } from "vitest";
import { LocalClock } from "./local-clock.ts";

test("a clock that stands shows one time, fires its timers, and is right again later", () => {
  const world = new VirtualClock();
  const clock = new LocalClock(world);
  const then = clock.now();
  const fired: number[] = [];
  clock.stand();
  clock.after(1000, () => fired.push(clock.uptime()));
  world.advance(5000);
  expect([clock.now(), fired]).toEqual([then, [1000]]);
  clock.go();
  expect(clock.now()).toBe(world.now());
});

test("a clock that jumps shows another time, and its timers keep the time that they have", () => {
  const world = new VirtualClock();
  const clock = new LocalClock(world);
  let fired = 0;
  clock.after(1000, () => {
    fired += 1;
  });
  clock.jump(3_600_000);
  expect(clock.now()).toBe(world.now() + 3_600_000);
  expect(fired).toBe(0);
  world.advance(1000);
  expect(fired).toBe(1);
});

test("what comes to a process that is paused waits for it, and is handled before what is due", async () => {
  const world = new VirtualClock();
  const clock = new LocalClock(world);
  const seen: string[] = [];
  clock.pause();
  clock.after(1000, () => seen.push("timer"));
  world.advance(2000);
  clock.deliver(() => {
    seen.push("message");
    queueMicrotask(() => seen.push("what follows"));
  });
  expect(seen).toEqual([]);
  clock.resume();
  expect(clock.isResuming).toBe(true);
  for (let i = 0; i < 4; i += 1) await turn();
  expect(seen).toEqual(["message", "what follows", "timer"]);
  expect(clock.isResuming).toBe(false);
});

test("a clock that is over hands out nothing any more", async () => {
  const world = new VirtualClock();
  const clock = new LocalClock(world);
  let seen = 0;
  clock.pause();
  for (let i = 0; i < 3; i += 1)
    clock.deliver(() => {
      seen += 1;
      if (seen === 1) clock.end();
    });
  clock.resume();
  for (let i = 0; i < 4; i += 1) await turn();
  expect(seen).toBe(1);
});
