// Machines that exist already become objects, on a server in virtual time (3.11).
import { afterEach, expect, test } from "vitest";
import { adoption } from "../../src/adoption/controller.ts";
import { Provider, VirtualMachine, VMClass } from "../../src/kinds/index.ts";
import { KnownSecrets } from "../../src/known-secrets.ts";
import { answer, refuse } from "../../src/simulated/faults.ts";
import { namespace, type Stage, type StageOptions, stage } from "../stage.ts";

let it: Stage | undefined;
afterEach(async () => {
  await it?.end();
  it = undefined;
});

const adopting = { "virtrigaud.io/adopt-vms": "true" };
const at = "2026-01-01T00:00:00Z";
const ready = (status: "True" | "False") => ({
  conditions: [
    { type: "Ready", status, reason: "ProviderHealthy", message: "", lastTransitionTime: at, observedGeneration: 1 },
  ],
});

const adoptionStage = (options: Partial<StageOptions> = {}) =>
  stage({ controllers: (tools) => [adoption({ ...tools, tls: new KnownSecrets() })], ...options });

interface Vm {
  readonly id: string;
  readonly name: string;
  readonly powerState?: string;
  readonly cpu?: number;
  readonly memoryMib?: bigint;
  readonly disks?: { id: string; path: string; sizeGib: number; format: string }[];
}

const vm = (id: string, name: string, more: Partial<Vm> = {}) => ({
  id,
  name,
  powerState: "running",
  ips: ["127.0.0.1", "10.0.0.9"],
  cpu: 4,
  memoryMib: 8192n,
  disks: [{ id: "d", path: `/vms/${id}.vmdk`, sizeGib: 20, format: "VMDK" }],
  providerRaw: { host: "h1", api_token: "canary-9xQ" },
  ...more,
});

const said = async () => (await it?.get(Provider, "box"))?.status?.adoption;
const ids = async () => {
  const { items = [] } = (await it?.client.list(VirtualMachine, { namespace })) ?? {};
  return Object.fromEntries(items.map(({ metadata, status }) => [metadata.name, status?.id]));
};

test("a machine that nobody manages becomes an object that keeps it, with a class of its size", async () => {
  it = await adoptionStage();
  const host = await it.provider("box", { annotations: adopting, status: ready("True") });
  host.script("listVMs", answer({ vms: [vm("vm-9", "Web Server_1")] }));
  await it.until(async () => (await said())?.lastDiscoveryTime !== undefined, 30_000);
  expect(await said()).toMatchObject({
    discoveredVMs: 1,
    adoptedVMs: 1,
    failedAdoptions: 0,
    message: "Adopted 1 of 1 machines",
  });
  const machine = await it.get(VirtualMachine, "web-server-1");
  expect(machine?.metadata).toMatchObject({
    labels: { "virtrigaud.io/adopted": "true" },
    annotations: { "virtrigaud.io/deletion-policy": "Retain" },
  });
  expect(machine?.metadata.ownerReferences).toBeUndefined();
  expect(machine?.spec).toEqual({
    providerRef: { name: "box" },
    classRef: { name: "adopted-4cpu-8192mb" },
    importedDisk: { diskID: "vm-9", path: "/vms/vm-9.vmdk", format: "vmdk", source: "manual" },
    powerState: "On",
    resources: { cpu: 4, memoryMiB: 8192 },
  });
  expect(machine?.status).toMatchObject({ id: "vm-9", powerState: "On", ips: ["10.0.0.9"], provider: { host: "h1" } });
  expect(JSON.stringify(machine)).not.toContain("canary");
  const size = await it.get(VMClass, "adopted-4cpu-8192mb");
  expect(size?.spec).toMatchObject({ cpu: 4, memory: "8192Mi", firmware: "BIOS" });
  expect(size?.metadata.labels).toEqual({ "virtrigaud.io/adopted": "true" });
  expect(it.complaints).toEqual([]);
});

test("the next look is an hour later, and a change of the annotation is not heard within five minutes", async () => {
  it = await adoptionStage();
  const host = await it.provider("box", { annotations: adopting, status: ready("True") });
  await it.until(async () => (await said())?.lastDiscoveryTime !== undefined, 30_000);
  const lists = () => host.asked("listVMs").length;
  expect(lists()).toBe(1);
  const filter = { metadata: { annotations: { "virtrigaud.io/adopt-filter": '{"namePattern":"^x"}' } } };
  await it.patch(Provider, "box", filter);
  await it.pass(200_000);
  expect(lists()).toBe(1);
  await it.pass(310_000);
  expect(lists()).toBe(2);
  await it.pass(3_000_000);
  expect(lists()).toBe(2);
  await it.pass(700_000);
  expect(lists()).toBe(3);
});

test("without the annotation nothing is asked, and taking it away takes the numbers away", async () => {
  it = await adoptionStage();
  const host = await it.provider("box", { status: ready("True") });
  await it.pass(60_000);
  expect(host.asked("listVMs")).toEqual([]);
  await it.patch(Provider, "box", { metadata: { annotations: adopting } });
  await it.pass(10_000);
  expect(await said()).toMatchObject({ message: "Nothing to adopt" });
  const before = (await it.get(Provider, "box"))?.status;
  await it.patch(Provider, "box", { metadata: { annotations: { "virtrigaud.io/adopt-vms": null } } });
  await it.pass(1_000);
  const after = (await it.get(Provider, "box"))?.status;
  expect(after?.adoption).toBeUndefined();
  expect({ ...after, adoption: before?.adoption }).toEqual(before);
});

test("a provider that is not ready, a filter that is none, a provider that is lost: it says so, and goes on later", async () => {
  it = await adoptionStage();
  const host = await it.provider("box", {
    annotations: { ...adopting, "virtrigaud.io/adopt-filter": '{"namePattern":"(a+"}' },
    status: ready("False"),
  });
  await it.pass(6_000);
  expect(await said()).toEqual({ message: "Provider not ready" });
  await it.status(Provider, "box", ready("True"));
  await it.pass(31_000);
  expect(await said()).toEqual({ message: "Invalid filter: namePattern: a ( has no )" });
  host.script("listVMs", refuse("UNAVAILABLE", "connection refused"));
  await it.patch(Provider, "box", { metadata: { annotations: { "virtrigaud.io/adopt-filter": null } } });
  await it.pass(1_000);
  expect(await said()).toEqual({ message: "Failed to list VMs: connection refused" });
  await it.pass(61_000);
  expect(await said()).toMatchObject({ message: "Nothing to adopt" });
});

test("machines come in twenties, a fifth of a second apart, and the rest five minutes later (L-14)", async () => {
  it = await adoptionStage();
  const host = await it.provider("box", { annotations: adopting, status: ready("True") });
  const many = Array.from({ length: 25 }, (_, i) => vm(`vm-${String(i).padStart(2, "0")}`, `m${i}`));
  host.script("listVMs", answer({ vms: many }), answer({ vms: many }));
  it.writes();
  await it.until(async () => (await said())?.lastDiscoveryTime !== undefined, 60_000);
  const made = it.writes().filter(({ line }) => line.startsWith("POST") && line.endsWith("/virtualmachines"));
  expect(made).toHaveLength(20);
  for (const [i, { at: when }] of made.entries()) expect(when - (made[i - 1]?.at ?? 0)).toBeGreaterThanOrEqual(200);
  expect(await said()).toMatchObject({
    discoveredVMs: 25,
    adoptedVMs: 20,
    message: "Adopted 20 of 25 machines; 5 more follow",
  });
  await it.pass(310_000);
  expect(await said()).toMatchObject({ discoveredVMs: 5, adoptedVMs: 25, message: "Adopted 5 of 5 machines" });
});

test("a process that dies in the middle leaves nothing half done: the next one gives the missing ids", async () => {
  let made = 0;
  let isCut = false;
  it = await adoptionStage({
    refuse({ method, path }) {
      if (isCut) return 503;
      if (method === "POST" && path.split("?")[0]?.endsWith("/virtualmachines")) made += 1;
      // The second object still reaches the server, and nothing after it.
      isCut = made === 2;
      return undefined;
    },
  });
  const host = await it.provider("box", { annotations: adopting, status: ready("True") });
  const vms = [vm("1", "a"), vm("2", "b"), vm("3", "c")];
  host.script("listVMs", answer({ vms }), answer({ vms }));
  await it.until(() => isCut, 30_000);
  expect(await ids()).toEqual({ a: "1", b: undefined });
  isCut = false;
  made = 3;
  await it.restart();
  await it.until(async () => (await said())?.lastDiscoveryTime !== undefined, 30_000);
  expect(await ids()).toEqual({ a: "1", b: "2", c: "3" });
  expect(await said()).toMatchObject({ discoveredVMs: 2, adoptedVMs: 3, failedAdoptions: 0 });
});

test("S49 the id is given although others write the same statuses at the same time, and no count is lost", async () => {
  const conflicts = new Map([
    ["/virtualmachines/web/status", 3],
    ["/providers/box/status", 1],
  ]);
  it = await adoptionStage({
    refuse({ method, path }) {
      const [at = "", left = 0] = [...conflicts].find(([part]) => path.includes(part)) ?? [];
      if (method !== "PATCH" || left === 0) return undefined;
      conflicts.set(at, left - 1);
      return 409;
    },
  });
  const host = await it.provider("box", { annotations: adopting, status: ready("True") });
  host.script("listVMs", answer({ vms: [vm("1", "web")] }));
  await it.until(async () => (await said())?.lastDiscoveryTime !== undefined, 30_000);
  expect(await ids()).toEqual({ web: "1" });
  expect([...conflicts.values()]).toEqual([0, 0]);
  expect(await said()).toMatchObject({ discoveredVMs: 1, adoptedVMs: 1, failedAdoptions: 0 });
  expect((await said())?.message).toBe("Adopted 1 of 1 machines");
});

test("what cannot be adopted is counted and named, and adopt-deletion-policy lets machines go with their objects", async () => {
  it = await adoptionStage();
  const notes = { ...adopting, "virtrigaud.io/adopt-deletion-policy": "Delete" };
  const host = await it.provider("box", { annotations: notes, status: ready("True") });
  const vms = [vm("1", "web", { powerState: "Off", cpu: 0, memoryMib: 0n, disks: [] }), vm("2", "big", { cpu: 900 })];
  host.script("listVMs", answer({ vms }));
  await it.until(async () => (await said())?.lastDiscoveryTime !== undefined, 30_000);
  expect(await said()).toMatchObject({
    discoveredVMs: 2,
    adoptedVMs: 1,
    failedAdoptions: 1,
    message: "Adopted 1 of 2 machines; 1 failed: big: it has 900 CPUs, and an object takes 1 to 128",
  });
  const machine = await it.get(VirtualMachine, "web");
  expect(machine?.metadata.annotations?.["virtrigaud.io/deletion-policy"]).toBe("Delete");
  expect(machine?.spec).toMatchObject({ powerState: "Off", importedDisk: { diskID: "1", format: "qcow2" } });
  expect(machine?.spec.resources).toBeUndefined();
});
