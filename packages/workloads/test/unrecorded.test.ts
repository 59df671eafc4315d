// Scenarios that the notes on the recordings describe and whose files are not there: Services and claims.
import { expect, test } from "vitest";
import { controllers } from "../src/controllers.ts";
import { isObject, type Json, type JsonObject } from "./golden/json.ts";
import { type Replay, replay } from "./golden/replay.ts";
import type { Step } from "./golden/scenario.ts";

const settled: Step = { until: "settled" };

async function play(...steps: Step[]): Promise<Replay> {
  const scenario = { name: "test", description: "", steps, settleMs: 700, podNumbering: "creation" } as const;
  const ours = await replay(scenario, controllers({ loadBalancers: "none", volumes: { defaultClass: "none" } }));
  expect(ours.failure).toBeUndefined();
  return ours;
}

const list = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** At the end of each step: an object's state. */
const stateAt = (ours: Replay, name: string, step: number): JsonObject =>
  (ours.objects.get(name) ?? []).findLast((it) => it.step <= step)?.body ?? {};

test("service-endpoints: pods go ready, unready and away", async () => {
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "example.test/app:1" }] },
  };
  const ours = await play(
    {
      do: "create",
      manifest: {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web" },
        spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
      },
    },
    {
      do: "create",
      manifest: {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "web" },
        spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
      },
    },
    settled,
    { do: "pod", op: "unready", nth: 0 },
    settled,
    { do: "pod", op: "ready", nth: 0 },
    settled,
    { do: "kubelet", hold: true },
    { do: "pod", op: "delete", nth: 0 },
    { wait: 5 },
    { do: "kubelet", hold: false },
    settled,
  );
  const slice = (step: number) =>
    list(stateAt(ours, "EndpointSlice/web-<rand:1>", step)["endpoints"]).map(({ conditions }) => conditions);
  const up = { ready: true, serving: true, terminating: false };
  const sizes = (step: number) => {
    const [subset = {}] = list(stateAt(ours, "Endpoints/web", step)["subsets"]);
    return [list(subset["addresses"]).length, list(subset["notReadyAddresses"]).length];
  };
  expect(slice(2)).toEqual([up, up]);
  expect(sizes(2)).toEqual([2, 0]);
  expect(slice(4)).toContainEqual({ ready: false, serving: false, terminating: false });
  expect(sizes(4)).toEqual([1, 1]);
  expect(slice(6)).toEqual([up, up]);
  expect(slice(9)).toContainEqual({ ready: false, serving: true, terminating: true });
  expect(sizes(9)).toEqual([1, 0]);
  expect(slice(11)).toEqual([up, up]);
  expect(sizes(11)).toEqual([2, 0]);
  expect(ours.objects.has("EndpointSlice/web-<rand:2>")).toBe(false);
});

test("pvc-pending: a claim without a class and without a volume", async () => {
  const ours = await play(
    {
      do: "create",
      manifest: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    },
    settled,
    { do: "delete", kind: "PersistentVolumeClaim", name: "data" },
    settled,
  );
  const states = ours.objects.get("PersistentVolumeClaim/data") ?? [];
  expect(states.map(({ event }) => event)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  expect(states.slice(0, 2).map(({ body }) => body["status"])).toEqual([{ phase: "Pending" }, { phase: "Pending" }]);
  expect(ours.events).toEqual([
    {
      regarding: "PersistentVolumeClaim/data",
      type: "Normal",
      reason: "FailedBinding",
      message: "no persistent volumes available for this claim and no storage class is set",
      component: "persistentvolume-controller",
    },
  ]);
});
