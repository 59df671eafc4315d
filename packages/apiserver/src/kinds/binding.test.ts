import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { bindPod } from "./binding.ts";

const now = "2026-01-01T00:00:00Z";

describe("binding", () => {
  const pod = (spec: JsonObject = {}): JsonObject => ({ metadata: { name: "p" }, spec, status: { phase: "Pending" } });
  const bind = (target: JsonObject, to = pod()) => bindPod(to, { metadata: { annotations: { a: "1" } }, target }, now);
  const why = (result: ReturnType<typeof bindPod>) =>
    "error" in result ? [result.error.code, result.error.message] : result;

  test("S15 a pod gets its node, the annotations and its condition", () => {
    expect(bind({ kind: "Node", name: "n1" })).toEqual({
      pod: {
        metadata: { name: "p", annotations: { a: "1" } },
        spec: { nodeName: "n1" },
        status: {
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now }],
        },
      },
    });
  });

  test("S15 once, to a node, and not through a gate", () => {
    const on = 'Operation cannot be fulfilled on pods/binding "p": pod p';
    expect(why(bind({ name: "n2" }, pod({ nodeName: "n1" })))).toEqual([409, `${on} is already assigned to node "n1"`]);
    expect(why(bind({ name: "n1" }, pod({ schedulingGates: [{ name: "x" }] })))).toEqual([
      409,
      `${on} has non-empty .spec.schedulingGates`,
    ]);
    expect(why(bind({ kind: "Pod", name: "n1" }))).toEqual([
      500,
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ]);
    expect(why(bind({ kind: "Node" }))).toEqual([500, "target.name: Required value"]);
  });
});
