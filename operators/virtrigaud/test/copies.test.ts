// Snapshots and clones beside the controller of machines: who writes where, who waits for whom.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { VirtualMachine, VMClass, VMClone, VMImage, VMSnapshot } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { vmClones } from "../src/vm-clone/controller.ts";
import { vmSnapshots } from "../src/vm-snapshot/controller.ts";
import { type Home, home } from "./home.ts";
import { type Stage, stage } from "./stage.ts";

let s: Stage;
let h: Home;
let host: SimulatedHost;

beforeAll(async () => {
  s = await stage({
    controllers: ({ links, random }) => {
      const ways = { links, tls: new KnownSecrets(), places: new Reservations() };
      const crossing = { isFree: false };
      const httpGet = async () => 200;
      return [
        virtualMachines({ senses: { ...ways, crossing, random, streaks: new Streaks(), httpGet }, workers: 10 }),
        vmSnapshots({ ...ways, workers: 5 }),
        vmClones({ ...ways, crossing, workers: 3 }),
      ];
    },
  });
});
afterAll(() => s.end());

beforeEach(async () => {
  h = await home(s);
  host = await h.provider("box");
  await h.apply(VMClass, "small", { cpu: 2, memory: "4Gi", firmware: "BIOS" });
  await h.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
  await h.apply(VirtualMachine, "web", {
    providerRef: { name: "box" },
    classRef: { name: "small" },
    imageRef: { name: "tiny" },
  });
  await machine("web", "Running");
});

const machine = (name: string, phase: string) =>
  s.until(async () => (await h.get(VirtualMachine, name))?.status?.phase === phase, 300_000);
const snapshot = (name: string, phase: string) =>
  s.until(async () => (await h.get(VMSnapshot, name))?.status?.phase === phase, 300_000);
const copy = (name: string, phase: string) =>
  s.until(async () => (await h.get(VMClone, name))?.status?.phase === phase, 300_000);
const isGone = (name: string) => async () => (await h.get(VirtualMachine, name)) === undefined;

describe("beside the machines themselves", () => {
  it("a copy is taken over by the controller of machines, and is not made again", async () => {
    await h.apply(VMClone, "copy", {
      source: { vmRef: { name: "web" } },
      target: { name: "web2" },
      options: { powerOn: true },
    });
    await copy("copy", "Ready");
    expect((await h.get(VirtualMachine, "web2"))?.status).toMatchObject({ phase: "Running" });
    expect(host.asked("create").length).toBe(1);
    expect(host.machines.map(({ name, power }) => [name, power])).toEqual([
      ["web", "On"],
      ["web2", "On"],
    ]);
    expect(await h.says(VirtualMachine, "web2")).toMatch(/^True ReconcileSucceeded/);
  });

  it("S50 linked clone guard: the source stays until the clone is gone", async () => {
    await h.apply(VMClone, "copy", {
      source: { vmRef: { name: "web" } },
      target: { name: "web2" },
      options: { type: "LinkedClone" },
    });
    await copy("copy", "Ready");
    await h.remove(VirtualMachine, "web");
    await s.pass(60_000);
    expect(await h.says(VirtualMachine, "web", "Deleting")).toMatch(/^True InUse/);
    await h.remove(VirtualMachine, "web2");
    await s.until(isGone("web"), 300_000);
    expect(host.machines).toEqual([]);
  });

  it("a machine goes with its snapshots, and back to one of them", async () => {
    for (const name of ["one", "two"]) {
      await h.apply(VMSnapshot, name, { vmRef: { name: "web" } });
      await snapshot(name, "Ready");
    }
    await h.patch(VirtualMachine, "web", { spec: { snapshot: { revertToRef: { name: "one" } } } });
    await s.until(() => host.asked("snapshotRevert").length === 1, 60_000);
    await s.pass(60_000);
    await machine("web", "Running");
    await h.apply(VMSnapshot, "three", { vmRef: { name: "web" } });
    await snapshot("three", "Ready");
    expect((await h.get(VMSnapshot, "three"))?.status?.parent?.name).toBe("one");
    expect((await h.get(VMSnapshot, "one"))?.status?.children?.map(({ name }) => name)).toEqual(["two", "three"]);
    await s.pass(5_000);
    expect((await h.get(VirtualMachine, "web"))?.status?.snapshots?.map(({ name }) => name)).toEqual([
      "one",
      "two",
      "three",
    ]);
    await h.remove(VirtualMachine, "web");
    await s.until(isGone("web"), 300_000);
    expect(host.machines).toEqual([]);
    expect((await s.client.list(VMSnapshot, { namespace: h.namespace })).items).toEqual([]);
  });
});
