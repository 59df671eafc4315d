import { describe, expect, it } from "vitest";
import { StatusError } from "../status.ts";
import { applyStrategicPatch, refusedPatch } from "./strategic.ts";

const apply = (patch: Parameters<typeof applyStrategicPatch>[1]) =>
  applyStrategicPatch({ apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 1 } }, patch, "apps.Deployment");

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "no error";
}

describe("a strategic patch that cannot be of the kind", () => {
  it("is refused with the type of the field that a scalar does not fit", () => {
    expect(messageOf(() => apply({ spec: { replicas: "three" } }))).toBe(
      '422  "" is invalid: patch: Invalid value: "map[spec:map[replicas:three]]": unrecognized type: int32',
    );
    expect(messageOf(() => apply({ spec: { paused: 1 } }))).toContain("unrecognized type: bool");
  });

  it("is looked at inside lists too", () => {
    const containers = [{ name: "a", image: 1 }];
    expect(messageOf(() => apply({ spec: { template: { spec: { containers } } } }))).toContain(
      "unrecognized type: string",
    );
  });

  it("is shown as it was sent, not as what it would have made", () => {
    expect(refusedPatch({ spec: { replicaz: 3, replicas: null } }, "why").message).toBe(
      ' "" is invalid: patch: Invalid value: "map[spec:map[replicas:<nil> replicaz:3]]": why',
    );
  });
});

describe("a strategic patch that is of the kind", () => {
  it("may take a field away, give a quantity as a number and a port by name", () => {
    const container = {
      name: "a",
      image: "b",
      resources: { limits: { cpu: 1 } },
      livenessProbe: { httpGet: { port: "web" } },
    };
    const patched = apply({ spec: { replicas: null, template: { spec: { containers: [container] } } } });
    expect(patched["spec"]).toEqual({ template: { spec: { containers: [container] } } });
  });
});
