import { describe, expect, it } from "vitest";
import { isTimeout, verdictOn } from "./failure.ts";
import { annotations } from "./names.ts";

const failed = { failureReason: "VPCReadyTimeout", failureMessage: "VPC not ready within 15m: no error reported" };
const said = (status: "True" | "False", reason: string) => ({
  conditions: [{ type: "VPCFailed", status, reason, message: "too late", lastTransitionTime: "2026-01-01T00:00:00Z" }],
});
const reset = (token: string) => ({ annotations: { [annotations.resetFailure]: token } });

describe("11.2 a terminal failure", () => {
  it("stays as it is while nobody acts", () => {
    const it = { metadata: { generation: 3 }, status: { ...failed, observedGeneration: 3 } };
    expect(verdictOn(it, "VPCFailed")).toEqual({
      standing: { is: "failed", token: failed.failureReason, message: failed.failureMessage },
      isReset: false,
      nextToken: undefined,
    });
  });

  it("is one with a message alone, too", () => {
    const it = { metadata: { generation: 1 }, status: { failureMessage: "no", observedGeneration: 1 } };
    expect(verdictOn(it, "VPCFailed").standing).toMatchObject({ is: "failed", message: "no" });
  });
});

describe("what has not failed", () => {
  it("is well without a status, and where the condition alone says so for another reason", () => {
    expect(verdictOn({ metadata: {} }, "VPCFailed").standing).toEqual({ is: "well" });
    const timely = {
      metadata: { generation: 1 },
      status: { ...said("False", "SecretTimeout"), observedGeneration: 1 },
    };
    expect(verdictOn(timely, "VPCFailed").standing).toEqual({ is: "well" });
  });

  it("is not one that has a reason and no message", () => {
    const it = { metadata: { generation: 1 }, status: { failureReason: "Why", observedGeneration: 1 } };
    expect(verdictOn(it, "VPCFailed").standing).toEqual({ is: "failed", token: "Why", message: "" });
  });
});

describe("11.3 a reset", () => {
  it("is an edit of the spec", () => {
    const it = { metadata: { generation: 4 }, status: { ...failed, observedGeneration: 3 } };
    expect(verdictOn(it, "VPCFailed")).toMatchObject({ standing: { is: "well" }, isReset: true });
  });

  it("is a new value of the annotation, once", () => {
    const status = { ...failed, observedGeneration: 3 };
    const asked = { metadata: { generation: 3, ...reset("1") }, status };
    expect(verdictOn(asked, "VPCFailed")).toEqual({ standing: { is: "well" }, isReset: true, nextToken: "1" });
    const heard = { metadata: { generation: 3, ...reset("1") }, status: { ...status, lastResetToken: "1" } };
    expect(verdictOn(heard, "VPCFailed")).toMatchObject({ standing: { is: "failed" }, isReset: false, nextToken: "1" });
    const again = { metadata: { generation: 3, ...reset("2") }, status: { ...status, lastResetToken: "1" } };
    expect(verdictOn(again, "VPCFailed").isReset).toBe(true);
  });

  it("is not the annotation being taken away, and the token goes with it", () => {
    const it = { metadata: { generation: 3 }, status: { ...failed, observedGeneration: 3, lastResetToken: "1" } };
    expect(verdictOn(it, "VPCFailed")).toMatchObject({ isReset: false, nextToken: undefined });
  });

  it("is not there where nothing failed, and the token is noted all the same", () => {
    const it = { metadata: { generation: 3, ...reset("1") }, status: { observedGeneration: 2 } };
    expect(verdictOn(it, "VPCFailed")).toEqual({ standing: { is: "well" }, isReset: false, nextToken: "1" });
  });
});

describe("9.5 a timeout under the policy degraded", () => {
  it("is remembered by the condition alone", () => {
    const it = { metadata: { generation: 1 }, status: { ...said("True", "SecretTimeout"), observedGeneration: 1 } };
    expect(verdictOn(it, "VPCFailed").standing).toEqual({ is: "overdue", token: "SecretTimeout", message: "too late" });
  });

  it("is forgotten by a reset as well", () => {
    const status = { ...said("True", "SecretTimeout"), observedGeneration: 1 };
    expect(verdictOn({ metadata: { generation: 1, ...reset("1") }, status }, "VPCFailed")).toMatchObject({
      standing: { is: "well" },
      isReset: true,
    });
  });

  it("is none where the condition is False, or its reason is no timeout", () => {
    for (const told of [said("False", "NotFailed"), said("True", "InvalidTemplate")]) {
      const status = { ...told, observedGeneration: 1 };
      expect(verdictOn({ metadata: { generation: 1 }, status }, "VPCFailed").standing).toEqual({ is: "well" });
    }
  });
});

it.each([
  ["ControlPlaneTimeout", true],
  ["InvalidEndpoint", true],
  ["InvalidTemplate", false],
  ["WorkspaceFailed", false],
])("%s may be followed by what was waited for: %s", (token, expected) => {
  expect(isTimeout(token)).toBe(expected);
});
