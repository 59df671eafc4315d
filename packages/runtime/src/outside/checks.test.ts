import { Deployment, Pod } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import type { CacheGauge, QueueGauge } from "../samples.ts";
import { cacheChecks, passCheck } from "./checks.ts";

const cache = (more: Partial<CacheGauge>): CacheGauge => ({
  kind: Pod,
  synced: true,
  objects: 1,
  silent: 0,
  resourceVersion: "1",
  ...more,
});

function ready(caches: readonly CacheGauge[], silent?: number): [string, string | undefined][] {
  return cacheChecks({ caches: () => caches }, silent).map((check) => [check.name, check.ready?.()]);
}

describe("caches", () => {
  it("have one check for each kind, by its name on the server", () => {
    expect(ready([cache({}), cache({ kind: Deployment }), cache({ kind: { ...Pod }, namespace: "b" })])).toEqual([
      ["cache-pods", undefined],
      ["cache-deployments.apps", undefined],
    ]);
  });

  it("are not ready before the first list, in any namespace", () => {
    expect(ready([cache({ namespace: "a" }), cache({ namespace: "b", synced: false })])).toEqual([
      ["cache-pods", "Pod: the first list is not in (1 of 2 watches)"],
    ]);
  });

  it("are not ready when the server has been silent for too long", () => {
    expect(ready([cache({ silent: 300_000 })])[0]?.[1]).toBeUndefined();
    expect(ready([cache({}), cache({ silent: 300_001 })])[0]?.[1]).toBe("Pod: nothing heard from the server for 300 s");
    expect(ready([cache({ silent: 2_000 })], 1_000)[0]?.[1]).toBe("Pod: nothing heard from the server for 2 s");
  });

  it("say nothing of being alive: a restart would only list everything again", () => {
    expect(cacheChecks({ caches: () => [cache({ synced: false })] })[0]).not.toHaveProperty("live");
  });
});

it("a pass far beyond its time is a reason to restart, and named with its controller", () => {
  const queue = { waiting: 0, delayed: 0, running: 1, workers: 1, unfinished: 0 };
  const live = (...queues: Pick<QueueGauge, "controller" | "longest">[]) =>
    passCheck({ queues: () => queues.map((it) => ({ ...queue, ...it })) }, 60_000).live?.();
  expect(live({ controller: "a", longest: 60_000 })).toBeUndefined();
  expect(live({ controller: "a", longest: 61_000 }, { controller: "b", longest: 0 })).toBe(
    "a: a pass has been running for 61 s",
  );
});
