import { describe, expect, it } from "vitest";
import { job, lost, pod } from "../../test/job/samples.ts";
import { judge } from "./failure-policy.ts";

type Rules = NonNullable<NonNullable<ReturnType<typeof job>["spec"]>["podFailurePolicy"]>["rules"];
const by = (...rules: Rules) => job({ podFailurePolicy: { rules } });
const exit = (code: number) => lost("a", { code });

describe("a failed pod", () => {
  it("counts where there is no policy, and where no rule fits", () => {
    expect(judge(exit(1), job())).toEqual({ is: "counted" });
    expect(judge(exit(1), by({ action: "Ignore", onExitCodes: { operator: "In", values: [2] } }))).toEqual({
      is: "counted",
    });
  });

  it("is judged by the first rule that fits", () => {
    const policy = by(
      { action: "Count", onExitCodes: { operator: "In", values: [1] } },
      { action: "FailIndex", onExitCodes: { operator: "NotIn", values: [3] } },
      { action: "Ignore", onExitCodes: { operator: "NotIn", values: [1] } },
    );
    expect([1, 2, 3].map((code) => judge(exit(code), policy).is)).toEqual(["counted", "index", "ignored"]);
  });

  it("fails its Job in the words of Kubernetes", () => {
    expect(judge(exit(42), by({ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }))).toEqual({
      is: "job",
      message: "Container main for pod default/a failed with exit code 42 matching FailJob rule at index 0",
    });
    const evicted = pod("a", { phase: "Failed", conditions: [{ type: "DisruptionTarget", status: "True" }] });
    const onCondition = by(
      { action: "Ignore", onExitCodes: { operator: "In", values: [1] } },
      { action: "FailJob", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    );
    expect(judge(evicted, onCondition)).toEqual({
      is: "job",
      message: "Pod default/a has condition DisruptionTarget matching FailJob rule at index 1",
    });
  });

  it("is judged by the container that the rule names, and by no exit code of 0", () => {
    const named = (containerName: string) =>
      by({ action: "Ignore", onExitCodes: { containerName, operator: "In", values: [1] } });
    expect(judge(exit(1), named("main")).is).toBe("ignored");
    expect(judge(exit(1), named("other")).is).toBe("counted");
    expect(judge(exit(0), by({ action: "Ignore", onExitCodes: { operator: "NotIn", values: [1] } })).is).toBe(
      "counted",
    );
  });

  it("fits a condition only in the status that the rule says", () => {
    const policy = by({ action: "Ignore", onPodConditions: [{ type: "Ready", status: "False" }] });
    const ready = (status: string) => pod("a", { phase: "Failed", conditions: [{ type: "Ready", status }] });
    expect([judge(ready("False"), policy).is, judge(ready("True"), policy).is]).toEqual(["ignored", "counted"]);
  });

  it("is not judged by an action that nobody knows", () => {
    const policy = by({ action: "Celebrate", onExitCodes: { operator: "In", values: [1] } });
    expect(judge(exit(1), policy)).toEqual({ is: "counted" });
  });
});
