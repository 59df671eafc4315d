// What a watch holds while it lasts: not more with every bookmark.
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { expect, test } from "vitest";
import { startApiServer } from "../src/index.ts";

class CountingClock extends VirtualClock {
  cancelled = 0;

  override after(...args: Parameters<VirtualClock["after"]>): ReturnType<VirtualClock["after"]> {
    const timer = super.after(...args);
    return {
      ...timer,
      cancel: () => {
        this.cancelled += 1;
        timer.cancel();
      },
    };
  }
}

test("a watch with many bookmarks has as few timers to end as one that has just begun", async () => {
  const clock = new CountingClock();
  const server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    bookmarkIntervalMs: 1_000,
    controllers: "none",
  });
  const client = new AbortController();
  const { stream } = await server.client({
    method: "GET",
    path: "/api/v1/configmaps?watch=1&allowWatchBookmarks=true&resourceVersion=0",
    signal: client.signal,
  });
  let bookmarks = 0;
  const reading = (async () => {
    for await (const chunk of stream ?? []) bookmarks += chunk.includes("BOOKMARK") ? 1 : 0;
  })();
  await clock.settle(200_000 as Ms);
  expect(bookmarks).toBeGreaterThan(100);
  clock.cancelled = 0;
  client.abort();
  await reading.catch(() => {});
  expect(clock.cancelled).toBeGreaterThan(0);
  expect(clock.cancelled).toBeLessThan(10);
  await server.stop();
});
