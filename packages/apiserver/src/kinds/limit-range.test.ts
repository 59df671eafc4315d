import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { startApiServer } from "../server.ts";
import { brokenLimits, withUsualAmounts } from "./limit-range.ts";

const range = (...limits: JsonObject[]): JsonObject => ({ metadata: { name: "r" }, spec: { limits } });
const container = (name: string, requests: JsonObject = {}, limits: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests, limits },
});
const pod = (...containers: JsonObject[]): JsonObject => ({ metadata: { name: "p" }, spec: { containers } });

describe("what a pod gets", () => {
  const usual = range({ type: "Container", default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "500m" } });

  test("is what its containers do not say themselves, and it is noted", () => {
    const given = {
      ...pod({ name: "silent" }, container("says", { cpu: "100m" }, { cpu: "2" })),
      metadata: { name: "p", annotations: { a: "b" } },
    };
    expect(withUsualAmounts(given, [usual])).toEqual({
      metadata: {
        name: "p",
        annotations: {
          a: "b",
          "kubernetes.io/limit-ranger":
            "LimitRanger plugin set: cpu request for container silent; cpu, memory limit for container silent; memory limit for container says",
        },
      },
      spec: {
        containers: [
          { name: "silent", resources: { requests: { cpu: "500m" }, limits: { cpu: "1", memory: "1Gi" } } },
          { name: "says", resources: { requests: { cpu: "100m" }, limits: { cpu: "2", memory: "1Gi" } } },
        ],
      },
    });
  });

  test("its init containers get too", () => {
    const given = {
      spec: { containers: [container("a", { cpu: "1" }, { cpu: "1", memory: "1" })], initContainers: [{ name: "i" }] },
    };
    expect(withUsualAmounts(given, [usual])).toMatchObject({
      metadata: {
        annotations: { "kubernetes.io/limit-ranger": expect.stringContaining("request for init container i") },
      },
      spec: { initContainers: [{ resources: { requests: { cpu: "500m" } } }] },
    });
  });

  test("is nothing where nothing is usual, or everything is said", () => {
    const whole = pod(container("a", { cpu: "1" }, { cpu: "1", memory: "1" }));
    expect(withUsualAmounts(whole, [usual])).toBe(whole);
    const other = range({ type: "Pod", max: { cpu: "1" } });
    expect(withUsualAmounts(pod({ name: "a" }), [other])).toEqual(pod({ name: "a" }));
  });

  test("of several ranges is what the first one says, and the last note stays", () => {
    const second = range({ type: "Container", default: { cpu: "9", storage: "1" } });
    expect(withUsualAmounts(pod({ name: "a" }), [usual, second])).toMatchObject({
      metadata: {
        annotations: { "kubernetes.io/limit-ranger": "LimitRanger plugin set: storage limit for container a" },
      },
      spec: { containers: [{ resources: { limits: { cpu: "1", memory: "1Gi", storage: "1" } } }] },
    });
  });
});

describe("a range is broken", () => {
  const told = (limit: JsonObject, ...containers: JsonObject[]) =>
    brokenLimits(range(limit), "pods", pod(...containers));

  test.each([
    [{ min: { cpu: "1" } }, container("a"), "minimum cpu usage per Container is 1.  No request is specified"],
    [
      { min: { cpu: "1" } },
      container("a", { cpu: "500m" }),
      "minimum cpu usage per Container is 1, but request is 500m",
    ],
    [
      { min: { cpu: "1" } },
      container("a", { cpu: "1" }, { cpu: "900m" }),
      "minimum cpu usage per Container is 1, but limit is 900m",
    ],
    [{ max: { memory: "1Gi" } }, container("a"), "maximum memory usage per Container is 1Gi.  No limit is specified"],
    [{ max: { cpu: "1" } }, container("a", {}, { cpu: "2" }), "maximum cpu usage per Container is 1, but limit is 2"],
    [
      { max: { cpu: "1" } },
      container("a", { cpu: "3" }, { cpu: "1" }),
      "maximum cpu usage per Container is 1, but request is 3",
    ],
    [
      { maxLimitRequestRatio: { cpu: "2" } },
      container("a", {}, { cpu: "1" }),
      "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
    ],
    [
      { maxLimitRequestRatio: { cpu: "2" } },
      container("a", { cpu: "1" }),
      "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
    ],
    [
      { maxLimitRequestRatio: { cpu: "1500m" } },
      container("a", { cpu: "1" }, { cpu: "2" }),
      "cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000",
    ],
  ])("%j", (limit, broken, expected) => {
    expect(told({ type: "Container", ...limit }, broken)).toEqual([expected]);
  });

  test("by a pod as a whole", () => {
    const half = container("a", { cpu: "600m" }, { cpu: "600m" });
    const limit = { type: "Pod", max: { cpu: "1" } };
    expect(told(limit, half, { ...half, name: "b" })).toEqual(["maximum cpu usage per Pod is 1, but limit is 1200m"]);
    expect(told(limit, half)).toEqual([]);
  });

  test("by a claim that is too large, or too small", () => {
    const claim = (storage: string) => ({ spec: { resources: { requests: { storage } } } });
    const limit = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } };
    const of = (storage: string) => brokenLimits(range(limit), "persistentvolumeclaims", claim(storage));
    expect(of("3Gi")).toEqual(["maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"]);
    expect(of("1Mi")).toEqual(["minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi"]);
    expect(of("2Gi")).toEqual([]);
  });

  test("not by objects of another kind", () => {
    expect(brokenLimits(range({ type: "Container", min: { cpu: "1" } }), "services", {})).toEqual([]);
  });
});

test("the server gives and refuses as the ranges of the namespace say", async () => {
  const limits = [{ type: "Container", max: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "100m" } }];
  const objects = [
    { apiVersion: "v1", kind: "LimitRange", metadata: { name: "r", namespace: "default" }, spec: { limits } },
  ];
  const server = await startApiServer({ listen: false, objects });
  const create = async (resources: object) => {
    const spec = { containers: [{ name: "main", image: "example.test/app:1", resources }] };
    const path = "/api/v1/namespaces/default/pods";
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ metadata: { generateName: "p-", namespace: "default" }, spec });
    return JSON.parse((await server.client({ method: "POST", path, headers, body })).body);
  };
  const made = await create({});
  expect(made.spec.containers[0].resources).toEqual({
    requests: { cpu: "100m", memory: "1Gi" },
    limits: { cpu: "1", memory: "1Gi" },
  });
  expect(made.status.qosClass).toBe("Burstable");
  const refused = await create({ limits: { cpu: "2", memory: "2Gi" } });
  expect(refused).toMatchObject({ code: 403, reason: "Forbidden" });
  expect(refused.message).toMatch(
    /^pods "p-[a-z0-9]{5}" is forbidden: \[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi\]$/,
  );
  await server.stop();
});
