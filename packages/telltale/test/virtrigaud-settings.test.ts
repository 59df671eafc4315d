// Settings of virtrigaud that are of the process, or of a program that it starts: as they arrive where they count.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport, type Transport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { Job, Lease } from "@telltale/kinds/builtin";
import { manager, silentLog } from "@telltale/runtime";
import { Provider, VMMigration } from "@telltale/virtrigaud";
import { afterEach, expect, test } from "vitest";
import { virtrigaud } from "../src/operators/virtrigaud.ts";

let end: (() => Promise<void>) | undefined;
afterEach(() => end?.());

/** The controllers of these names as the program starts them, on a server in virtual time. */
async function started(settings: Readonly<Record<string, string>>, only: (controller: string) => boolean) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "machines" } };
  const objects = [...virtrigaud.crds({ namespace: "machines", settings, webhooks: false }), namespace];
  const server: ApiServer = await startApiServer({ listen: false, clock, random, objects: objects as KubeObject[] });
  const way = () => inProcessTransport(server.client);
  const inner = way();
  /** When the server was asked. */
  const asked: number[] = [];
  const transport: Transport = {
    async send(request) {
      asked.push(clock.now());
      return inner.send(request);
    },
    close: () => inner.close(),
  };
  const client = createClient({ transport: way(), clock, random, fieldManager: "person" });
  const around = { transport, client, clock, random, log: silentLog, namespace: "machines", settings };
  const { controllers, options } = await virtrigaud.start(around);
  const replicas = virtrigaud.replicas({ namespace: "machines", settings });
  const chosen = controllers.filter(({ name }) => only(name));
  const { metrics: _none, ...more } = options;
  const it = manager({ name: "virtrigaud", controllers: chosen, transport, clock, random, replicas, ...more });
  const stop = new AbortController();
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds; i += 1) {
      for (let j = 0; j < 6; j += 1) await turn();
      await clock.settle(1_000);
      await server.settle();
    }
  };
  let isOver = false;
  const run = it.run(stop.signal).finally(() => {
    isOver = true;
  });
  end = async () => {
    stop.abort();
    while (!isOver) await pass(1);
    await run;
    await server.stop();
  };
  return { client, asked, pass };
}

test("it holds the lease that is named, in its namespace and under its own name, and asks as often as it may", async () => {
  const settings = {
    POD_NAMESPACE: "machines",
    POD_NAME: "manager-0",
    VIRTRIGAUD_LEASE_NAME: "one-of-many",
    VIRTRIGAUD_KUBE_QPS: "4",
    VIRTRIGAUD_KUBE_BURST: "2",
  };
  const { client, asked, pass } = await started(settings, () => true);
  await pass(20);
  const { items } = await client.list(Lease, {});
  expect(items.map(({ metadata, spec }) => [metadata?.namespace, metadata?.name, spec?.holderIdentity])).toEqual([
    ["machines", "one-of-many", "manager-0"],
  ]);
  expect(asked.length).toBeGreaterThan(20);
  // In any second: what it may at once, and what comes back in that time.
  const most = Math.max(...asked.map((from) => asked.filter((at) => at >= from && at < from + 1_000).length));
  expect(most).toBeLessThanOrEqual(2 + 4);
});

test("a Job that converts a disk has the image that is named, and runs its script by the words that are named", async () => {
  const settings = {
    VIRTRIGAUD_LEADER_ELECT: "false",
    VIRTRIGAUD_MIGRATION_JOB_IMAGE: "example/qemu-img:1.0",
    VIRTRIGAUD_MIGRATION_JOB_SHELL: "/bin/busybox sh",
  };
  const { client, pass } = await started(settings, (name) => name === "vmmigration");
  const home = { namespace: "machines" };
  const runtime = { image: "example/qemu-provider:dev", service: { tls: { enabled: false } } };
  for (const name of ["old", "new"]) {
    const { apiVersion, kind } = Provider;
    const credentialSecretRef = { name: "creds" };
    const spec = { type: "qemu", endpoint: "tcp://192.0.2.9:1", credentialSecretRef, runtime } as const;
    await client.create(Provider, { apiVersion, kind, metadata: { name, ...home }, spec });
    const reportedCapabilities = { supportedImportFormats: ["raw"] };
    await client.status.patch(Provider, { name, ...home }, { merge: { status: { reportedCapabilities } } });
  }
  const { apiVersion, kind } = VMMigration;
  const staged = "pvc://shared/vmmigrations/machines/a/export-1.qcow2";
  const annotations = { "virtrigaud.io/staged-objects": JSON.stringify([staged]), "virtrigaud.io/paused": "true" };
  await client.create(VMMigration, {
    apiVersion,
    kind,
    metadata: { name: "a", ...home, annotations },
    spec: {
      source: { vmRef: { name: "web" }, providerRef: { name: "old" } },
      target: { name: "web2", providerRef: { name: "new" } },
      storage: { type: "pvc", pvc: { name: "shared" } },
    },
  });
  const status = { phase: "Converting", startTime: "2026-01-01T00:00:00Z", storageInfo: { url: staged } };
  await client.status.patch(VMMigration, { name: "a", ...home }, { merge: { status } });
  await client.patch(
    VMMigration,
    { name: "a", ...home },
    { merge: { metadata: { annotations: { "virtrigaud.io/paused": null } } } },
  );
  await pass(5);
  const { items } = await client.list(Job, home);
  expect(items.map(({ spec }) => spec?.template.spec?.containers[0])).toMatchObject([
    { image: "example/qemu-img:1.0", command: ["/bin/busybox", "sh", "-c", expect.any(String), "migration"] },
  ]);
});
