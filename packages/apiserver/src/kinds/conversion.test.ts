import { describe, expect, test } from "vitest";
import { at, type JsonObject } from "../json.ts";
import { toCoreEvent, toNewEvent } from "./event-conversion.ts";
import { toV1, toV2 } from "./hpa-conversion.ts";

const now = "2026-01-01T00:00:00Z";

describe("conversion", () => {
  test("an Event comes back as it went", () => {
    const core: JsonObject = {
      apiVersion: "v1",
      kind: "Event",
      involvedObject: { kind: "Pod" },
      message: "m",
      source: { component: "c" },
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      reportingComponent: "r",
      eventTime: null,
    };
    const other = toNewEvent(core);
    expect(other).toMatchObject({
      regarding: { kind: "Pod" },
      note: "m",
      deprecatedCount: 1,
      reportingController: "r",
    });
    expect(toCoreEvent(other)).toEqual(core);
  });

  const target = { kind: "Deployment", name: "x", apiVersion: "apps/v1" };
  const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
  const memory = {
    type: "Resource",
    resource: { name: "memory", target: { type: "Utilization", averageUtilization: 5 } },
  };
  const perPod = { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } } };

  test("a v2 autoscaler as v1 keeps in annotations what v1 cannot say", () => {
    const v1 = toV1({
      metadata: { name: "h" },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: target,
        metrics: [memory, cpu, perPod],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 3,
            selectPolicy: "Max",
            policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
          },
        },
      },
      status: {
        currentReplicas: 1,
        currentMetrics: [
          { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 7, averageValue: "3m" } } },
        ],
      },
    });
    expect(v1["spec"]).toEqual({ maxReplicas: 3, scaleTargetRef: target, targetCPUUtilizationPercentage: 50 });
    expect(v1["status"]).toEqual({ currentReplicas: 1, currentCPUUtilizationPercentage: 7 });
    expect(at(v1, "metadata", "annotations")).toEqual({
      "autoscaling.alpha.kubernetes.io/metrics":
        '[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":5}},{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"5"}}]',
      "autoscaling.alpha.kubernetes.io/behavior":
        '{"ScaleUp":{"StabilizationWindowSeconds":3,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}',
      "autoscaling.alpha.kubernetes.io/current-metrics":
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":7,"currentAverageValue":"3m"}}]',
    });
    const back = toV2(v1);
    expect(at(back, "spec", "metrics")).toEqual([cpu, memory, perPod]);
    expect(at(back, "spec", "behavior", "scaleUp", "stabilizationWindowSeconds")).toBe(3);
    expect(at(back, "metadata")).toEqual({ name: "h" });
  });

  test("an annotation that is no JSON is no metric", () => {
    const annotations = { "autoscaling.alpha.kubernetes.io/metrics": "{" };
    expect(at(toV2({ metadata: { annotations }, spec: { maxReplicas: 1 } }), "spec", "metrics")).toBeUndefined();
  });
});
