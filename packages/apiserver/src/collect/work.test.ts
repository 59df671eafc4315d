import { turn, VirtualClock } from "@telltale/clock";
import { expect, test } from "vitest";
import { again, done, type Outcome, type Work, work } from "./work.ts";

function start(process: (key: string, queue: () => Work) => Outcome) {
  const clock = new VirtualClock();
  const seen: string[] = [];
  const queue: Work = work({ clock, log: () => {} }, (key) => {
    seen.push(key);
    return Promise.resolve(process(key, () => queue));
  });
  return { clock, seen, queue };
}

test("keys come in order and once, however often they were added", async () => {
  const { seen, queue } = start(() => done);
  for (const key of ["c", "a", "b", "a"]) queue.add(key);
  expect(seen).toEqual([]);
  await queue.idle();
  expect(seen).toEqual(["a", "b", "c"]);
});

test("what is added meanwhile is done before it is idle", async () => {
  const { seen, queue } = start((key, q) => {
    if (key === "a") q().add("b");
    return done;
  });
  queue.add("a");
  await queue.idle();
  expect(seen).toEqual(["a", "b"]);
});

test("a failure comes again later, and later still; idle does not wait for it", async () => {
  const { clock, seen, queue } = start(() => ({ is: "failed", why: "no" }));
  const counts: number[] = [];
  queue.add("a");
  for (const wait of [0, 99, 1, 199, 1]) {
    clock.advance(wait);
    await queue.idle();
    await turn();
    counts.push(seen.length);
  }
  expect(counts).toEqual([1, 1, 2, 2, 3]);
});

test("a race is tried again at once, but not for good", async () => {
  const { seen, queue } = start(() => again);
  queue.add("a");
  await queue.idle();
  expect(seen).toHaveLength(20);
});

test("who always finds something to do has to rest", async () => {
  const { clock, seen, queue } = start((key, q) => {
    q().add(key);
    return done;
  });
  queue.add("a");
  await queue.idle();
  expect(seen).toHaveLength(100);
  clock.advance(30_000);
  await queue.idle();
  expect(seen).toHaveLength(200);
});

test("nothing is done once it is stopped", async () => {
  const { clock, seen, queue } = start(() => ({ is: "failed", why: "no" }));
  queue.add("a");
  await queue.idle();
  queue.stop();
  queue.add("b");
  clock.advance(60_000);
  await queue.idle();
  await turn();
  expect(seen).toEqual(["a"]);
  expect(clock.next()).toBeUndefined();
});
