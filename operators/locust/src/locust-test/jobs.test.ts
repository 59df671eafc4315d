import type { Job, Pod } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { advance, classifyJob, derivePhaseFromJob, failureCause } from "./jobs.ts";

type Status = NonNullable<Job["status"]>;
const job = (status: Status, spec: Partial<NonNullable<Job["spec"]>> = {}): Job => ({
  spec: { template: {}, ...spec },
  status,
});
const told = (...types: string[]) => types.map((type) => ({ type, status: "True" }));

describe("the phase as the master Job has it", () => {
  test("A05 no Job: Pending", () => expect(derivePhaseFromJob(undefined)).toBe("Pending"));
  test("A06 active 1: Running", () => expect(derivePhaseFromJob(job({ active: 1 }))).toBe("Running"));
  test("A07 Complete: Succeeded", () =>
    expect(derivePhaseFromJob(job({ conditions: told("Complete") }))).toBe("Succeeded"));
  test("A08 Failed: Failed", () => expect(derivePhaseFromJob(job({ conditions: told("Failed") }))).toBe("Failed"));
  test("A09 Complete and Failed, in either order: Succeeded", () => {
    expect(derivePhaseFromJob(job({ conditions: told("Complete", "Failed") }))).toBe("Succeeded");
    expect(derivePhaseFromJob(job({ conditions: told("Failed", "Complete") }))).toBe("Succeeded");
  });
  test("A10 Complete with status False and active 1: Running", () => {
    const conditions = [{ type: "Complete", status: "False" }];
    expect(derivePhaseFromJob(job({ active: 1, conditions }))).toBe("Running");
  });
});

test.each([
  ["suspended by its spec", job({ active: 1 }, { suspend: true }), "Suspended"],
  ["suspended by its condition", job({ conditions: told("Suspended") }), "Suspended"],
  ["a pod has succeeded, and nothing is concluded", job({ succeeded: 1 }), "Settling"],
  ["a pod is to be counted", job({ uncountedTerminatedPods: { failed: ["u"] } }), "Settling"],
  ["the criteria are met", job({ conditions: told("SuccessCriteriaMet") }), "Settling"],
  ["new", job({ uncountedTerminatedPods: {} }), "Created"],
] as const)("a Job: %s", (_, it, state) => expect(classifyJob(it)).toBe(state));

test("a phase never goes back, and an end is never left", () => {
  expect(advance(undefined, "Pending")).toBe("Pending");
  expect(advance("Running", "Pending")).toBe("Running");
  expect(advance("Pending", "Failed")).toBe("Failed");
  expect(advance("Failed", "Succeeded")).toBe("Failed");
  expect(advance("Succeeded", "Running")).toBe("Succeeded");
});

describe("the cause of a failure", () => {
  const failed = job({ conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] });
  const pod = (exitCode: number, reason = "Error", name = "p", created = "2026-01-01T00:00:00Z"): Pod => ({
    metadata: { name, creationTimestamp: created },
    status: {
      containerStatuses: [
        {
          name: "demo-master",
          image: "",
          imageID: "",
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode, reason } },
        },
      ],
    },
  });

  test.each([
    [1, "Error", "master exited with code 1 (failed requests, user errors, or a start-up error)"],
    [2, "Error", "master exited with code 2 (bad command line or unhandled exception)"],
    [137, "OOMKilled", "master exited with code 137 (out of memory)"],
    [137, "Error", "master exited with code 137 (killed)"],
    [143, "Error", "master exited with code 143 (terminated)"],
    [255, "Error", "master exited with code 255 (invalid arguments or startup failure)"],
    [77, "Error", "master exited with code 77 (custom exit code)"],
  ])("exit code %i, %s", (code, reason, text) => {
    expect(failureCause(failed, [pod(code, reason)], "demo-master")).toBe(text);
  });

  test("A80 failed requests are named", () => {
    const text = failureCause(failed, [pod(1)], "demo-master", { failed: 1, total: 812 });
    expect(text).toBe(
      "master exited with code 1 (failed requests, user errors, or a start-up error); 1 of 812 requests failed",
    );
  });

  test("of several pods the newest tells", () => {
    const pods = [pod(2, "Error", "new", "2026-01-02T00:00:00Z"), pod(1)];
    expect(failureCause(failed, pods, "demo-master")).toContain("code 2");
  });

  test("without a pod it is the Job's reason", () => {
    expect(failureCause(failed, [], "demo-master")).toBe("master Job failed (BackoffLimitExceeded)");
  });

  test("is nothing that somebody put there in its place", () => {
    const odd = job({ conditions: [{ type: "Failed", status: "True", reason: "token=hunter2\nmore" }] });
    expect(failureCause(odd, [], "demo-master")).toBe("master Job failed (token=***)");
  });
});
