import { Namespace, Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { type MachineOptions, machine } from "../../test/machines.ts";
import { type ProviderOptions, type Stage, stage } from "../../test/stage.ts";
import { VirtualMachine, VMClass, VMClone, VMImage, VMPlacementPolicy, VMSnapshot } from "../kinds/index.ts";
import { fail, lose, refuse, repeat } from "../simulated/faults.ts";
import type { SimulatedHost } from "../simulated/host.ts";
import { TlsSecrets } from "../tls-secrets.ts";
import { vmClones } from "./controller.ts";

let s: Stage;
let host: SimulatedHost;
afterEach(() => s?.end());

const minute = 60_000;
const crossing = { isFree: false };

async function begin(
  provider: ProviderOptions = {},
  refused?: (line: string) => number | undefined,
  more: MachineOptions = {},
) {
  s = await stage({
    controllers: ({ links }) => [vmClones({ links, tls: new TlsSecrets(), crossing, workers: 3 })],
    namespaces: ["team"],
    ...(refused && { refuse: ({ method, path }) => refused(`${method} ${path.split("?")[0]}`) }),
  });
  host = await s.provider("box", provider);
  await s.apply(VMClass, "small", { cpu: 4, memory: "8Gi", firmware: "BIOS" });
  await machine(s, host, "web", more);
}

const clone = (spec: object = {}, name = "copy") =>
  s.apply(VMClone, name, { source: { vmRef: { name: "web" } }, target: { name: "web2" }, ...spec });
const read = async (name = "copy") => (await s.get(VMClone, name))?.status;
const phase = async (name = "copy") => (await read(name))?.phase;
const until = (wanted: string, limit = 120_000, name = "copy") =>
  s.until(async () => (await phase(name)) === wanted, limit);
const says = (type?: string, name = "copy") => s.says(VMClone, name, type);
const copies = () => host.machines.map(({ name }) => name).slice(1);
const slow = { spec: { type: "vsphere" as const }, durations: { clone: 40_000 } };

describe("a copy", () => {
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
    expect(await s.get(VirtualMachine, "web2")).toBeUndefined();
    await s.pass(20_000);
    expect(await says()).toBe("True Completed Clone completed successfully");
    expect(await says("Cloning")).toBe("False Completed Clone operation completed");
    expect(await read()).toMatchObject({
      phase: "Ready",
      message: "Clone completed successfully",
      targetRef: { name: "web2" },
      targetVMID: "vm-2",
      startTime: "2026-01-01T00:00:05Z",
      completionTime: "2026-01-01T00:00:45Z",
      progress: { overallPercentage: 100, completedDisks: 1 },
    });
    const vm = await s.get(VirtualMachine, "web2");
    expect(vm).toMatchObject({
      metadata: {
        labels: { app: "shop", "virtrigaud.io/adopted": "true" },
        annotations: { "virtrigaud.io/cloned-from": "demo/web", "virtrigaud.io/clone": "demo/copy" },
      },
      spec: {
        providerRef: { name: "box", namespace: "demo" },
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
    expect((await s.get(VMClone, "copy"))?.metadata.annotations ?? {}).toEqual({});
    expect(host.asked("clone").length).toBe(1);
    expect(s.complaints).toEqual([]);
    s.writes();
    await s.pass(10 * minute);
    expect(s.writes()).toEqual([]);
  });

  it("S50 linked clone guard: a linked one says that it is one; it is switched on where that is asked for", async () => {
    await begin();
    await clone({ options: { type: "LinkedClone", powerOn: true } });
    await until("Powering-On");
    expect((await s.get(VirtualMachine, "web2"))?.spec.powerState).toBe("On");
    await s.status(VirtualMachine, "web2", { phase: "Running", powerState: "On" });
    await until("Ready");
    expect(await read()).toMatchObject({ actualCloneType: "LinkedClone", targetRef: { name: "web2" } });
    expect(host.asked("clone")[0]?.request.linked).toBe(true);
  });

  it("S49 clone bind race: the object changes while the id is written, and the id is there before it is ready", async () => {
    let count = 0;
    await begin({}, (line) => (/PATCH .*virtualmachines\/web2\/status/.test(line) && ++count <= 3 ? 409 : undefined));
    await clone();
    await until("Ready");
    expect((await s.get(VirtualMachine, "web2"))?.status?.id).toBe("vm-2");
    expect(count).toBe(4);
    expect(copies()).toEqual(["web2"]);
  });

  it("of a template, which has to be off; of a snapshot, where the provider can", async () => {
    const template = { metadata: { labels: { "virtrigaud.io/template": "true" } } };
    await begin({}, undefined, template);
    await clone({ source: { templateRef: { name: "web" } } });
    expect(await says()).toBe("False Cloning template web is not off");
    await s.status(VirtualMachine, "web", { powerState: "Off" });
    await until("Ready");
    await s.apply(VMSnapshot, "s1", { vmRef: { name: "web" } });
    await clone({ source: { snapshotRef: { name: "s1" } }, target: { name: "web3" } }, "b");
    expect(await says("Ready", "b")).toBe("False Cloning snapshot s1 is not Ready");
    host.script("clone", { is: "answer", reply: { targetVmId: "vm-9" } });
    await s.status(VMSnapshot, "s1", { phase: "Ready", snapshotID: "snap-7" });
    await until("Ready", 60_000, "b");
    expect(host.asked("clone").at(-1)?.request.sourceSnapshotId).toBe("snap-7");
  });

  it("of an image is a machine of its own", async () => {
    await begin();
    await s.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
    const target = { name: "web2", providerRef: { name: "box" }, classRef: { name: "small" } };
    await clone({ source: { imageRef: { name: "tiny" } }, target });
    await s.pass(1_000);
    expect(await says("Cloning")).toBe("True Cloning VirtualMachine web2 is being made");
    const vm = await s.get(VirtualMachine, "web2");
    expect(vm?.spec.imageRef).toEqual({ name: "tiny" });
    expect(vm?.metadata.labels).toBeUndefined();
    await s.status(VirtualMachine, "web2", { id: "vm-5", phase: "Stopped" });
    await until("Ready");
    expect(await read()).toMatchObject({ targetVMID: "vm-5", actualCloneType: "FullClone" });
    expect(host.asked("clone")).toEqual([]);
  });

  it("goes where its policy says, and waits while there is no place", async () => {
    await begin();
    await clone({ target: { name: "web2", placementRef: { name: "spread" } } });
    expect(await says()).toBe("False Cloning VMPlacementPolicy demo/spread not found");
    await s.apply(VMPlacementPolicy, "spread", { hard: { hosts: ["h2"] } });
    await until("Ready");
    expect(JSON.parse(host.asked("clone")[0]?.request.placementJson ?? "")).toMatchObject({ Host: "h2" });
    const vm = await s.get(VirtualMachine, "web2");
    expect(vm?.metadata.annotations?.["virtrigaud.io/placement"]).toMatch(/"host":"h2"/);
  });
});

describe("what a clone waits for, and what it refuses", () => {
  it("its source, its provider, and a migration of the source", async () => {
    await begin({ status: { runtime: { phase: "Starting" } } });
    await clone({ source: { vmRef: { name: "nobody" } } }, "a");
    expect([await phase("a"), await says("Ready", "a")]).toEqual([
      "Pending",
      'False SourceNotFound source VM "nobody" not found',
    ]);
    await clone({}, "b");
    expect(await says("Ready", "b")).toBe("False ProviderError Provider demo/box is not running");
    await s.status(VirtualMachine, "web", { id: "" });
    await s.pass(1_000);
    expect(await says("Ready", "b")).toBe("False Cloning source VM web is not ready");
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
      "ValidationError VMClass demo/huge not found",
    ],
    [
      "a template that is none",
      { source: { templateRef: { name: "web" } } },
      'ValidationError VirtualMachine web has no label virtrigaud.io/template: "true"',
    ],
    ["a name that another machine has", { target: { name: "web" } }, "TargetExists VirtualMachine demo/web exists"],
    [
      "an image without a provider",
      { source: { imageRef: { name: "tiny" } } },
      "ValidationError spec.target: an image needs a providerRef and a classRef",
    ],
  ])("%s", async (_what, spec, why) => {
    await begin({ status: { reportedCapabilities: { supportsLinkedClones: false } } });
    await clone(spec);
    expect([await phase(), await says()]).toEqual(["Failed", `False ${why}`]);
    expect(await says("Failed")).toBe(`True ${why}`);
    expect(host.asked("clone")).toEqual([]);
  });

  it("another namespace, unless that takes it", async () => {
    await begin();
    const target = { name: "web2", namespace: "team" };
    await clone({ target });
    expect(await says()).toMatch(/^False ValidationError spec.target.namespace: team does not take clones of demo/);
    await s.client.patch(
      Namespace,
      { name: "team" },
      { merge: { metadata: { annotations: { "virtrigaud.io/accept-from": "demo" } } } },
    );
    await s.pass();
    await clone({ target }, "b");
    await until("Ready", 60_000, "b");
    const vm = await s.get(VirtualMachine, "web2", "team");
    expect(vm?.spec).toMatchObject({
      providerRef: { name: "box", namespace: "demo" },
      classRef: { name: "small", namespace: "demo" },
    });
    // And the name belongs to the machine in the other namespace now.
    await clone({ target: { name: "web2" } }, "c");
    expect(await says("Ready", "c")).toBe("False TargetExists VirtualMachine team/web2 has the name on this provider");
  });

  it("a machine that the provider has under the name, and a snapshot where it cannot", async () => {
    await begin({ like: "libvirt" });
    await clone({ target: { name: "web2" } }, "a");
    await until("Ready", 60_000, "a");
    await s.remove(VirtualMachine, "web2");
    await clone({ target: { name: "web2" } }, "b");
    await s.pass(1_000);
    expect(await says("Ready", "b")).toBe("False TargetExists the provider has a machine named web2");
    await s.apply(VMSnapshot, "s1", { vmRef: { name: "web" } });
    await s.status(VMSnapshot, "s1", { phase: "Ready", snapshotID: "s1" });
    await clone({ source: { snapshotRef: { name: "s1" } }, target: { name: "web3" } }, "c");
    expect(await says("Ready", "c")).toBe("False Unsupported provider does not clone from snapshots");
  });
});

describe("what is changed in the guest", () => {
  const secret = async (name: string, data: Record<string, string>) => {
    const encoded = Object.fromEntries(
      Object.entries(data).map(([key, it]) => [key, Buffer.from(it).toString("base64")]),
    );
    await s.client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: "demo" },
      data: encoded,
    });
    await s.pass();
  };

  it("is put together when it is sent, and kept nowhere; the guest has ten minutes to report it", async () => {
    await begin();
    const sysprep = { enabled: true, adminPassword: { secretRef: { name: "admin" } } };
    const customization = { hostname: "web2", networks: [{ name: "eth0", ipAddress: "10.0.0.9" }], sysprep };
    await clone({ customization, options: { powerOn: true } });
    expect(await says()).toBe("False Cloning Secret admin has no key password");
    await secret("admin", { password: "canary-4711" });
    await s.pass(30_000);
    await until("Customizing");
    expect(host.asked("clone")[0]?.request.customizeJson).toContain("canary-4711");
    expect((await read())?.customizationStatus).toMatchObject({ started: true, completed: false });
    await s.status(VirtualMachine, "web2", { phase: "Running", powerState: "On", ips: ["10.0.0.9"] });
    await until("Ready");
    expect((await read())?.customizationStatus?.completedSteps).toEqual(["hostname", "networks", "sysprep"]);
    expect(await says("Customizing")).toBe("False Completed The guest reports what was asked for");
    const written = s.writes().map(({ body }) => body);
    expect(written.join("") + (await s.events(VMClone)).join("") + s.complaints.join("")).not.toContain("canary");
  });

  it("a guest that reports nothing, a machine that is not switched on, and a provider that ignores it", async () => {
    await begin();
    const customization = { hostname: "web2" };
    await clone({ customization, options: { powerOn: true } });
    await until("Customizing");
    await s.pass(10 * minute);
    expect([await phase(), await says()]).toEqual([
      "Failed",
      "False CustomizationFailed the guest did not report what was asked for within 10m",
    ]);
    expect((await s.get(VirtualMachine, "web2"))?.status?.id).toBe("vm-2");
    await clone({ customization, target: { name: "web3" } }, "b");
    await until("Ready", 60_000, "b");
    expect((await read("b"))?.customizationStatus?.message).toBe("Sent with the copy: seen when it first starts");
    await s.end();
    await begin({ like: "libvirt", spec: { type: "libvirt" } });
    await clone({ customization });
    await until("Ready");
    expect(await read()).toMatchObject({
      message: "Clone completed successfully; the provider ignores hostname",
      customizationStatus: { failedSteps: ["hostname"] },
    });
  });
});

describe("what goes wrong with a copy", () => {
  it("the first failure is the last, unless there is a policy", async () => {
    await begin();
    host.script("clone", fail("disk is full"));
    await clone();
    await until("Failed");
    expect(await says("Failed")).toBe("True ProviderError disk is full");
    host.script("clone", refuse("RESOURCE_EXHAUSTED", "no space left"));
    await clone({ target: { name: "web3" } }, "b");
    await s.pass(1_000);
    expect(await says("Ready", "b")).toBe("False InsufficientResources no space left");
    await s.pass(60 * minute);
    expect(host.asked("clone").length).toBe(2);
    // Another spec is another attempt.
    await clone({ metadata: { project: "again" } });
    await until("Ready");
    expect(copies()).toEqual(["web2"]);
  });

  it("with a policy it is tried again, later and later, and counted", async () => {
    await begin();
    host.script("clone", repeat(refuse("INTERNAL", "no luck"), 2), fail("nearly"));
    const began = s.clock.now();
    await clone({ options: { timeout: "4h", retryPolicy: { maxRetries: 3, retryDelay: "5m", backoffMultiplier: 3 } } });
    await s.pass(1_000);
    expect([await phase(), await says()]).toEqual([
      "Cloning",
      "False Retrying no luck; it is tried again at 2026-01-01T00:05:05Z",
    ]);
    await until("Ready", 80 * minute);
    expect(host.asked("clone").map(({ at }) => Math.round((at - began) / minute))).toEqual([0, 5, 20, 50]);
    expect(await read()).toMatchObject({ retryCount: 3 });
    expect(copies()).toEqual(["web2"]);
    expect(await says("Failed")).toBe("False Completed Clone operation completed");
  });

  it("a policy that is used up, and a time that is over", async () => {
    await begin();
    host.script("clone", repeat(refuse("INTERNAL", "no luck")));
    await clone({ options: { retryPolicy: { maxRetries: 1, retryDelay: "1m" } } });
    await until("Failed", 10 * minute);
    expect(host.asked("clone").length).toBe(2);
    await clone({ target: { name: "web3" }, options: { timeout: "3m", retryPolicy: { retryDelay: "10m" } } }, "b");
    await until("Failed", 4 * minute, "b");
    expect(await says("Ready", "b")).toBe("False Timeout it took longer than 3m");
  });

  it("an answer that is lost: the copy is found by its name, and not made twice", async () => {
    await begin({ like: "libvirt" });
    host.script("clone", lose());
    await clone();
    await until("Ready");
    expect(host.asked("clone").length).toBe(1);
    expect(copies()).toEqual(["web2"]);
    host.script("clone", refuse("UNAVAILABLE", "connection reset"));
    await clone({ target: { name: "web3" } }, "b");
    await until("Failed", 10 * minute, "b");
    expect(await says("Ready", "b")).toBe("False ProviderError connection reset");
    expect(host.asked("clone").length).toBe(2);
  });

  it("a provider that is away while it copies, or forgets its tasks", async () => {
    await begin(slow);
    await clone();
    await s.pass(10_000);
    host.isUp = false;
    await s.pass(60_000);
    expect([await phase(), (await says()).split(" ")[1]]).toEqual(["Cloning", "ProviderError"]);
    host.isUp = true;
    await until("Ready");
    await clone({ target: { name: "web3" } }, "b");
    await s.pass(10_000);
    host.restart("goes on");
    await until("Ready", 60_000, "b");
    await s.pass(60_000);
    await clone({ target: { name: "web4" } }, "c");
    await s.pass(10_000);
    host.restart("is lost");
    await until("Ready", 8 * minute, "c");
    expect(copies()).toEqual(["web2", "web3", "web4"]);
    expect(host.asked("clone").length).toBe(4);
  });

  it("a process that dies at any second: one machine and one object in the end", async () => {
    for (const like of ["complete", "libvirt"] as const) {
      await begin({ like, durations: { clone: 3_000 } });
      for (let i = 0; i < 5; i += 1) {
        await clone({ target: { name: `n${i}` } }, `c${i}`);
        await s.pass(i * 1_000);
        await s.restart();
        await until("Ready", 8 * minute, `c${i}`);
        expect((await s.get(VirtualMachine, `n${i}`))?.status?.id).toBe((await read(`c${i}`))?.targetVMID);
      }
      expect(copies()).toEqual(["n0", "n1", "n2", "n3", "n4"]);
      if (like === "complete") await s.end();
    }
  });

  it("conflicts at every second write: one copy, and nothing lost", async () => {
    let count = 0;
    await begin(slow, (line) => (line.startsWith("PATCH") && ++count % 2 === 0 ? 409 : undefined));
    await clone();
    await until("Ready", 5 * minute);
    expect(copies()).toEqual(["web2"]);
    expect(host.asked("clone").length).toBe(1);
  });
});

describe("the end of a clone", () => {
  it("leaves the copy, and removes one that nobody has bound where that is asked for", async () => {
    await begin(slow);
    await clone();
    await until("Ready");
    await s.remove(VMClone, "copy");
    expect(await read()).toBeUndefined();
    expect(copies()).toEqual(["web2"]);
    await clone({ target: { name: "web3" } }, "b");
    await s.pass(5_000);
    await s.remove(VMClone, "b");
    expect((await read("b"))?.message).toBe("Waiting until the provider is through");
    await s.until(async () => (await read("b")) === undefined, 150_000);
    expect(copies()).toEqual(["web2", "web3"]);
    await clone({ target: { name: "web4" } }, "c");
    await s.patch(VMClone, "c", { metadata: { annotations: { "virtrigaud.io/clone-cleanup": "true" } } });
    await s.pass(5_000);
    await s.remove(VMClone, "c");
    await s.until(async () => (await read("c")) === undefined, 150_000);
    expect(copies()).toEqual(["web2", "web3"]);
    expect(host.asked("delete").length).toBe(1);
  });
});
