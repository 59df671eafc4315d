import { describe, expect, test } from "vitest";
import { childView, isReadyChild, isStale } from "./child-view.ts";

const condition = (type: string, status: "True" | "False", reason: string, message = "") => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: "2025-01-18T10:00:00Z",
});

const instance = (conditions: readonly ReturnType<typeof condition>[], observedGeneration = 2) => ({
  metadata: { name: "x", namespace: "dns", uid: "u", generation: 2 },
  status: { conditions, observedGeneration },
});

describe("A-54 an instance as its cluster sees it", () => {
  test("A-54 without any condition it has not said anything", () => {
    const seen = childView(instance([]), "current", 3);
    expect([seen.ready, isReadyChild(seen), seen.pods]).toEqual([undefined, false, { ready: 0, total: 3 }]);
  });

  test("A-54 Ready is found by its type, wherever it stands", () => {
    const seen = childView(
      instance([condition("Custom", "False", "No"), condition("Ready", "True", "AllReady")]),
      "current",
    );
    expect([seen.ready?.reason, isReadyChild(seen)]).toEqual(["AllReady", true]);
  });

  test("what a pod says of the same trouble is remembered without its name", () => {
    const seen = childView(
      instance([
        condition("Ready", "False", "BindcarAuthFailed"),
        condition("Pod-10", "False", "BindcarAuthFailed", "Pod b failed Bindcar authentication (403)"),
        condition("Pod-2", "False", "BindcarAuthFailed", "Pod a failed Bindcar authentication (401)"),
        condition("Pod-0", "False", "GatewayError", "Pod c is unreachable through the gateway (503)"),
      ]),
      "current",
    );
    expect(seen.phrase).toBe("failed Bindcar authentication (401)");
  });

  test("7.1 stale is who has not looked at its newest spec", () => {
    expect([isStale(instance([], 1)), isStale(instance([], 2)), isStale({ metadata: { generation: 1 } })]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
