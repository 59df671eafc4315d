import { describe, expect, it } from "vitest";
import { at, counted, indexed, job, lost, running, time, won } from "../../test/job/samples.ts";
import type { Ending } from "./ending.ts";
import { noteEnds, settled } from "./ledger.ts";
import { finalStatus, interimStatus } from "./status.ts";

type Job = Parameters<typeof settled>[0];
type Pods = Parameters<typeof settled>[1];

const success: Ending = { type: "SuccessCriteriaMet", reason: "CompletionsReached", message: "enough" };
const interim = (it: Job, pods: Pods, ending?: Ending) =>
  interimStatus({ job: it, pods, ledger: noteEnds(it, pods, ending).ledger, ending }, at(9));
const final = (it: Job, pods: Pods, ending?: Ending) =>
  finalStatus({ job: it, pods, ledger: settled(it, pods), ending }, at(9));

describe("a Job says", () => {
  it("always how many are ready and going, and the rest only when it is not zero", () => {
    expect(final(job(), [])).toEqual({
      ready: 0,
      startTime: time(9),
      terminating: 0,
      uncountedTerminatedPods: {},
    });
    expect(final(job(), [running("a", { isReady: true }), running("b", { deleted: 1 })])).toMatchObject({
      active: 1,
      ready: 1,
      terminating: 1,
    });
  });

  it("which indexes failed as soon as they have a limit, and which are complete when one is", () => {
    expect(final(indexed({ backoffLimitPerIndex: 1 }), [])).toMatchObject({ failedIndexes: "" });
    expect(final(indexed(), [])).not.toHaveProperty("completedIndexes");
    expect(interim(indexed(), [won("a", { index: 1 })])).toMatchObject({ completedIndexes: "1", succeeded: 1 });
  });

  it("less when fewer indexes are wanted", () => {
    const shrunk = indexed({ completions: 2, parallelism: 2 }, { completedIndexes: "0,3", succeeded: 2 });
    expect(final(shrunk, [])).toMatchObject({ completedIndexes: "0", succeeded: 1 });
  });

  it("what others wrote there", () => {
    const status = { conditions: [{ type: "Mine", status: "True" }] };
    expect(final(job({}, status), []).conditions).toEqual(status.conditions);
  });
});

describe("the end of a Job", () => {
  const types = (it: Job, pods: Pods, ending: Ending) => final(it, pods, ending).conditions?.map(({ type }) => type);

  it("is announced before it comes", () => {
    expect(interim(job(), [won("a")], success)).toMatchObject({
      conditions: [{ ...success, status: "True", lastProbeTime: time(9), lastTransitionTime: time(9) }],
      uncountedTerminatedPods: { succeeded: ["a"] },
    });
  });

  it("comes when every pod is counted and gone", () => {
    const noted = job({}, { uncountedTerminatedPods: { succeeded: ["a"] } });
    expect(types(noted, [won("a")], success)).toEqual(["SuccessCriteriaMet"]);
    expect(types(job(), [running("b", { deleted: 1, isTracked: false })], success)).toEqual(["SuccessCriteriaMet"]);
    expect(final(noted, [counted(won("a"))], success)).toMatchObject({
      completionTime: time(9),
      succeeded: 1,
      conditions: [
        { type: "SuccessCriteriaMet" },
        { ...success, type: "Complete", status: "True", lastTransitionTime: time(9) },
      ],
    });
  });

  it("has no time of completion when it is a failure", () => {
    const failed = final(job({}, { failed: 1 }), [counted(lost("a"))], { ...success, type: "FailureTarget" });
    expect(failed.conditions?.map(({ type }) => type)).toEqual(["FailureTarget", "Failed"]);
    expect(failed).not.toHaveProperty("completionTime");
  });
});

describe("a suspended Job", () => {
  const suspended = { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" };

  it("has not begun", () => {
    const told = final(job({ suspend: true }, { startTime: time(0) }), []);
    expect(told).not.toHaveProperty("startTime");
    expect(told.conditions).toMatchObject([suspended]);
  });

  it("begins anew when it goes on, and its condition stays where it was", () => {
    const other = { type: "Mine", status: "True" };
    const told = final(job({}, { conditions: [suspended, other] }), []);
    expect(told).toMatchObject({
      startTime: time(9),
      conditions: [{ type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" }, other],
    });
    const again = final(job({}, { ...told, startTime: time(5) }), []);
    expect(again.startTime).toBe(time(5));
  });

  it("is not told of where it never was", () => {
    expect(final(job(), [])).not.toHaveProperty("conditions");
  });
});
