// All controllers together: once everything is as it shall be, nothing happens.
import {
  Deployment,
  HorizontalPodAutoscaler,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
} from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { controllers } from "../src/controllers.ts";
import { cluster } from "./cluster.ts";

test("once settled, nobody writes or wakes, and another manager finds nothing to do", async () => {
  const it = await cluster(controllers(), { serviceAccounts: true });
  const metadata = { name: "web", namespace: "default" };
  const labels = { app: "web" };
  const selector = { matchLabels: labels };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.test/app:1" }] } };
  await it.client.create(Deployment, { metadata, spec: { replicas: 3, selector, template } });
  await it.client.create(Service, {
    metadata,
    spec: { type: "LoadBalancer", selector: labels, ports: [{ port: 80 }] },
  });
  const resources = { requests: { storage: "1Gi" } };
  await it.client.create(PersistentVolumeClaim, { metadata, spec: { accessModes: ["ReadWriteOnce"], resources } });
  await it.client.create(PodDisruptionBudget, { metadata, spec: { minAvailable: 1, selector } });
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  await it.client.create(HorizontalPodAutoscaler, { metadata, spec: { maxReplicas: 3, scaleTargetRef } });
  await it.pass(5000);
  it.writes();
  it.passes();
  await it.pass(500_000);
  expect(it.writes()).toEqual([]);
  expect(it.passes()).toBe(0);
  await it.restart(controllers());
  await it.pass(5000);
  expect(it.writes()).toEqual([]);
  expect(it.complaints).toEqual([]);
  await it.end();
});
