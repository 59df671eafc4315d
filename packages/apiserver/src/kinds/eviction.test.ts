import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { evictionDecision, evictionNameError } from "./eviction.ts";

const now = "2026-01-01T00:00:00Z";

describe("eviction", () => {
  const pod = (more: JsonObject = {}): JsonObject => ({
    metadata: { name: "p", labels: { app: "p" } },
    spec: { nodeName: "n1" },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    ...more,
  });
  const budget = (status: JsonObject, generation = 1): JsonObject => ({
    metadata: { name: "b", generation },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "p" } } },
    status,
  });
  const refusal = (budgets: JsonObject[]) => {
    const decision = evictionDecision(pod(), budgets, now);
    return decision.do === "refuse" ? decision.error.body() : decision;
  };

  test("X25 an unscheduled or finished pod is free to go", () => {
    expect(evictionDecision(pod({ status: { phase: "Pending" } }), [budget({}), budget({})], now)).toEqual({
      do: "evict",
    });
  });

  test("X25 a budget that has not been looked at yet", () => {
    expect(refusal([budget({})])).toMatchObject({
      code: 429,
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        retryAfterSeconds: 10,
        causes: [
          { reason: "DisruptionBudget", message: "The disruption budget b is still being processed by the server." },
        ],
      },
    });
  });

  test("X25 a budget that is used up", () => {
    expect(
      refusal([budget({ observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 })]),
    ).toMatchObject({
      details: {
        causes: [
          { reason: "DisruptionBudget", message: "The disruption budget b needs 1 healthy pods and has 1 currently" },
        ],
      },
    });
  });

  test("X25 what an eviction leaves of the budget", () => {
    const own = budget({
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
    });
    const decision = evictionDecision(pod(), [own], now);
    expect(decision.do === "evict" && decision.budget?.["status"]).toEqual({
      conditions: [
        {
          lastTransitionTime: now,
          message: "",
          observedGeneration: 1,
          reason: "InsufficientPods",
          status: "False",
          type: "DisruptionAllowed",
        },
      ],
      currentHealthy: 2,
      desiredHealthy: 1,
      disruptedPods: { p: now },
      disruptionsAllowed: 0,
      expectedPods: 2,
      observedGeneration: 1,
    });
  });

  test("X25 two budgets for one pod, and another name than the path", () => {
    expect(refusal([budget({}), budget({})])).toMatchObject({
      code: 500,
      message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    });
    expect(evictionNameError({ metadata: { name: "other" } }, "p")?.message).toBe(
      "name in URL does not match name in Eviction object",
    );
  });
});
