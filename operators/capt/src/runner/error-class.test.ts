import { describe, expect, it } from "vitest";
import { classify, errorClasses, isErrorClass, lockId, type Step } from "./error-class.ts";

const at = (step: Step, text: string) => classify(step, { summary: "", text });

describe("12.7 the class of an error", () => {
  it.each<[Step, string, string]>([
    ["init", "Error: Failed to query available provider packages\nCould not retrieve the list", "ProviderUnavailable"],
    ["init", "Error: Failed to install provider: dial tcp: lookup registry: no such host", "ProviderUnavailable"],
    ["init", "Error: Unsupported block type", "InvalidConfiguration"],
    ["init", "Error: Argument or block definition required", "InvalidConfiguration"],
    ["init", "Error: error configuring S3 Backend: no valid credential sources", "PlanFailed"],
    ["validate", "whatever it says", "InvalidConfiguration"],
    ["plan", "Error: No value for required variable", "InvalidConfiguration"],
    ["plan", "Error: Reference to undeclared resource", "InvalidConfiguration"],
    ["plan", "Error: reading EC2 VPCs: UnauthorizedOperation", "PlanFailed"],
    ["push", "Error: Failed to write state", "PlanFailed"],
    ["apply", "Error acquiring the state lock", "StateLocked"],
    ["destroy", "Error acquiring the state lock", "StateLocked"],
    ["apply", "Saved plan is stale", "stale"],
    ["apply", "creating VPC: limit exceeded", "ApplyFailed"],
    ["outputs", "no outputs", "ApplyFailed"],
    ["destroy", "VPC has dependencies", "DestroyFailed"],
  ])("%s that says %j is %s", (step, text, expected) => {
    expect(at(step, text)).toBe(expected);
  });

  it("is terminal, and waits for an edit, only where no retry helps", () => {
    const terminal = Object.entries(errorClasses).filter(([, { isTerminal }]) => isTerminal);
    expect(terminal.map(([name]) => name)).toEqual(["InvalidConfiguration", "UnsupportedSource", "StateConflict"]);
    expect(terminal.every(([, { retry }]) => retry === "edit")).toBe(true);
  });

  it("is known by its name alone", () => {
    expect([isErrorClass("TimedOut"), isErrorClass("toString"), isErrorClass(undefined)]).toEqual([true, false, false]);
  });

  it("names the lock that a state is held by", () => {
    const text = "Lock Info:\n  ID:        9db590f1-b6fe-c5f2-2678-8804f089deba\n  Path:      x";
    expect(lockId(text)).toBe("9db590f1-b6fe-c5f2-2678-8804f089deba");
    expect(lockId("nothing")).toBeUndefined();
  });
});
