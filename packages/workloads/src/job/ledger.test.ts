import { describe, expect, it } from "vitest";
import { counted, indexed, job, lost, running, won } from "../../test/job/samples.ts";
import type { Ending } from "./ending.ts";
import { formatIndexes } from "./indexes.ts";
import { isNews, noteEnds, settled } from "./ledger.ts";

type Job = Parameters<typeof settled>[0];
type Pods = Parameters<typeof settled>[1];

const names = (pods: Pods) => pods.map(({ metadata }) => metadata?.name);
const success: Ending = { type: "SuccessCriteriaMet", reason: "", message: "" };
const failure: Ending = { type: "FailureTarget", reason: "", message: "" };

function noted(it: Job, pods: Pods, ending?: Ending) {
  const { ledger, release } = noteEnds(it, pods, ending);
  return { ...ledger.noted, release: names(release) };
}

describe("the end of a pod", () => {
  it("is noted once, and then it may lose its finalizer", () => {
    const it = job({}, { uncountedTerminatedPods: { failed: ["b"] } });
    const pods = [won("a"), lost("b"), counted(won("c")), running("d")];
    expect(noted(it, pods)).toEqual({ succeeded: ["a"], failed: ["b"], release: ["b", "a"] });
  });

  it("is counted when the finalizer is gone, and stays noted until then", () => {
    const status = { succeeded: 1, failed: 1, uncountedTerminatedPods: { succeeded: ["a", "b"], failed: ["gone"] } };
    const { succeeded, failed, noted: left } = settled(job({}, status), [counted(won("a")), won("b")]);
    expect([succeeded, failed, left]).toEqual([2, 2, { succeeded: ["b"], failed: [] }]);
  });

  it("needs no note where a policy ignores it, or the index says enough", () => {
    const rules = [{ action: "Ignore", onExitCodes: { operator: "In", values: [7] } }];
    expect(noted(job({ podFailurePolicy: { rules } }), [lost("a", { code: 7 })])).toEqual({
      succeeded: [],
      failed: [],
      release: ["a"],
    });
    const { ledger, release } = noteEnds(indexed(), [won("b", { index: 2 }), won("a", { index: 0 })], undefined);
    expect([formatIndexes(ledger.completed), ledger.succeeded, ledger.noted.succeeded]).toEqual(["0,2", 2, []]);
    expect(release).toHaveLength(2);
  });

  it("of a pod without a place does not count", () => {
    expect(noted(indexed(), [won("a", { index: 7 }), lost("b")])).toEqual({
      succeeded: [],
      failed: [],
      release: ["a", "b"],
    });
  });

  it("is not noted while the index waits for a replacement", () => {
    const it = indexed({ backoffLimitPerIndex: 1 });
    expect(noted(it, [lost("a", { index: 0 })]).release).toEqual([]);
    expect(noted(it, [lost("a", { index: 0 }), running("b", { index: 0 })]).release).toEqual(["a"]);
    expect(noted(it, [lost("a", { index: 0 })], failure)).toMatchObject({ failed: ["a"], release: ["a"] });
  });

  it("is taken in as far as there is room, but what is noted is freed all the same", () => {
    const full = Array.from({ length: 499 }, (_, i) => `n${i}`);
    const it = job({ completions: 600 }, { uncountedTerminatedPods: { succeeded: full } });
    const pods = [...full.map((name) => won(name)), won("x"), won("y")];
    const { ledger, release, isCut } = noteEnds(it, pods, undefined);
    expect([ledger.noted.succeeded.length, release.length, isCut]).toEqual([500, 500, true]);
  });
});

describe("pods that still run", () => {
  const pods = [running("a"), running("b", { deleted: 1 })];

  it("are counted as failed when the Job fails", () => {
    expect(noted(job(), pods, failure)).toEqual({ succeeded: [], failed: ["a", "b"], release: ["a", "b"] });
  });

  it("do not fail their index then", () => {
    const it = indexed({ backoffLimitPerIndex: 0 });
    const { ledger } = noteEnds(it, [lost("a", { index: 0 }), running("b", { index: 1, deleted: 1 })], failure);
    expect([formatIndexes(ledger.lost ?? []), ledger.noted.failed]).toEqual(["0", ["a", "b"]]);
  });

  it("are not when it succeeds, or is deleted", () => {
    expect(noted(job(), pods, success)).toEqual({ succeeded: [], failed: [], release: ["a", "b"] });
    const leaving = job({}, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(noted(leaving, pods)).toEqual({ succeeded: [], failed: [], release: ["a", "b"] });
  });
});

it("an end is news as long as it is neither noted nor counted", () => {
  const it = job({}, { uncountedTerminatedPods: { succeeded: ["b"] } });
  const pods = [won("a"), won("b"), counted(won("c")), running("d"), running("e", { deleted: 1 })];
  expect(names(pods.filter((pod) => isNews(pod, it)))).toEqual(["a", "e"]);
  expect(isNews(won("a", { index: 0 }), indexed())).toBe(false);
});
