import { describe, expect, it } from "vitest";
import { fullVersion, isLower, minorVersion } from "./version.ts";

describe("CP-12 a version", () => {
  it.each([
    ["1.31", "v1.31.0", "1.31"],
    ["v1.31.4", "v1.31.4", "1.31"],
    ["v1.31.0-eks-1234", "v1.31.0", "1.31"],
    ["1.31+build", "v1.31.0", "1.31"],
  ])("%s is %s in full, and %s to a managed control plane", (typed, full, minor) => {
    expect([fullVersion(typed), minorVersion(typed)]).toEqual([full, minor]);
  });

  it("is none where there is no number", () => {
    expect([fullVersion("latest"), minorVersion("")]).toEqual([undefined, undefined]);
  });

  it.each([
    ["1.31", "v1.32.0", true],
    ["1.32", "v1.31.0", false],
    ["1.32", "v1.32.5", false],
    ["v1.32.0", "v1.32.5", true],
    ["1.9", "v1.10.0", true],
    ["1.31", "unreadable", false],
  ])("%s is lower than %s: %s", (asked, running, expected) => {
    expect(isLower(asked, running)).toBe(expected);
  });
});
