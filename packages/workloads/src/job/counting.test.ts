import { describe, expect, it } from "vitest";
import { counted, indexed, job, lost, running, won } from "../../test/job/samples.ts";
import { countedFailures, failuresAfter, ignoredFailures, tally } from "./counting.ts";
import { formatIndexes } from "./indexes.ts";

describe("the pods of a Job", () => {
  it("are counted once: by the numbers, by their uid, or because they still have the finalizer", () => {
    const it = job({}, { succeeded: 2, failed: 1, uncountedTerminatedPods: { succeeded: ["b"], failed: ["d"] } });
    const pods = [counted(won("a")), won("b"), won("c"), counted(lost("d")), lost("e"), running("f")];
    expect(tally(it, pods)).toMatchObject({ succeeded: 4, failed: 3 });
  });

  it("are active until they end or are deleted, and go while they are deleted and have not ended", () => {
    const pods = [running("a"), running("b", { deleted: 1 }), won("c", { deleted: 1 }), lost("d")];
    const { active, terminating } = tally(job(), pods);
    expect([active, terminating].map((list) => list.map(({ metadata }) => metadata?.name))).toEqual([["a"], ["b"]]);
  });

  it("count as failed when they are deleted, unless the Job waits for their end or goes itself", () => {
    const pods = [running("a", { deleted: 1 })];
    expect(tally(job(), pods).failed).toBe(1);
    expect(tally(job({ podReplacementPolicy: "Failed" }), pods).failed).toBe(0);
    expect(tally(job({}, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), pods).failed).toBe(0);
  });

  it("do not count when a policy ignores them", () => {
    const rules = [{ action: "Ignore", onExitCodes: { operator: "In", values: [7] } }];
    const pods = [lost("a", { code: 7 }), lost("b", { code: 8 })];
    expect(tally(job({ podFailurePolicy: { rules } }), pods).failed).toBe(1);
  });
});

describe("the indexes of a Job", () => {
  it("are complete by the status and by new successes, each once and none that is no longer wanted", () => {
    const it = indexed({}, { succeeded: 2, completedIndexes: "0,4" });
    const { completed, succeeded } = tally(it, [
      won("a", { index: 0 }),
      won("b", { index: 2 }),
      won("c", { index: 5 }),
    ]);
    expect([formatIndexes(completed), succeeded]).toEqual(["0,2", 2]);
  });

  it("do not care for pods without a place", () => {
    expect(tally(indexed(), [lost("a"), lost("b", { index: 9 }), lost("c", { index: 1 })]).failed).toBe(1);
  });

  const limited = (status = {}) =>
    indexed(
      {
        backoffLimitPerIndex: 1,
        podFailurePolicy: {
          rules: [
            { action: "FailIndex", onExitCodes: { operator: "In", values: [9] } },
            { action: "Ignore", onExitCodes: { operator: "In", values: [7] } },
          ],
        },
      },
      status,
    );
  const after = (failures: number) => ({ [countedFailures]: `${failures}` });

  it("fail when their limit is used up, or a policy says so, and not by what is ignored", () => {
    const pods = [
      lost("a", { index: 0, annotations: after(1) }),
      lost("b", { index: 1, code: 9 }),
      lost("c", { index: 2, code: 7, annotations: after(1) }),
    ];
    expect(formatIndexes(tally(limited(), pods).lost ?? [])).toBe("0,1");
    expect(formatIndexes(tally(limited({ failedIndexes: "2" }), []).lost ?? [])).toBe("2");
    expect(tally(indexed(), pods).lost).toBeUndefined();
  });

  it("hold a failed pod until its replacement is there", () => {
    const failed = lost("a", { index: 1 });
    expect([...tally(limited(), [failed]).held]).toEqual([[1, failed]]);
    expect(tally(limited(), [failed, running("b", { index: 1 })]).held.size).toBe(0);
    expect(tally(limited({ failedIndexes: "1" }), [failed]).held.size).toBe(0);
    const later = lost("b", { index: 1, ended: 9, annotations: after(0) });
    expect(tally(limited(), [later, failed]).held.get(1)).toBe(later);
  });

  it("hand down their failures", () => {
    expect(failuresAfter(undefined, limited())).toEqual({ counted: 0, ignored: 0 });
    expect(failuresAfter(lost("a", { annotations: after(2) }), limited())).toEqual({ counted: 3, ignored: 0 });
    const ignored = lost("a", { code: 7, annotations: { ...after(2), [ignoredFailures]: "1" } });
    expect(failuresAfter(ignored, limited())).toEqual({ counted: 2, ignored: 2 });
    expect(failuresAfter(lost("a", { annotations: { [countedFailures]: "x" } }), limited()).counted).toBe(1);
  });
});
