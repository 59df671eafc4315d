import { describe, expect, test } from "vitest";
import { at, type JsonObject } from "../json.ts";
import { admitPod } from "./admission.ts";
import { qosClass } from "./pod.ts";

describe("pods", () => {
  const limits = { cpu: "1", memory: "1Gi" };
  const pod = (...resources: JsonObject[]): JsonObject => ({
    spec: { containers: resources.map((r) => ({ resources: r })) },
  });

  test("the QoS class follows from requests and limits", () => {
    expect(qosClass(pod({}))).toBe("BestEffort");
    expect(qosClass(pod({ limits, requests: limits }))).toBe("Guaranteed");
    expect(qosClass(pod({ limits, requests: { cpu: "500m", memory: "1Gi" } }))).toBe("Burstable");
    expect(qosClass(pod({ limits, requests: limits }, {}))).toBe("Burstable");
  });

  const world = { priorityClass: () => undefined, defaultPriorityClass: () => undefined };

  test("priority cannot be chosen, and a class has to exist", () => {
    const refused = (spec: JsonObject) => () => admitPod({ metadata: { name: "x" }, spec }, "ns", world);
    expect(refused({ priorityClassName: "nope" })).toThrow(
      'pods "x" is forbidden: no PriorityClass with name nope was found',
    );
    expect(refused({ priority: 5 })).toThrow(
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name",
    );
  });

  test("a pod that tolerates everything gets no more tolerations", () => {
    const tolerations = [{ operator: "Exists" }];
    expect(at(admitPod({ spec: { tolerations } }, "ns", world), "spec", "tolerations")).toEqual(tolerations);
  });
});
