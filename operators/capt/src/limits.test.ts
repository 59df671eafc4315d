import { describe, expect, it } from "vitest";
import { network, plane } from "../test/worlds.ts";
import { standardConfig } from "./config.ts";
import { controlPlaneLimits, networkLimits } from "./limits.ts";

const minute = 60_000;
const { timeouts: flags } = standardConfig;
const never = Number.POSITIVE_INFINITY;

describe("9.1 how long is waited", () => {
  it("is what the seed says where nobody says otherwise", () => {
    expect(networkLimits(network(), flags)).toMatchObject({ vpc: 15 * minute, secret: 5 * minute, workspace: never });
    expect(controlPlaneLimits(plane(), flags)).toEqual({
      overall: 30 * minute,
      vpc: 15 * minute,
      secret: 5 * minute,
      workspace: never,
    });
  });

  it("is the flag's, and the object's before it", () => {
    const set = { controlPlane: 3 * minute, vpcReady: 2 * minute, secret: minute, workspaceReady: 90_000 };
    expect(networkLimits(network(), set)).toMatchObject({ vpc: 2 * minute, secret: minute, workspace: 90_000 });
    const timeouts = { vpcReadyTimeout: 7, secretTimeout: 8, workspaceReadyTimeout: 9 };
    expect(networkLimits(network({ timeouts }), set)).toMatchObject({
      vpc: 7 * minute,
      secret: 8 * minute,
      workspace: 9 * minute,
    });
    const own = { region: "eu-west-1", timeouts: { ...timeouts, controlPlaneTimeout: 10 } };
    expect(controlPlaneLimits(plane({ controlPlaneConfig: own }), set)).toEqual({
      overall: 10 * minute,
      vpc: 7 * minute,
      secret: 8 * minute,
      workspace: 9 * minute,
    });
  });
});
