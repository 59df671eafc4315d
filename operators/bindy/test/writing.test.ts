// 16.5 and what of 16.7 needs no DNS: how often something is written, and what is kept of what others wrote.

import { afterEach, expect, test, vi } from "vitest";
import { Bind9Cluster, Bind9Instance } from "../src/kinds/index.ts";
import { namespace, type Sent, type Stage, stage } from "./stage.ts";

let it: Stage | undefined;
// Hours of virtual time take seconds, more of them on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterEach(async () => {
  await it?.end();
  it = undefined;
});

test("A-72 unchanged, nothing is written and nothing is read, pass after pass", async () => {
  it = await stage();
  await it.cluster("dns", 2, 1);
  await it.pass(60_000);
  it.writes();
  it.reads();
  it.passes();
  await it.pass(1_000_000);
  expect(it.writes()).toEqual([]);
  expect(it.reads()).toEqual([]);
  // Three instances and a cluster, every five minutes; pods whose gate is open are nobody's business any more.
  expect(Object.fromEntries(it.passes())).toEqual({ bind9instance: 9, bind9cluster: 3 });
}, 120_000);

test("7.8 what happens to the objects of an instance within a second is one pass", async () => {
  it = await stage();
  it.passes();
  await it.cluster("dns", 1, 0);
  await it.pass(20_000);
  expect(await it.says("b9", "dns-primary-0")).toBe("True AllReady All 1 pods are ready");
  // Its own, in which everything is made, one when the pod is there, and one when that has answered.
  expect(it.passes().get("bind9instance")).toBe(3);
});

test("15 an instance comes with its finalizer, in one request", async () => {
  it = await stage();
  it.writes();
  await it.cluster("dns", 1, 0);
  await it.pass(20_000);
  const lines = it.writes().map(({ line }) => line);
  expect(lines.filter((line) => line.endsWith("/bind9instances/dns-primary-0"))).toHaveLength(1);
  const { metadata } = await it.client.get(Bind9Instance, "dns-primary-0", { namespace });
  expect(metadata.finalizers).toEqual(["bindy.firestoned.io/bind9instance-finalizer"]);
});

test("A-74 an edit without effect is one write of the status", async () => {
  it = await stage();
  await it.cluster("dns", 1, 0);
  await it.pass(20_000);
  it.writes();
  const spec = { rndcSecretRefs: [] };
  await it.client.patch(Bind9Cluster, { name: "dns", namespace }, { merge: { spec } });
  await it.pass(20_000);
  const cluster = await it.client.get(Bind9Cluster, "dns", { namespace });
  expect(cluster.status?.observedGeneration).toBe(cluster.metadata.generation);
  const written = it.writes().filter(({ line }) => line.endsWith("/bind9clusters/dns/status"));
  expect(written).toHaveLength(1);
});

test("A-75 a conflict is read again, and the zones of others are not lost", async () => {
  let refusals = 1;
  it = await stage({
    refuse: ({ method, path }) => {
      const isStatus = method === "PATCH" && path.includes("/bind9instances/dns-primary-0/status");
      if (!isStatus || refusals === 0) return undefined;
      refusals -= 1;
      return 409;
    },
  });
  await it.cluster("dns", 1, 0);
  await it.pass(20_000);
  const zone = { apiVersion: "bindy.firestoned.io/v1beta1", kind: "DNSZone" as const, name: "z", namespace };
  const status = { zones: [{ ...zone, zoneName: "example.com" }], zonesCount: 1 };
  await it.client.status.patch(Bind9Instance, { name: "dns-primary-0", namespace }, { merge: { status } });
  await it.client.patch(Bind9Instance, { name: "dns-primary-0", namespace }, { merge: { spec: { replicas: 2 } } });
  await it.pass(20_000);
  const instance = await it.client.get(Bind9Instance, "dns-primary-0", { namespace });
  expect(refusals).toBe(0);
  expect(instance.status).toMatchObject({ ...status, replicas: 2 });
});

test("A-73 what others say of a cluster stays, and comes last", async () => {
  it = await stage();
  await it.cluster("dns", 1, 0);
  await it.pass(10_000);
  const known = await it.conditions("b9c", "dns");
  const custom = {
    type: "Custom",
    status: "True",
    reason: "Mine",
    message: "x",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const status = { conditions: [custom, ...known] } as object;
  await it.client.status.patch(Bind9Cluster, { name: "dns", namespace }, { merge: { status } });
  await it.scale("dns", 2, 0);
  await it.pass(10_000);
  const after = await it.conditions("b9c", "dns");
  expect(after.at(-1)).toEqual(custom);
  expect(after).toHaveLength(4);
});

test("A-51 what the server refuses to make is waited for, and told", async () => {
  it = await stage({
    refuse: ({ method, path }) => (method === "PATCH" && path.includes("/bind9instances/dns-") ? 403 : undefined),
  });
  await it.cluster("dns", 2, 0);
  await it.pass(10_000);
  expect(await it.says("b9c", "dns")).toBe(
    "False InstancesPending Waiting for 2 of 2 instances to be created: Bind9Instance dns-primary-0: 403 Refused: no",
  );
  expect((await it.events("Bind9Cluster")).some((told) => told.startsWith("Warning InstancesPending"))).toBe(true);
});

test("A-149 without the right to make Secrets it says so, and other namespaces go on", async () => {
  it = await stage({
    namespaces: ["other"],
    refuse: ({ method, path }) => (method === "POST" && path.includes("/namespaces/other/secrets") ? 403 : undefined),
  });
  const { apiVersion, kind } = Bind9Cluster;
  const spec = { primary: { replicas: 1 } };
  await it.client.create(Bind9Cluster, { apiVersion, kind, metadata: { name: "dns", namespace: "other" }, spec });
  await it.cluster("dns", 1, 0);
  await it.pass(20_000);
  expect(await it.says("b9", "other/dns-primary-0")).toBe(
    "False FailedCreate Failed to create resources: operator may not create secrets in namespace other",
  );
  expect(await it.says("b9c", "dns")).toBe("True AllReady All 1 instances are ready");
  // The cluster does not wait with the cause until its instances are not young any more.
  const cause = "Failed to create resources: operator may not create secrets in namespace other";
  expect(await it.says("b9c", "other/dns")).toBe(
    `False NotReady No instances are ready: Bind9Instance dns-primary-0: ${cause}`,
  );
  expect(await it.says("b9c", "other/dns", "Bind9Instance-0")).toBe(
    `False FailedCreate Instance dns-primary-0 is not as its spec asks (0/1 pods): ${cause}`,
  );
});

test("an instance whose Secrets cannot be read any more is unknown, and its pods are left alone", async () => {
  let isForbidden = false;
  it = await stage({ refuse: ({ path }) => (isForbidden && path.includes("/secrets") ? 403 : undefined) });
  await it.cluster("dns", 1, 0);
  await it.pass(20_000);
  expect(await it.says("b9", "dns-primary-0")).toBe("True AllReady All 1 pods are ready");
  isForbidden = true;
  await it.operator.stop();
  it.writes();
  it.operator = it.start("second");
  await it.pass(60_000);
  const unread = "Unable to determine the state of the instance: operator may not read secrets in namespace dns-system";
  expect(await it.says("b9", "dns-primary-0")).toBe(`Unknown NotReady ${unread}`);
  expect(await it.says("b9", "dns-primary-0", "Pod-0")).toMatch(/^True Ready/);
  expect(await it.says("b9c", "dns")).toBe(
    `Unknown NotReady 0/1 instances are ready, 1 unknown: Bind9Instance dns-primary-0: ${unread}`,
  );
  expect(it.writes().filter(({ line }) => !line.includes("/status") && !line.includes("/leases"))).toEqual([]);
  isForbidden = false;
  await it.pass(60_000);
  expect(await it.says("b9c", "dns")).toBe("True AllReady All 1 instances are ready");
});

test("A-147 a volume that is not allowed: the spec is refused, and what runs is left alone", async () => {
  it = await stage();
  await it.cluster("dns", 1, 0);
  await it.pass(20_000);
  it.writes();
  const spec = { volumes: [{ name: "host", hostPath: { path: "/" } }] };
  await it.client.patch(Bind9Cluster, { name: "dns", namespace }, { merge: { spec } });
  await it.pass(10_000);
  expect(await it.says("b9c", "dns")).toMatch(/^False ConfigurationInvalid Invalid configuration: spec\.volumes\[0\]/);
  expect(it.writes().filter(({ line }) => line.includes("/deployments/"))).toEqual([]);
  expect(await it.pods()).toHaveLength(1);
});

test("A-105 A-106 fifty primaries and fifty secondaries come up within a minute and restart at once, in few writes; then an hour is quiet", async () => {
  it = await stage({ ready: 1_000 });
  await it.cluster("dns", 50, 50);
  const allReady = async () => (await it?.says("b9c", "dns")) === "True AllReady All 100 instances are ready";
  expect(await it.until(allReady, 60_000)).toBeLessThanOrEqual(60_000);
  const clusterWrites = (sent: readonly Sent[]) =>
    sent.filter(({ line }) => line.endsWith("/bind9clusters/dns/status")).length;
  const sent = it.writes();
  expect(clusterWrites(sent)).toBeLessThanOrEqual(70);
  expect(Math.max(...sent.map(({ body }) => body.length))).toBeLessThanOrEqual(64 * 1024);
  const { status } = await it.client.get(Bind9Cluster, "dns", { namespace });
  expect(JSON.stringify(status).length).toBeLessThanOrEqual(32 * 1024);

  it.runtime.rules.kill({});
  await it.pass(60_000);
  expect(await allReady()).toBe(true);
  expect(clusterWrites(it.writes())).toBeLessThanOrEqual(70);
  const restarts = (await it.pods()).map(({ status }) => status?.containerStatuses?.[0]?.restartCount);
  expect(new Set(restarts)).toEqual(new Set([1]));

  it.reads();
  await it.pass(3_600_000);
  expect(it.writes()).toEqual([]);
  expect(it.reads()).toEqual([]);
}, 300_000);

test("A-19 a Deployment that cannot be looked for leaves the instance unknown, until it can", async () => {
  let isDown = true;
  it = await stage({
    refuse: ({ method, path }) =>
      isDown && method === "GET" && path.includes("/deployments/dns-primary-0") ? 500 : undefined,
  });
  await it.cluster("dns", 1, 0);
  await it.until(async () => (await it?.says("b9", "dns-primary-0"))?.startsWith("Unknown") === true, 120_000);
  expect(await it.says("b9", "dns-primary-0")).toBe("Unknown NotReady Unable to determine deployment status");
  isDown = false;
  await it.pass(60_000);
  expect(await it.says("b9", "dns-primary-0")).toBe("True AllReady All 1 pods are ready");
});

test("fields that have no effect are listed in the status with the way out, until they are gone", async () => {
  const on = await stage();
  it = on;
  const { apiVersion, kind } = Bind9Instance;
  const persistentVolumeClaim = { claimName: "dns", size: "1Gi" };
  const spec = {
    clusterRef: "",
    role: "primary" as const,
    storage: { storageType: "persistentVolumeClaim" as const, persistentVolumeClaim },
  };
  await it.client.create(Bind9Instance, { apiVersion, kind, metadata: { name: "one", namespace }, spec });
  await it.pass(5_000);
  const unsupported = async () => (await on.client.get(Bind9Instance, "one", { namespace })).status?.unsupported;
  expect((await unsupported())?.map(({ field }) => field)).toEqual(["storage.persistentVolumeClaim.size"]);
  const merge = { spec: { storage: { persistentVolumeClaim: { size: null } } } };
  await it.client.patch(Bind9Instance, { name: "one", namespace }, { merge });
  await it.pass(5_000);
  expect(await unsupported()).toBeUndefined();
});
