import { Namespace } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Home, home } from "../../test/home.ts";
import type { MachineOptions } from "../../test/machines.ts";
import { type ProviderOptions, type Stage, stage } from "../../test/stage.ts";
import {
  VirtualMachine,
  VMClass,
  VMClone,
  VMImage,
  VMMigration,
  VMPlacementPolicy,
  VMSnapshot,
} from "../kinds/index.ts";
import { KnownSecrets } from "../known-secrets.ts";
import { Reservations } from "../placement/reservations.ts";
import type { SimulatedHost } from "../simulated/host.ts";
import { vmClones } from "./controller.ts";

let s: Stage;
let h: Home;
let host: SimulatedHost;
let refused: ((line: string) => number | undefined) | undefined;
beforeAll(async () => {
  s = await stage({
    controllers: ({ links }) => [
      vmClones({ links, tls: new KnownSecrets(), places: new Reservations(), crossing: { isFree: false }, workers: 3 }),
    ],
    refuse: ({ method, path }) => refused?.(`${method} ${path.split("?")[0]}`),
  });
});
afterAll(() => s.end());

async function begin(provider: ProviderOptions = {}, more: MachineOptions = {}) {
  h = await home(s);
  host = await h.provider("box", provider);
  await h.apply(VMClass, "small", { cpu: 4, memory: "8Gi", firmware: "BIOS" });
  await h.machine(host, "web", more);
}

const minute = 60_000;
const clone = (spec: object = {}, name = "copy") =>
  h.apply(VMClone, name, { source: { vmRef: { name: "web" } }, target: { name: "web2" }, ...spec });
const read = async (name = "copy") => (await h.get(VMClone, name))?.status;
const phase = async (name = "copy") => (await read(name))?.phase;
const until = (wanted: string, limit = 120_000, name = "copy") =>
  s.until(async () => (await phase(name)) === wanted, limit);
const says = (type?: string, name = "copy") => h.says(VMClone, name, type);
const copies = () => host.machines.map(({ name }) => name).slice(1);
const slow = { spec: { type: "vsphere" as const }, durations: { clone: 40_000 } };

describe("a copy", () => {
  it("goes where its options say, and its object has the disks that are asked for", async () => {
    await begin();
    const storage = {
      datastore: "fast",
      folder: "copies",
      storageClass: "gold",
      diskFormat: "thick",
      preferThinProvisioning: false,
      enableCompression: true,
    };
    const disks = [{ name: "data", sizeGiB: 5, type: "thick" }];
    await clone({ target: { name: "web2", disks }, options: { storage } });
    await until("Ready");
    const asked = JSON.parse(host.asked("clone")[0]?.request.placementJson ?? "");
    expect(asked).toMatchObject({ Datastore: "fast", Folder: "copies" });
    expect((await h.get(VirtualMachine, "web2"))?.spec.disks).toMatchObject(disks);
  });

  it("is made once, says how far it is, and has its object", async () => {
    await begin(slow);
    await clone({ target: { name: "web2", labels: { app: "shop" }, networks: [{ name: "eth0" }] } });
    await s.pass(20_000);
    expect(await says("Cloning")).toBe("True Cloning Cloning in progress (50% complete)");
    expect(await read()).toMatchObject({
      phase: "Cloning",
      targetVMID: "vm-2",
      taskRef: "task-2",
      actualCloneType: "FullClone",
      progress: { overallPercentage: 50, totalDisks: 1, completedDisks: 0, eta: "20s" },
    });
    expect(await h.get(VirtualMachine, "web2")).toBeUndefined();
    await s.pass(20_000);
    expect(await says()).toBe("True Completed Clone completed successfully");
    expect(await says("Cloning")).toBe("False Completed Clone operation completed");
    expect(await read()).toMatchObject({
      phase: "Ready",
      message: "Clone completed successfully",
      targetRef: { name: "web2" },
      targetVMID: "vm-2",
      startTime: h.at(3_000),
      completionTime: h.at(43_000),
      progress: { overallPercentage: 100, completedDisks: 1 },
    });
    const made = await h.get(VMClone, "copy");
    const vm = await h.get(VirtualMachine, "web2");
    expect(vm).toMatchObject({
      metadata: {
        labels: { app: "shop", "virtrigaud.io/adopted": "true" },
        annotations: {
          "virtrigaud.io/cloned-from": `${h.namespace}/web`,
          "virtrigaud.io/clone": `${h.namespace}/copy/${made?.metadata.uid}`,
          "virtrigaud.io/provider-id": "vm-2",
        },
      },
      spec: {
        providerRef: { name: "box", namespace: h.namespace },
        classRef: { name: "small" },
        powerState: "Off",
        networks: [{ name: "eth0" }],
      },
      status: { id: "vm-2" },
    });
    expect(vm?.metadata.ownerReferences).toBeUndefined();
    const [asked] = host.asked("clone");
    expect(asked?.request).toMatchObject({
      sourceVmId: "vm-1",
      targetName: "web2",
      linked: false,
      customizeJson: "",
      placementJson: "",
    });
    expect(JSON.parse(asked?.request.classJson ?? "")).toMatchObject({
      cpu: 4,
      memory: "8Gi",
      CPU: 4,
      MemoryMiB: 8192,
    });
    expect((await h.get(VMClone, "copy"))?.metadata.annotations ?? {}).toEqual({});
    expect(host.asked("clone").length).toBe(1);
    expect(h.complaints()).toEqual([]);
    s.writes();
    await s.pass(10 * minute);
    expect(s.writes()).toEqual([]);
  });

  it("S50 linked clone guard: a linked one says that it is one; it is switched on where that is asked for", async () => {
    await begin();
    const target = { name: "web2", annotations: { "virtrigaud.io/vm-name": "web-two" } };
    await clone({ target, options: { type: "LinkedClone", powerOn: true } });
    await until("Powering-On");
    expect(copies()).toEqual(["web-two"]);
    expect((await h.get(VirtualMachine, "web2"))?.spec.powerState).toBe("On");
    const looks: string[] = [];
    refused = (line) => void (/^GET .*virtualmachines\/web2$/.test(line) && looks.push(line));
    await h.status(VirtualMachine, "web2", { phase: "Running", powerState: "On" });
    await until("Ready");
    refused = undefined;
    // The cache may know what a server that was put back does not.
    expect(looks).toHaveLength(1);
    expect(await read()).toMatchObject({ actualCloneType: "LinkedClone", targetRef: { name: "web2" } });
    expect(host.asked("clone")[0]?.request.linked).toBe(true);
  });

  it("S49 clone bind race: the object changes while the id is written, and the id is there before it is ready", async () => {
    await begin();
    let count = 0;
    refused = (line) => (/PATCH .*virtualmachines\/web2\/status/.test(line) && ++count <= 3 ? 409 : undefined);
    await clone();
    await until("Ready");
    refused = undefined;
    expect((await h.get(VirtualMachine, "web2"))?.status?.id).toBe("vm-2");
    expect(count).toBe(4);
    expect(copies()).toEqual(["web2"]);
  });

  it("of a template, which has to be off; of a snapshot, where the provider can", async () => {
    const template = { metadata: { labels: { "virtrigaud.io/template": "true" } } };
    await begin({}, template);
    await clone({ source: { templateRef: { name: "web" } } });
    expect(await says()).toBe("False Cloning template web is not off");
    await h.status(VirtualMachine, "web", { powerState: "Off" });
    await until("Ready");
    await h.apply(VMSnapshot, "s1", { vmRef: { name: "web" } });
    await clone({ source: { snapshotRef: { name: "s1" } }, target: { name: "web3" } }, "b");
    expect(await says("Ready", "b")).toBe("False Cloning snapshot s1 is not Ready");
    host.script("clone", { is: "answer", reply: { targetVmId: "vm-9" } });
    await h.status(VMSnapshot, "s1", { phase: "Ready", snapshotID: "snap-7" });
    await until("Ready", 60_000, "b");
    expect(host.asked("clone").at(-1)?.request.sourceSnapshotId).toBe("snap-7");
  });

  it("of an image is a machine of its own", async () => {
    await begin();
    await h.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
    const target = { name: "web2", providerRef: { name: "box" }, classRef: { name: "small" } };
    await clone({ source: { imageRef: { name: "tiny" } }, target });
    await s.pass(1_000);
    expect(await says("Cloning")).toBe("True Cloning VirtualMachine web2 is being made");
    const vm = await h.get(VirtualMachine, "web2");
    expect(vm?.spec.imageRef).toEqual({ name: "tiny" });
    expect(vm?.metadata.labels).toBeUndefined();
    await h.status(VirtualMachine, "web2", { id: "vm-5", phase: "Stopped" });
    await until("Ready");
    expect(await read()).toMatchObject({ targetVMID: "vm-5", actualCloneType: "FullClone" });
    expect(host.asked("clone")).toEqual([]);
  });

  it("goes where its policy says, and waits while there is no place", async () => {
    await begin();
    await clone({ target: { name: "web2", placementRef: { name: "spread" } } });
    expect(await says()).toBe(`False Cloning VMPlacementPolicy ${h.namespace}/spread not found`);
    await h.apply(VMPlacementPolicy, "spread", { hard: { hosts: ["h2"] } });
    await until("Ready");
    expect(JSON.parse(host.asked("clone")[0]?.request.placementJson ?? "")).toMatchObject({ Host: "h2" });
    const vm = await h.get(VirtualMachine, "web2");
    expect(vm?.metadata.annotations?.["virtrigaud.io/placement"]).toMatch(/"host":"h2"/);
  });
});

describe("what a clone waits for, and what it refuses", () => {
  it("somebody who holds it", async () => {
    await begin();
    const held = (value: string | null) => ({ metadata: { annotations: { "virtrigaud.io/paused": value } } });
    const spec = { source: { vmRef: { name: "web" } }, target: { name: "web2" } };
    await h.apply(VMClone, "copy", spec, held("true").metadata);
    await s.pass(60_000);
    expect([(await read())?.message, host.calls]).toEqual(["Paused", []]);
    await h.patch(VMClone, "copy", held(null));
    await until("Ready");
  });

  it("its source, its provider, and a migration of the source", async () => {
    await begin({ status: { runtime: { phase: "Starting" } } });
    await clone({ source: { vmRef: { name: "nobody" } } }, "a");
    expect([await phase("a"), await says("Ready", "a")]).toEqual([
      "Pending",
      'False SourceNotFound source VM "nobody" not found',
    ]);
    await clone({}, "b");
    expect(await says("Ready", "b")).toBe(
      `Unknown ProviderUnreachable Provider ${h.namespace}/box cannot be reached: its conditions say why`,
    );
    const source = { vmRef: { name: "web" }, snapshotRef: { name: "s1" } };
    await h.apply(VMMigration, "move", { source, target: { name: "there", providerRef: { name: "far" } } });
    const { uid } = (await h.get(VMMigration, "move"))?.metadata ?? {};
    const lock = { "virtrigaud.io/migration-lock": `${h.namespace}/move/${uid}` };
    await h.patch(VirtualMachine, "web", { metadata: { annotations: lock } });
    await s.pass(1_000);
    expect(await says("Ready", "b")).toBe(`False Cloning VMMigration ${h.namespace}/move has source VM web`);
    await h.status(VirtualMachine, "web", { id: "" });
    await s.pass(1_000);
    expect(await says("Ready", "b")).toBe("False Cloning source VM web is not ready");
    const unknown = { type: "Ready", status: "Unknown", reason: "ProviderUnreachable", message: "box is away" };
    await h.status(VirtualMachine, "web", { conditions: [{ ...unknown, lastTransitionTime: "2026-01-01T00:00:00Z" }] });
    await s.pass(1_000);
    expect(await says("Ready", "b")).toBe("False Cloning source VM web is not known to be there: box is away");
    expect(host.calls).toEqual([]);
  });

  it.each([
    ["an instant clone", { options: { type: "InstantClone" } }, "Unsupported no provider makes instant clones"],
    ["a linked one", { options: { type: "LinkedClone" } }, "Unsupported provider does not support linked clones"],
    [
      "another provider",
      { target: { name: "web2", providerRef: { name: "far" } } },
      "Unsupported use a VMMigration to change provider",
    ],
    [
      "a class that is not there",
      { target: { name: "web2", classRef: { name: "huge" } } },
      "ValidationError VMClass HOME/huge not found",
    ],
    [
      "a template that is none",
      { source: { templateRef: { name: "web" } } },
      'ValidationError VirtualMachine web has no label virtrigaud.io/template: "true"',
    ],
    ["a name that another machine has", { target: { name: "web" } }, "TargetExists VirtualMachine HOME/web exists"],
    [
      "an image without a provider",
      { source: { imageRef: { name: "tiny" } } },
      "ValidationError spec.target: an image needs a providerRef and a classRef",
    ],
  ])("%s", async (_what, spec, why) => {
    await begin({ status: { reportedCapabilities: { supportsLinkedClones: false } } });
    await clone(spec);
    const said = why.replace("HOME", h.namespace);
    expect([await phase(), await says()]).toEqual(["Failed", `False ${said}`]);
    expect(await says("Failed")).toBe(`True ${said}`);
    expect(host.asked("clone")).toEqual([]);
  });

  it("another namespace, unless that takes it", async () => {
    await begin();
    const team = await home(s);
    const target = { name: "web2", namespace: team.namespace };
    await clone({ target });
    expect(await says()).toContain(
      `ValidationError spec.target.namespace: ${team.namespace} does not take clones of ${h.namespace}`,
    );
    await s.client.patch(
      Namespace,
      { name: team.namespace },
      { merge: { metadata: { annotations: { "virtrigaud.io/accept-from": h.namespace } } } },
    );
    await s.pass();
    await clone({ target }, "b");
    await until("Ready", 60_000, "b");
    const vm = await s.get(VirtualMachine, "web2", team.namespace);
    expect(vm?.spec).toMatchObject({
      providerRef: { name: "box", namespace: h.namespace },
      classRef: { name: "small", namespace: h.namespace },
    });
    // And the name belongs to the machine in the other namespace now.
    await clone({ target: { name: "web2" } }, "c");
    expect(await says("Ready", "c")).toBe(
      `False TargetExists VirtualMachine ${team.namespace}/web2 has the name on this provider`,
    );
  });

  it("a machine that the provider has under the name, and a snapshot where it cannot", async () => {
    await begin({ like: "libvirt" });
    await clone({ target: { name: "web2" } }, "a");
    await until("Ready", 60_000, "a");
    await h.remove(VirtualMachine, "web2");
    await clone({ target: { name: "web2" } }, "b");
    await s.pass(1_000);
    expect(await says("Ready", "b")).toBe("False TargetExists the provider has a machine named web2");
    await h.apply(VMSnapshot, "s1", { vmRef: { name: "web" } });
    await h.status(VMSnapshot, "s1", { phase: "Ready", snapshotID: "s1" });
    await clone({ source: { snapshotRef: { name: "s1" } }, target: { name: "web3" } }, "c");
    expect(await says("Ready", "c")).toBe("False Unsupported provider does not clone from snapshots");
  });
});
