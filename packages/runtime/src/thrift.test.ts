import { getHeapStatistics } from "node:v8";
import { VirtualClock } from "@telltale/clock";
import { expect, it } from "vitest";
import { Thrift } from "./thrift.ts";

const total = () => getHeapStatistics().total_heap_size;

/** Takes some memory and lets go of it. */
function burst(): void {
  let kept: number[][] = [];
  for (let i = 0; i < 60; i += 1) kept.push(Array.from({ length: 130_000 }, (_, n) => n + i + 0.5));
  kept = [];
}

it("gives memory back once nothing was done for a while, and not before", () => {
  const clock = new VirtualClock();
  const thrift = new Thrift(clock);
  burst();
  const before = total();
  thrift.busy();
  clock.advance(2_000);
  thrift.busy();
  clock.advance(2_000);
  expect(total()).toBeGreaterThan(before - 10_000_000);
  clock.advance(10_000);
  expect(total()).toBeLessThan(before - 20_000_000);
  expect(clock.next()).toBeUndefined();
});

it("sets no timer while there is nothing to do, and none stays after its end", () => {
  const clock = new VirtualClock();
  const thrift = new Thrift(clock);
  expect(clock.next()).toBeUndefined();
  thrift.busy();
  expect(clock.next()).toBeDefined();
  thrift.stop();
  expect(clock.next()).toBeUndefined();
});
