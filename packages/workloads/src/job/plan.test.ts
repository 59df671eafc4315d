import { describe, expect, it } from "vitest";
import { at, indexed, job, lost, running, won } from "../../test/job/samples.ts";
import { noFailures, remember } from "./backoff.ts";
import { countedFailures } from "./counting.ts";
import { plan } from "./plan.ts";

type Job = Parameters<typeof plan>[0];
type Pods = Parameters<typeof plan>[1];

/** In few words: what is made, by index or `new`, and who goes. */
function next(it: Job, pods: Pods = [], now = 100) {
  const { create, stop, drop, due, isCut } = plan(it, pods, remember(noFailures, pods, it, at(now)), at(now));
  const names = (list: Pods) => list.map(({ metadata }) => metadata?.name);
  return {
    ...(create.length === 0 ? {} : { create: create.map(({ index }) => index ?? "new") }),
    ...(stop.length === 0 ? {} : { stop: names(stop) }),
    ...(drop.length === 0 ? {} : { drop: names(drop) }),
    ...(due === undefined ? {} : { due }),
    ...(isCut === true ? { isCut } : {}),
  };
}

describe("pods are made", () => {
  it("up to the parallelism, and never more than are still to succeed", () => {
    const many = job({ completions: 3, parallelism: 2 });
    expect(next(many)).toEqual({ create: ["new", "new"] });
    expect(next(many, [won("a"), running("b")])).toEqual({ create: ["new"] });
    expect(next(many, [won("a"), won("b"), running("c")])).toEqual({});
  });

  it("for a work queue until the first success", () => {
    const { completions: _, ...spec } = job({ parallelism: 2 }).spec ?? { template: {} };
    const queue = { ...job(), spec };
    expect(next(queue, [lost("a"), running("b")])).toEqual({ create: ["new"] });
    expect(next(queue, [won("a"), running("b")])).toEqual({});
  });

  it("for the lowest indexes that have neither ended nor a pod", () => {
    const it = indexed({ completions: 9 }, { completedIndexes: "0,3", succeeded: 2 });
    expect(next(it, [running("a", { index: 1 })])).toEqual({ create: [2, 4] });
  });

  it("only after the wait that failures ask for", () => {
    expect(next(job(), [lost("a", { ended: 95 })])).toEqual({ due: at(105) });
    expect(next(job(), [lost("a", { ended: 90 })])).toEqual({ create: ["new"] });
  });

  it("at once where another waits, while one that is deleted still goes", () => {
    const pods = [running("a", { deleted: 0 })];
    expect(next(job(), pods)).toEqual({ create: ["new"] });
    expect(next(job({ podReplacementPolicy: "Failed" }), pods)).toEqual({});
    const waits = indexed({ podReplacementPolicy: "Failed", parallelism: 2 });
    expect(next(waits, [running("a", { index: 0, deleted: 0 })])).toEqual({ create: [1] });
  });

  it("not for a Job that is suspended or deleted", () => {
    expect(next(job({ suspend: true }))).toEqual({});
    expect(next(job({}, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toEqual({});
  });

  it("not more than a pass may make", () => {
    expect(next(job({ completions: 600, parallelism: 600 }))).toMatchObject({ isCut: true });
    expect(plan(job({ completions: 600, parallelism: 600 }), [], noFailures, at(0)).create).toHaveLength(500);
  });
});

describe("with a limit for each index", () => {
  const limited = (more = {}) => indexed({ backoffLimitPerIndex: 2, backoffLimit: 99, ...more });

  it("each index waits for itself, and its pods know of the failures before them", () => {
    const pods = [
      lost("a", { index: 0, ended: 95 }),
      lost("b", { index: 1, ended: 70, annotations: { [countedFailures]: "1" } }),
    ];
    const { create, due } = plan(limited(), pods, noFailures, at(100));
    expect(create).toEqual([
      { index: 1, failures: { counted: 2, ignored: 0 } },
      { index: 2, failures: { counted: 0, ignored: 0 } },
    ]);
    expect(due).toBe(at(105));
  });

  it("an index that has failed is not tried again", () => {
    const pods = [lost("a", { index: 0, ended: 0, annotations: { [countedFailures]: "2" } })];
    expect(next(limited(), pods)).toEqual({ create: [1, 2] });
  });

  it("an end that is still to come does not hold it for good", () => {
    expect(next(limited({ completions: 1, parallelism: 1 }), [lost("a", { index: 0, ended: 9999 })])).toEqual({
      create: [0],
    });
  });
});

describe("pods are deleted", () => {
  it("when there are too many: those that matter least, and then nothing is made", () => {
    const pods = [running("a", { isReady: true }), running("b")];
    expect(next(job({ completions: 2 }), pods)).toEqual({ drop: ["b"] });
    expect(next(job({ completions: 2, parallelism: 0 }), pods)).toEqual({ drop: ["b", "a"] });
  });

  it("when the Job is suspended", () => {
    expect(next(job({ suspend: true }), [running("a")])).toEqual({ drop: ["a"] });
  });

  it("when their index is taken, or no longer wanted", () => {
    const pods = [
      running("a", { index: 0 }),
      running("b", { index: 0, isReady: true }),
      running("c", { index: 3 }),
      running("d"),
    ];
    expect(next(indexed(), pods)).toEqual({ drop: ["a", "c", "d"] });
  });

  it("with the Job when it ends, and are counted then", () => {
    expect(next(job({ backoffLimit: 0, parallelism: 2, completions: 2 }), [lost("a"), running("b")])).toEqual({
      stop: ["b"],
    });
  });
});
