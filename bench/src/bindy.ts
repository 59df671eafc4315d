// The budgets of the DNS operator: a hundred instances in one cluster, what an unchanged world costs, what one failure costs, how
// large a status becomes, zones, and memory. Times of waits are virtual: they are the operator's own, not the machine's.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance, calculateClusterStatus, DNSZone } from "@telltale/bindy";
import { instant, type KindRef } from "@telltale/kinds";
import { findBind } from "../../tools/bind/bind.ts";
import { bindyStage, namespace, type Sent, type Stage } from "./bindy-stage.ts";
import { bindyWorld, zoneSpec } from "./bindy-world.ts";
import { percentile, type Result } from "./table.ts";

const result = (name: string, value: number, unit: string, aim?: number): Result => ({
  suite: "bindy",
  name,
  value,
  unit,
  ...(aim === undefined ? {} : { aim }),
});

export async function measureBindy(): Promise<Result[]> {
  return [
    ...(await hundredInstances()),
    ...(await zonePass()),
    ...statusOfMany(),
    ...(await memory()),
    ...(await largeZone()),
  ];
}

const half = 50;
const writesTo = (sent: readonly Sent[], end: RegExp): number => sent.filter(({ line }) => end.test(line)).length;

/** Made by a global cluster, so that there is one level more to write to. */
async function make(it: Stage): Promise<number> {
  const { apiVersion, kind } = Bind9GlobalCluster;
  const spec = { namespace, primary: { replicas: half }, secondary: { replicas: half } };
  await it.client.create(Bind9GlobalCluster, { apiVersion, kind, metadata: { name: "dns" }, spec });
  return it.until(() => isReady(it), 600_000);
}

async function hundredInstances(): Promise<Result[]> {
  const free = await bindyStage("unlimited");
  const unlimited = await make(free);
  await free.end();
  const it = await bindyStage("limited");
  const cpu = process.cpuUsage();
  const took = await make(it);
  const used = process.cpuUsage(cpu);
  const { writes } = it.sent();
  const { status } = await it.client.get(Bind9Cluster, "dns", { namespace });
  await it.pass(60_000);
  it.sent();
  await touch(it);
  await it.pass(10_000);
  const unchanged = it.sent();
  const broken = await oneBroken(it);
  const probes = await probesOf(it);
  await it.end();
  return [
    result("100 instances, from spec to AllReady", unlimited / 1000, "s", 60),
    result("100 instances, from spec to AllReady, with 20 requests a second", took / 1000, "s", 60),
    result("CPU of it, with the server and the pods", (used.user + used.system) / 1e6, "s"),
    result("status writes on the cluster in it", writesTo(writes, /\/bind9clusters\/dns\/status$/), "writes", 70),
    result("requests that write in it", writes.length, "requests"),
    result("largest request", Math.max(...writes.map(({ size }) => size)) / 1024, "KiB", 64),
    result("status of 100 instances", JSON.stringify(status).length / 1024, "KiB", 32),
    result("unchanged pass over all of it: writes", unchanged.writes.length, "requests", 0),
    result("unchanged pass over all of it: reads", unchanged.reads.length, "requests", 0),
    ...broken,
    result("probes of a pod in 24 s", probes, "requests", 1),
  ];
}

async function isReady(it: Stage): Promise<boolean> {
  const found = await it.client.get(Bind9Cluster, "dns", { namespace }).catch(() => undefined);
  const ready = found?.status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.message === `All ${2 * half} instances are ready`;
}

/** Asks for a full pass over every object. */
async function touch(it: Stage): Promise<void> {
  const trigger = { "bindy.firestoned.io/reconcile-trigger": "2026-01-01T00:00:00Z" };
  const merge = { metadata: { annotations: trigger } };
  const { items } = await it.client.list(Bind9Instance, { namespace });
  for (const { metadata } of items)
    await it.client.patch(Bind9Instance, { name: metadata.name ?? "", namespace }, { merge });
  await it.client.patch(Bind9Cluster, { name: "dns", namespace }, { merge });
  await it.client.patch(Bind9GlobalCluster, { name: "dns" }, { merge });
}

/** A Bindcar stops answering: what is written until everybody says so. */
async function oneBroken(it: Stage): Promise<Result[]> {
  const [pod] = await it.pods();
  const instance = pod?.metadata?.labels?.["instance"] ?? "";
  it.sent();
  it.bindcar(pod).stop();
  await it.pass(90_000);
  const { writes } = it.sent();
  it.bindcar(pod).start();
  await it.until(() => isReady(it), 90_000);
  const of = (name: string, end: RegExp, aim: number) =>
    result(`one instance turns not ready: status writes on ${name}`, writesTo(writes, end), "writes", aim);
  return [
    of("the instance", new RegExp(`/bind9instances/${instance}/status$`), 2),
    of("the cluster", /\/bind9clusters\/dns\/status$/, 2),
    of("the global cluster", /\/bind9globalclusters\/dns\/status$/, 1),
  ];
}

async function probesOf(it: Stage): Promise<number> {
  const pods = await it.pods();
  const asked = () => pods.reduce((sum, pod) => sum + it.bindcar(pod).requests.length, 0);
  const before = asked();
  const minutes = 10;
  await it.pass(minutes * 60_000);
  return (asked() - before) / pods.length / ((minutes * 60) / 24);
}

async function zonePass(): Promise<Result[]> {
  const it = await bindyStage("limited");
  const spec = { primary: { replicas: 2 }, secondary: { replicas: 1 } };
  const of = ({ apiVersion, kind }: KindRef, name: string) => ({ apiVersion, kind, metadata: { name, namespace } });
  await it.client.create(Bind9Cluster, { ...of(Bind9Cluster, "dns"), spec } as never);
  await it.client.create(DNSZone, { ...of(DNSZone, "example-com"), spec: zoneSpec("example.com", "dns") } as never);
  await it.pass(60_000);
  const pods = await it.pods();
  const before = pods.map((pod) => it.bindcar(pod).requests.length);
  const merge = { metadata: { annotations: { "bindy.firestoned.io/reconcile-trigger": "2026-01-01T00:00:00Z" } } };
  await it.client.patch(DNSZone, { name: "example-com", namespace }, { merge });
  await it.pass(3_000);
  const asked = pods.flatMap((pod, i) => it.bindcar(pod).requests.slice(before[i]));
  await it.end();
  const primaries = 2;
  const reads = asked.filter(({ path }) => path.endsWith("/rrsets")).length;
  const writes = asked.filter(({ method }) => method !== "GET").length;
  return [
    result("unchanged pass over a zone: reads of its content by a primary", reads / primaries, "requests", 1),
    result("unchanged pass over a zone: writes", writes, "requests", 0),
  ];
}

function statusOfMany(): Result[] {
  const now = instant(Date.UTC(2026, 0, 1));
  const children = Array.from({ length: 200 }, (_, slot) => ({
    uid: `uid-${slot}`,
    name: `dns-primary-${slot}`,
    namespace,
    isLeaving: false,
    isManaged: true,
    created: now,
    generation: 1,
    freshness: "current" as const,
    ready: { status: "True" as const, reason: "AllReady" },
    pods: { ready: 1, total: 1 },
    slot,
  }));
  const wanted = children.map(({ name }) => name);
  const view = { name: "dns", isLeaving: false, wanted, children, hasActed: false, previous: undefined };
  const once = (): number => {
    const began = performance.now();
    calculateClusterStatus(view, now);
    return performance.now() - began;
  };
  for (let i = 0; i < 500; i += 1) once();
  const heap = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  const samples = Array.from({ length: 10_000 }, once);
  const grown = heap() - before - samples.length * 8;
  return [
    result("calculateClusterStatus of 200 children, median", percentile(samples, 0.5), "ms", 5),
    result("memory that 10,000 calls of it leave behind", Math.max(0, grown) / 1024 / 1024, "MiB", 1),
  ];
}

/** The operator is a process of its own; the server and the pods are here. */
async function memory(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-bench-"));
  const world = await bindyWorld();
  try {
    const config = join(folder, "kubeconfig");
    writeFileSync(config, world.kubeconfig);
    const script = new URL("./bindy-child.ts", import.meta.url);
    const { rss, heap } = JSON.parse(await play(script, [config], asDeployed)) as Figures;
    const what = `memory of the operator with ${world.instances} instances, ${world.zones} zones, ${world.records} records`;
    return [result(what, rss / 1024 / 1024, "MiB", 300), result("of that in use", heap / 1024 / 1024, "MiB")];
  } finally {
    await world.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Figures {
  readonly rss: number;
  readonly heap: number;
}

/** On a real BIND, where it is. */
async function largeZone(): Promise<Result[]> {
  if (findBind() === undefined) {
    process.stderr.write("skipped: a zone of 2,000 RRsets needs BIND; npm run bind\n");
    return [];
  }
  const script = new URL("../../operators/bindy/test/measure-zone.ts", import.meta.url);
  const { requests, took } = JSON.parse(await play(script, ["2000"])) as { requests: number; took: number };
  return [
    result("zone of 2,000 RRsets, first publication on a pod of real BIND", took / 1000, "s", 10),
    result("requests of it", requests, "requests", 5),
  ];
}

/** As in `deploy/Dockerfile`. */
const asDeployed = ["--max-semi-space-size=16"];

async function play(script: URL, args: readonly string[], flags: readonly string[] = []): Promise<string> {
  const child = spawn(process.execPath, ["--expose-gc", ...flags, fileURLToPath(script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return text(child.stdout);
}
