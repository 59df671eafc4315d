import { expect, test } from "vitest";
import { slowStart } from "./batch.ts";

test("begins with one, then twice as many each time", async () => {
  const running: number[] = [];
  let now = 0;
  await slowStart(10, async () => {
    now += 1;
    running.push(now);
    await Promise.resolve();
    now -= 1;
  });
  expect(running).toEqual([1, 1, 2, 1, 2, 3, 4, 1, 2, 3]);
});

test("nothing is begun after a batch with a failure, and what was done is counted", async () => {
  let begun = 0;
  const end = await slowStart(500, async (i) => {
    begun += 1;
    if (i === 2) throw new Error("no room");
  });
  expect([begun, end.done, String(end.error)]).toEqual([3, 2, "Error: no room"]);
});

test("nothing to do is done", async () => {
  expect(await slowStart(0, async () => {})).toEqual({ done: 0 });
});
