// Machines that were on a provider before: an object of the same name neither takes nor removes them.
import { afterEach, expect, test } from "vitest";
import { VirtualMachine, VMClass, VMImage } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { annotations } from "../src/names.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import { answer, refuse, repeat } from "../src/simulated/faults.ts";
import type { HostOptions } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { type Stage, stage, type Tools } from "./stage.ts";

const minute = 60_000;
const machines = ({ links, random }: Tools) =>
  virtualMachines({
    workers: 5,
    senses: {
      links,
      random,
      streaks: new Streaks(),
      tls: new KnownSecrets(),
      places: new Reservations(),
      crossing: { isFree: false },
      httpGet: async () => 200,
    },
  });

let cluster: Stage;
afterEach(() => cluster.end());

async function startCluster(like: HostOptions["like"]) {
  cluster = await stage({ controllers: (tools) => [machines(tools)] });
  await cluster.apply(VMClass, "small", { cpu: 2, memory: "2Gi" });
  await cluster.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
  const host = await cluster.provider("box", { ...(like && { like }) });
  const { ask } = simulatedDial({ clock: cluster.clock, find: () => host })({
    endpoint: "",
    serverName: "",
    connectTimeout: 1_000,
  });
  const made = ask(
    "create",
    { name: "web", imageJson: JSON.stringify({ Path: "/x" }), classJson: JSON.stringify({ CPU: 1, MemoryMiB: 512 }) },
    { deadline: minute },
  );
  await cluster.pass(10_000);
  const { id } = await made;
  return { host, id, ask };
}

const refs = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "tiny" } };

const likes = ["complete", "libvirt", "vsphere", "proxmox"] as const;

test.each(likes)(
  "like %s: an object named as a machine that somebody else made does not get it, and does not take it along",
  async (like) => {
    const { host, id } = await startCluster(like);
    await cluster.apply(VirtualMachine, "web", { ...refs, powerState: "Off" });
    await cluster.pass(10 * minute);
    expect((await cluster.get(VirtualMachine, "web"))?.status?.id).toBeUndefined();
    expect(await cluster.says(VirtualMachine, "web")).toMatch(/^False NameConflict /);
    await cluster.remove(VirtualMachine, "web");
    await cluster.pass(10 * minute);
    expect(await cluster.get(VirtualMachine, "web")).toBeUndefined();
    expect(host.machines.map((it) => it.id)).toEqual([id]);
  },
);

test.each(likes)(
  "like %s: as long as somebody else's machine has its name nothing is written, and then it is made",
  async (like) => {
    const { host, id, ask } = await startCluster(like);
    await cluster.apply(VirtualMachine, "web", refs);
    await cluster.pass(5 * minute);
    expect(await cluster.says(VirtualMachine, "web")).toMatch(/^False NameConflict /);
    cluster.writes();
    await cluster.pass(60 * minute);
    expect(cluster.writes()).toEqual([]);
    const gone = ask("delete", { id }, { deadline: minute });
    await cluster.pass(10_000);
    await gone;
    await cluster.until(async () => (await cluster.says(VirtualMachine, "web")).startsWith("True "), 5 * minute);
    expect(host.machines.map(({ name }) => name)).toEqual(["web"]);
  },
);

test("a machine of its own is found again by an object that a backup has put back to when its name was taken", async () => {
  const { host, id, ask } = await startCluster("complete");
  await cluster.apply(VirtualMachine, "web", refs);
  await cluster.pass(5 * minute);
  const before = await cluster.get(VirtualMachine, "web");
  const gone = ask("delete", { id }, { deadline: minute });
  await cluster.pass(10_000);
  await gone;
  await cluster.until(async () => (await cluster.says(VirtualMachine, "web")).startsWith("True "), 5 * minute);
  const made = host.machines.map((it) => it.id);
  const at = (paused: string | null) => ({ [annotations.paused]: paused, [annotations.providerId]: null });
  await cluster.patch(VirtualMachine, "web", { metadata: { annotations: at("true") } });
  await cluster.status(VirtualMachine, "web", { ...before?.status, id: null, powerState: null });
  expect((await cluster.get(VirtualMachine, "web"))?.status?.id).toBeUndefined();
  await cluster.patch(VirtualMachine, "web", { metadata: { annotations: at(null) } });
  await cluster.pass(5 * minute);
  expect(await cluster.says(VirtualMachine, "web")).toMatch(/^True /);
  expect((await cluster.get(VirtualMachine, "web"))?.status?.id).toBe(made[0]);
  expect(host.machines.map((it) => it.id)).toEqual(made);
});

test("a machine that somebody else made is not taken for what a request made whose answer was lost", async () => {
  const { host, id } = await startCluster("complete");
  host.script("create", refuse("UNAVAILABLE", "connection reset"));
  await cluster.apply(VirtualMachine, "web", refs);
  await cluster.pass(10 * minute);
  expect(await cluster.says(VirtualMachine, "web")).toMatch(/^False NameConflict /);
  expect((await cluster.get(VirtualMachine, "web"))?.status?.id).toBeUndefined();
  await cluster.remove(VirtualMachine, "web");
  await cluster.pass(10 * minute);
  expect(await cluster.get(VirtualMachine, "web")).toBeUndefined();
  expect(host.machines.map((it) => it.id)).toEqual([id]);
});

test.each([
  ["a precondition", "complete", refuse("FAILED_PRECONDITION", "image tiny is not ready")],
  ["a precondition, without a word", "proxmox", refuse("FAILED_PRECONDITION")],
  ["an address that another machine has", "complete", refuse("ALREADY_EXISTS", "another machine has this MAC address")],
  ["a disk that is there already, without a code", "libvirt", refuse("UNKNOWN", "storage volume web already exists")],
] as const)("a creation refused for %s is no conflict of names, and is tried again", async (_why, like, fault) => {
  cluster = await stage({ controllers: (tools) => [machines(tools)] });
  await cluster.apply(VMClass, "small", { cpu: 2, memory: "2Gi" });
  await cluster.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
  const host = await cluster.provider("box", { like });
  host.script("create", repeat(fault, 2));
  await cluster.apply(VirtualMachine, "web", refs);
  await cluster.pass(10_000);
  expect(await cluster.says(VirtualMachine, "web")).toBe(`False ProviderError Failed to create VM: ${fault.message}`);
  expect((await cluster.get(VirtualMachine, "web"))?.status?.phase).toBe("Pending");
  await cluster.until(async () => (await cluster.says(VirtualMachine, "web")).startsWith("True "), 10 * minute);
  expect(host.machines.map(({ name }) => name)).toEqual(["web"]);
  expect((await cluster.events(VirtualMachine)).filter((event) => event.includes("NameConflict"))).toEqual([]);
});

test.each([
  ["complete", refuse("ALREADY_EXISTS", "the name web is taken by another machine")],
  ["libvirt", refuse("UNKNOWN", "domain 'web' already exists with uuid 1")],
] as const)("like %s: a machine that came between the look and the request has the name", async (like, fault) => {
  const { host, id } = await startCluster(like);
  host.script("listVMs", answer({ vms: [] }));
  host.script("create", fault);
  await cluster.apply(VirtualMachine, "web", refs);
  await cluster.pass(5_000);
  expect(await cluster.says(VirtualMachine, "web")).toBe(`False NameConflict Failed to create VM: ${fault.message}`);
  await cluster.pass(10 * minute);
  expect(await cluster.says(VirtualMachine, "web")).toMatch(/^False NameConflict The provider has a machine named web/);
  expect((await cluster.get(VirtualMachine, "web"))?.status?.id).toBeUndefined();
  expect(host.machines.map((it) => it.id)).toEqual([id]);
});

test("a machine that came between is not taken over where the provider cannot list after it refused", async () => {
  const { host, id } = await startCluster("libvirt");
  host.script("listVMs", answer({ vms: [] }), refuse("UNAVAILABLE", "connection reset"));
  host.script("create", refuse("UNKNOWN", "domain 'web' already exists with uuid 1"));
  await cluster.apply(VirtualMachine, "web", refs);
  await cluster.pass(5_000);
  expect(await cluster.says(VirtualMachine, "web")).toMatch(/^False ProviderError Failed to create VM: /);
  await cluster.pass(10 * minute);
  expect(await cluster.says(VirtualMachine, "web")).toMatch(/^False NameConflict /);
  expect((await cluster.get(VirtualMachine, "web"))?.status?.id).toBeUndefined();
  expect(host.machines.map((it) => it.id)).toEqual([id]);
});
