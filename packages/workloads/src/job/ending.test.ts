import { describe, expect, it } from "vitest";
import { at, indexed, job, lost, running, time, won } from "../../test/job/samples.ts";
import { tally } from "./counting.ts";
import { completionOf, endingOf } from "./ending.ts";

type Job = Parameters<typeof tally>[0];
type Pods = Parameters<typeof tally>[1];
const reason = (it: Job, pods: Pods, now = 0) => endingOf(it, pods, tally(it, pods), at(now))?.reason;
const isComplete = (it: Job, pods: Pods) => completionOf(it, tally(it, pods)) !== undefined;

describe("a Job fails", () => {
  it("with one failure more than its limit", () => {
    expect(reason(job({ backoffLimit: 1 }), [lost("a")])).toBeUndefined();
    expect(reason(job({ backoffLimit: 1 }), [lost("a"), lost("b")])).toBe("BackoffLimitExceeded");
  });

  it("with as many restarts as its limit where containers are restarted, and with one where it is 0", () => {
    const template = { spec: { restartPolicy: "OnFailure", containers: [] } };
    const after = (backoffLimit: number, ...restarts: number[]) => {
      const pods = restarts.map((count, i) => running(`p${i}`, { restarts: count }));
      return reason(job({ backoffLimit, template }), pods);
    };
    expect([after(2, 1), after(2, 1, 1), after(0, 0), after(0, 1)]).toEqual([
      undefined,
      "BackoffLimitExceeded",
      undefined,
      "BackoffLimitExceeded",
    ]);
    expect(reason(job({ backoffLimit: 1 }), [running("a", { restarts: 5 })])).toBeUndefined();
  });

  it("when its time is up, which stands still while it is suspended", () => {
    const slow = (more = {}) => job({ activeDeadlineSeconds: 12, ...more }, { startTime: time(0) });
    expect([reason(slow(), [], 11), reason(slow(), [], 12)]).toEqual([undefined, "DeadlineExceeded"]);
    expect(reason(slow({ suspend: true }), [], 99)).toBeUndefined();
  });

  it("by a rule of its policy, before its limit is looked at", () => {
    const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }];
    expect(reason(job({ backoffLimit: 0, podFailurePolicy: { rules } }), [lost("a")])).toBe("PodFailurePolicy");
  });

  it("by its indexes, when too many have failed, or all have ended and one has failed", () => {
    const limits = { backoffLimit: 99, backoffLimitPerIndex: 0 };
    const one = [lost("a", { index: 0 })];
    expect(reason(indexed(limits), one)).toBeUndefined();
    expect(reason(indexed({ ...limits, maxFailedIndexes: 0 }), one)).toBe("MaxFailedIndexesExceeded");
    const all = [...one, won("b", { index: 1 }), won("c", { index: 2 })];
    expect(reason(indexed(limits), all)).toBe("FailedIndexes");
  });

  it("for the reason that was said first", () => {
    const said = [{ type: "FailureTarget", status: "True", reason: "DeadlineExceeded", message: "late" }];
    const it = job({ backoffLimit: 0 }, { conditions: said });
    expect(endingOf(it, [lost("a")], tally(it, [lost("a")]), at(0))).toEqual({
      type: "FailureTarget",
      reason: "DeadlineExceeded",
      message: "late",
    });
  });
});

describe("a Job succeeds", () => {
  it("with its completions, once nothing runs any more", () => {
    const two = job({ completions: 2 });
    expect(isComplete(two, [won("a")])).toBe(false);
    expect(isComplete(two, [won("a"), won("b")])).toBe(true);
    expect(isComplete(two, [won("a"), won("b"), running("c")])).toBe(false);
    expect(isComplete(job({ completions: 0 }), [])).toBe(true);
  });

  it("without completions with one success, once nothing runs any more", () => {
    const { completions: _, ...spec } = job({ parallelism: 2 }).spec ?? { template: {} };
    const queue = { ...job(), spec };
    expect(isComplete(queue, [])).toBe(false);
    expect(isComplete(queue, [won("a"), running("b")])).toBe(false);
    expect(isComplete(queue, [won("a"), lost("b")])).toBe(true);
  });

  it("by its policy, while others still run, but not after it has failed", () => {
    const policy = { successPolicy: { rules: [{ succeededIndexes: "0" }] } };
    const pods = [won("a", { index: 0 }), running("b", { index: 1 })];
    expect(reason(indexed(policy), pods)).toBe("SuccessPolicy");
    expect(reason(indexed({ ...policy, backoffLimit: 0 }), [...pods, lost("c", { index: 2 })])).toBe(
      "BackoffLimitExceeded",
    );
  });
});
