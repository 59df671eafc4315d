import { instant } from "@telltale/kinds";
import type { HorizontalPodAutoscaler } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { missing, statusOf } from "./status.ts";

const now = instant(Date.UTC(2026, 0, 1));
const target = { type: "Utilization", averageUtilization: 80 };
const scaler = (status?: HorizontalPodAutoscaler["status"]): HorizontalPodAutoscaler => ({
  metadata: { name: "web" },
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { kind: "Deployment", name: "web" },
    metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
  },
  ...(status === undefined ? {} : { status }),
});
const found = { is: "found", wanted: 2, there: 1 } as const;

it("it shows what its target has, and that nothing is measured", () => {
  expect(statusOf(scaler(), found, now)).toEqual({
    currentReplicas: 1,
    desiredReplicas: 0,
    conditions: [
      {
        type: "AbleToScale",
        status: "True",
        reason: "SucceededGetScale",
        message: "the HPA controller was able to get the target's current scale",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
      {
        type: "ScalingActive",
        status: "False",
        reason: "FailedGetResourceMetric",
        message:
          "the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  });
});

it("nothing changes with time alone", () => {
  const status = statusOf(scaler(), found, now);
  expect(statusOf(scaler(status), found, instant(now + 60_000))).toEqual(status);
});

it("a target without replicas is not scaled at all", () => {
  const { conditions } = statusOf(scaler(), { is: "found", wanted: 0, there: 0 }, now);
  expect(conditions?.[1]).toMatchObject({ type: "ScalingActive", status: "False", reason: "ScalingDisabled" });
});

it("a target that is not there is named, and what was known of it stays", () => {
  const before = statusOf(scaler(), found, now);
  const why = 'deployments.apps "web" not found';
  const { conditions, currentReplicas } = statusOf(scaler(before), { is: "missing", why }, now);
  expect(currentReplicas).toBe(1);
  expect(conditions?.[0]).toMatchObject({
    type: "AbleToScale",
    status: "False",
    reason: "FailedGetScale",
    message: `the HPA controller was unable to get the target's current scale: ${why}`,
  });
});

describe("what is missing", () => {
  it.each([
    [{ type: "Resource" }, "FailedGetResourceMetric"],
    [{ type: "ContainerResource" }, "FailedGetContainerResourceMetric"],
    [{ type: "Pods" }, "FailedGetPodsMetric"],
    [{ type: "Object" }, "FailedGetObjectMetric"],
    [{ type: "External" }, "FailedGetExternalMetric"],
    [undefined, "FailedGetResourceMetric"],
  ])("is what was asked for first: %j", (metric, reason) => {
    expect(missing(metric).reason).toBe(reason);
  });
});
