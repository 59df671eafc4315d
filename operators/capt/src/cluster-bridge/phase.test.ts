import fc from "fast-check";
import { expect, test } from "vitest";
import { type PhaseFacts, phaseOf } from "./phase.ts";

const facts: PhaseFacts = {
  isDeleting: false,
  hasFailed: false,
  isEndpointValid: true,
  infrastructure: "done",
  controlPlane: "done",
};

test.each([
  ["Provisioned", {}],
  ["Provisioned", { infrastructure: "none" }],
  ["Provisioned", { controlPlane: "none" }],
  ["Provisioning", { isEndpointValid: false }],
  ["Provisioning", { infrastructure: "waiting" }],
  ["Provisioning", { controlPlane: "waiting" }],
  ["Pending", { infrastructure: "none", controlPlane: "none", isEndpointValid: false }],
  ["Failed", { hasFailed: true }],
  ["Failed", { hasFailed: true, controlPlane: "waiting" }],
  ["Deleting", { isDeleting: true, hasFailed: true }],
] as const)("8.3 %s when %j", (phase, more) => {
  expect(phaseOf({ ...facts, ...more })).toBe(phase);
});

const side = fc.constantFrom("none" as const, "waiting" as const, "done" as const);
const any = fc.record({
  isDeleting: fc.boolean(),
  hasFailed: fc.boolean(),
  isEndpointValid: fc.boolean(),
  infrastructure: side,
  controlPlane: side,
});

test("L-8 the phase is a function of what is known, and of neither side more than of the other", () => {
  fc.assert(
    fc.property(any, (it) => {
      const mirrored = { ...it, infrastructure: it.controlPlane, controlPlane: it.infrastructure };
      expect(phaseOf(it)).toBe(phaseOf({ ...it }));
      expect(phaseOf(it)).toBe(phaseOf(mirrored));
    }),
  );
});
