import { instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { sleep, uuid } from "./clock.ts";
import { seededRandom, VirtualClock } from "./virtual.ts";

describe("virtual time", () => {
  it("stands still until it is moved", () => {
    const clock = new VirtualClock(instant(1000));
    const fired: number[] = [];
    clock.after(50, () => fired.push(clock.now()));
    expect([clock.now(), fired.length]).toEqual([1000, 0]);
    clock.advance(49);
    expect(fired).toEqual([]);
    clock.advance(1);
    expect(fired).toEqual([1050]);
  });

  it("fires in order of time, and of setting where the time is the same", () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.after(20, () => fired.push("c"));
    clock.after(10, () => fired.push("a"));
    clock.after(10, () => fired.push("b"));
    clock.advance(100);
    expect(fired).toEqual(["a", "b", "c"]);
  });

  it("fires a timer that another one set within the same step", () => {
    const clock = new VirtualClock(instant(0));
    const fired: number[] = [];
    clock.after(10, () => clock.after(5, () => fired.push(clock.now())));
    clock.advance(20);
    expect(fired).toEqual([15]);
  });

  it("does not fire a timer that was given up", () => {
    const clock = new VirtualClock();
    const timer = clock.after(10, () => expect.unreachable());
    timer.cancel();
    expect(clock.next()).toBeUndefined();
    clock.advance(20);
  });

  it("keeps what a timer still has to wait when the clock is put somewhere else", () => {
    const clock = new VirtualClock(instant(1_000_000));
    const fired: number[] = [];
    clock.after(10, () => fired.push(clock.now()));
    clock.jump(instant(5));
    clock.advance(9);
    expect(fired).toEqual([]);
    clock.advance(1);
    expect(fired).toEqual([15]);
  });

  it("has an uptime that no jump moves", () => {
    const clock = new VirtualClock();
    clock.advance(30);
    clock.jump(instant(5));
    clock.advance(12);
    clock.jump(instant(Date.UTC(2030, 0, 1)));
    expect(clock.uptime()).toBe(42);
  });

  it("lets a sleeper run before the next timer fires", async () => {
    const clock = new VirtualClock(instant(0));
    const seen: number[] = [];
    const work = (async () => {
      for (const wait of [10, 10, 10]) {
        await sleep(clock, wait);
        seen.push(clock.now());
      }
    })();
    await clock.settle(30);
    await work;
    expect(seen).toEqual([10, 20, 30]);
  });

  it("ends a sleep when its signal is aborted", async () => {
    const clock = new VirtualClock();
    const abort = new AbortController();
    const asleep = sleep(clock, 1000, abort.signal);
    abort.abort(new Error("enough"));
    await expect(asleep).rejects.toThrow("enough");
    expect(clock.next()).toBeUndefined();
  });
});

describe("seeded chance", () => {
  it("gives the same sequence for the same seed and another for another", () => {
    const draw = (seed: number) => {
      const random = seededRandom(seed);
      return [random.next(), random.next(), uuid(random)];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it("spreads evenly over the unit interval", () => {
    const random = seededRandom(1);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i += 1) {
      const bin = Math.floor(random.next() * 10);
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  });

  it("makes version 4 uuids", () => {
    expect(uuid(seededRandom(3))).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
