import { describe, expect, test } from "vitest";
import { answered, pod } from "../../test/views.ts";
import { childView, isReadyChild, isStale } from "./child-view.ts";
import { storedPod } from "./pod-records.ts";

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

  test("what the first pod with the same trouble says is shown without its name", () => {
    const pods = [
      storedPod(pod("b", { fault: answered(403) }), 10),
      storedPod(pod("a", { fault: answered(401) }), 2),
      storedPod(pod("c", { fault: answered(503) }), 0),
    ];
    const { metadata, status } = instance([condition("Ready", "False", "BindcarAuthFailed")]);
    const seen = childView({ metadata, status: { ...status, pods } }, "current");
    expect(seen.phrase).toBe("failed Bindcar authentication (401)");
  });

  test("rule 73: 7.1 stale is who has not looked at its newest spec", () => {
    expect([isStale(instance([], 1)), isStale(instance([], 2)), isStale({ metadata: { generation: 1 } })]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
