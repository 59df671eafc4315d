// A provider that does not answer: nothing is known of its machines, so their statuses say that and keep what was seen last.
import { formatTime, instant } from "@telltale/kinds";
import { afterEach, expect, test } from "vitest";
import { PowerOp } from "../src/contract/contract.ts";
import { Provider, VirtualMachine, VMClass, VMImage, VMSnapshot } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { fail, hang, lose, refuse, repeat } from "../src/simulated/faults.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { namespace, type Stage, stage, type Tools } from "./stage.ts";

const second = 1_000;
const minute = 60 * second;
const endpoint = `virtrigaud-provider-${namespace}-box.${namespace}.svc:9443`;

let hooks = 0;
const machines = ({ links, random }: Tools) =>
  virtualMachines({
    workers: 20,
    senses: {
      links,
      random,
      streaks: new Streaks(),
      tls: new KnownSecrets(),
      places: new Reservations(),
      crossing: { isFree: false },
      httpGet: async () => {
        hooks += 1;
        return 200;
      },
    },
  });

let cluster: Stage;
afterEach(() => cluster.end());

async function startCluster(idle = false, options: Parameters<Stage["provider"]>[1] = {}): Promise<SimulatedHost> {
  cluster = await stage({ controllers: (tools) => [machines(tools)], idle });
  await cluster.apply(VMClass, "small", { cpu: 2, memory: "2Gi" });
  await cluster.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
  return cluster.provider("box", options);
}

const refs = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "tiny" } };
const createMachine = (more: object = {}) => cluster.apply(VirtualMachine, "web", { ...refs, ...more });

/** What the controller of Providers writes when its Deployment has no ready pod, or has one again, and when a health check fails. */
async function reportProvider(phase: "Running" | "Starting", connected: "True" | "False"): Promise<void> {
  const condition = {
    type: "Connected",
    status: connected,
    reason: connected === "True" ? "Connected" : "ConnectionFailed",
    message: connected === "True" ? "The provider answers" : "connection refused",
    lastTransitionTime: formatTime(instant(cluster.clock.now())),
  };
  await cluster.status(Provider, "box", { runtime: { phase, endpoint }, conditions: [condition] });
}

/** One that it can go back to. */
async function createSnapshot(host: SimulatedHost): Promise<void> {
  const request = { vmId: (await statusOf("web"))?.id ?? "", nameHint: "s1", includeMemory: false, description: "" };
  const { snapshotId = "" } = await host.handlers.snapshotCreate(
    { $typeName: "provider.v1.SnapshotCreateRequest", ...request, quiesce: false },
    { signal: new AbortController().signal },
  );
  await cluster.pass(10 * second);
  await cluster.apply(VMSnapshot, "s1", { vmRef: { name: "web" } });
  const creationTime = "2026-01-01T00:00:00Z";
  await cluster.status(VMSnapshot, "s1", { phase: "Ready", snapshotID: snapshotId, creationTime });
}

const statusOf = async (name: string) => (await cluster.get(VirtualMachine, name))?.status;
const says = (name = "web") => cluster.says(VirtualMachine, name);
const isReady = async (name = "web") => (await says(name)).startsWith("True");
const isUnknown = async () => (await says()).startsWith("Unknown");
const unreachable = "Unknown ProviderUnreachable Provider demo/box cannot be reached: its conditions say why";

const statusWrites = () =>
  cluster.writes().filter(({ line }) => line.startsWith("PATCH ") && /\/virtualmachines\/[^/]+\/status$/.test(line));

test.each([
  ["refuses connections", repeat(refuse("UNAVAILABLE", "connection refused"))],
  ["hangs", repeat(hang)],
])(
  "rule 76: a provider that %s: the machine is Unknown, written once, and keeps what was seen last",
  async (_how, fault) => {
    const host = await startCluster();
    await createMachine();
    await cluster.until(async () => ((await statusOf("web"))?.ips ?? []).length > 0, 5 * minute);
    const before = await statusOf("web");
    expect(before).toMatchObject({ phase: "Running", powerState: "On" });
    cluster.writes();
    host.everywhere(fault);
    await cluster.until(isUnknown, 5 * minute);
    await cluster.pass(30 * minute);
    expect(await says()).toBe(unreachable);
    expect(await statusOf("web")).toMatchObject({
      phase: "Running",
      powerState: "On",
      ips: before?.ips,
      id: before?.id,
    });
    expect(statusWrites()).toHaveLength(1);
    host.heal();
    await cluster.until(isReady, 5 * minute);
    expect(statusWrites()).toHaveLength(1);
  },
);

test("a health check that fails has machines looked at, not waited for", async () => {
  const host = await startCluster();
  await createMachine({ powerState: "Off" });
  await cluster.until(isReady, 10 * minute);
  host.isUp = false;
  await reportProvider("Running", "False");
  await cluster.until(isUnknown, 20 * second);
  host.isUp = true;
  await reportProvider("Running", "True");
  await cluster.until(isReady, 20 * second);
});

test("a look that fails for another reason is Unknown too, with what the provider said", async () => {
  const host = await startCluster();
  await createMachine();
  await cluster.until(isReady, 5 * minute);
  host.script("describe", repeat(refuse("INTERNAL", "libvirt: broken pipe")));
  await cluster.until(isUnknown, 5 * minute);
  expect(await says()).toBe("Unknown ProviderError Failed to describe VM: libvirt: broken pipe");
  expect((await statusOf("web"))?.phase).toBe("Running");
});

test("a machine that could not be made for good stays Failed while its provider is away", async () => {
  const host = await startCluster();
  host.script("create", refuse("INVALID_ARGUMENT", "no such disk"));
  await createMachine();
  const isFailed = async () => (await statusOf("web"))?.phase === "Failed";
  await cluster.until(isFailed, minute);
  const failed = await says();
  await reportProvider("Starting", "False");
  await cluster.pass(10 * minute);
  await reportProvider("Running", "True");
  await cluster.pass(10 * minute);
  expect(await says()).toBe(failed);
  expect(await isFailed()).toBe(true);
});

test.each([
  ["whose answer is lost", true, "Provisioning", /^True Creating .*has not answered$/],
  ["that was not sent", false, "Pending", /^$/],
])(
  "a create %s: the machine is Unknown, and says whether it was asked for",
  async (_how, isSent, phase, provisioning) => {
    const host = await startCluster();
    host.script("create", repeat(lose()));
    host.isUp = isSent;
    await createMachine();
    await cluster.until(isUnknown, minute);
    expect(await says()).toBe(unreachable);
    expect((await statusOf("web"))?.phase).toBe(phase);
    expect(await cluster.says(VirtualMachine, "web", "Provisioning")).toMatch(provisioning);
  },
);

test.each([
  ["its size", "TaskInProgress", { resources: { cpu: 4 } }, "reconfigure", 1],
  ["its power", "TaskInProgress", { powerState: "Off" }, "power", 2],
  ["its power, by the guest", "ShuttingDown", { powerState: "OffGraceful" }, "power", 2],
  ["its state, to a snapshot", "RevertingSnapshot", { snapshot: { revertToRef: { name: "s1" } } }, "snapshotRevert", 1],
] as const)(
  "a change of %s is Unknown while its provider is away, written once, and goes on from there",
  async (_what, reason, change, method, times) => {
    const durations = { reconfigure: 2 * minute, power: 2 * minute, snapshotRevert: 2 * minute };
    const host = await startCluster(false, { durations, guest: { shutdown: 40 * second } });
    const preStop = { httpGet: { path: "/stop", port: 80 } };
    await createMachine({ lifecycle: { preStop } });
    await cluster.until(isReady, 5 * minute);
    await createSnapshot(host);
    hooks = 0;
    const changing = () => cluster.says(VirtualMachine, "web", "Reconfiguring");
    await cluster.patch(VirtualMachine, "web", { spec: change });
    await cluster.until(async () => (await changing()).startsWith(`True ${reason}`), 10 * second);
    const begun = hooks;
    cluster.writes();
    host.isUp = false;
    await cluster.until(isUnknown, 5 * minute);
    await cluster.pass(30 * minute);
    expect(await changing()).toBe(`Unknown ${reason} ${unreachable.slice("Unknown ProviderUnreachable ".length)}`);
    expect(statusWrites()).toHaveLength(1);
    host.isUp = true;
    await cluster.until(isReady, 10 * minute);
    expect(await changing()).toBe("False ReconcileSucceeded The machine is as the spec says");
    expect(host.asked(method)).toHaveLength(times);
    expect(hooks).toBe(begun);
  },
);

test("a guest that was asked to go down before an outage is not asked again, and is switched off after its time", async () => {
  const host = await startCluster(false, { guest: { shutdown: "ignored" }, profile: { endsGuests: false } });
  await createMachine();
  await cluster.until(isReady, 5 * minute);
  await cluster.patch(VirtualMachine, "web", { spec: { powerState: "OffGraceful" } });
  host.isUp = false;
  await cluster.until(isUnknown, minute);
  host.isUp = true;
  await cluster.until(async () => (await statusOf("web"))?.phase === "Stopped" && (await isReady()), 5 * minute);
  const asked = host.asked("power").map(({ request }) => request.op);
  expect(asked.slice(1)).toEqual([PowerOp.SHUTDOWN_GRACEFUL, PowerOp.OFF]);
});

test("a machine that is being made when its provider goes is not said to be made when that is back", async () => {
  const host = await startCluster(false, { durations: { create: 60 * minute } });
  await createMachine();
  const making = () => cluster.says(VirtualMachine, "web", "Provisioning");
  await cluster.until(async () => (await making()).startsWith("True TaskInProgress"), minute);
  host.isUp = false;
  await cluster.until(isUnknown, 5 * minute);
  expect(await making()).toMatch(/^Unknown ProviderUnreachable /);
  host.isUp = true;
  await cluster.until(async () => !(await isUnknown()), 5 * minute);
  expect(await making()).toBe("True TaskInProgress Task in progress");
  expect((await statusOf("web"))?.phase).toBe("Provisioning");
});

test("a creation that failed while its provider was away is tried again", async () => {
  const host = await startCluster(false, { durations: { create: 10 * minute } });
  host.script("create", fail("disk full"));
  await createMachine();
  const making = () => cluster.says(VirtualMachine, "web", "Provisioning");
  await cluster.until(async () => (await making()).startsWith("True TaskInProgress"), minute);
  host.isUp = false;
  await cluster.until(isUnknown, 5 * minute);
  await cluster.pass(30 * minute);
  host.isUp = true;
  await cluster.until(isReady, 60 * minute);
  expect(host.asked("create")).toHaveLength(2);
  expect(host.machines).toHaveLength(1);
});

test("1,000 machines of a provider that restarts: one write each when it goes and one when it is back, spread over time", async () => {
  const count = 1_000;
  const host = await startCluster(true);
  host.furnish(Array.from({ length: count }, (_, i) => ({ name: `web-${i}`, cpu: 2, memoryMiB: 2_048, isOn: true })));
  for (const { name, id } of host.machines) {
    await cluster.client.create(VirtualMachine, {
      apiVersion: VirtualMachine.apiVersion,
      kind: VirtualMachine.kind,
      metadata: { name, namespace },
      spec: refs,
    });
    const key = { name, namespace };
    await cluster.client.status.patch(VirtualMachine, key, { merge: { status: { id, phase: "Running" } } });
  }
  cluster.start();
  const settled = async (status: string, limit: number) => {
    await cluster.pass(limit);
    const { items } = await cluster.client.list(VirtualMachine, { namespace });
    const ready = items.flatMap(({ status: { conditions = [] } = {} }) =>
      conditions.filter(({ type }) => type === "Ready"),
    );
    expect(ready.filter((one) => one.status === status)).toHaveLength(count);
  };
  await settled("True", 4 * minute);
  cluster.writes();

  for (const [isUp, status] of [
    [false, "Unknown"],
    [true, "True"],
  ] as const) {
    host.isUp = isUp;
    // The pod goes, and later a health check fails; the pod is back before a health check has seen it.
    await reportProvider(isUp ? "Running" : "Starting", isUp ? "False" : "True");
    await cluster.pass(30 * second);
    await reportProvider(isUp ? "Running" : "Starting", isUp ? "True" : "False");
    await settled(status, 4 * minute);
    const writes = statusWrites();
    expect(writes).toHaveLength(count);
    expect(new Set(writes.map(({ line }) => line)).size).toBe(count);
    const perSecond = new Map<number, number>();
    for (const { at } of writes)
      perSecond.set(Math.floor(at / second), (perSecond.get(Math.floor(at / second)) ?? 0) + 1);
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(60);
  }
}, 300_000);
