// A class as its controller keeps it: whether it can work, where, and who uses it.
import { afterEach, describe, expect, it } from "vitest";
import { Provider, VirtualMachine, VMClass } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { vmClasses } from "../src/vm-class/controller.ts";
import { connected, namespace, type Stage, type StageOptions, stage } from "./stage.ts";

let here: Stage | undefined;
afterEach(async () => {
  await here?.end();
  here = undefined;
});

async function open(more: Partial<StageOptions> = {}): Promise<Stage> {
  here = await stage({ controllers: () => [vmClasses({ crossing: { isFree: false }, workers: 1 })], ...more });
  return here;
}

const small = { cpu: 1, memory: "512Mi" };
const machine = (more: object = {}) => ({ providerRef: { name: "box" }, classRef: { name: "small" }, ...more });
const status = async (it: Stage, name = "small") => (await it.get(VMClass, name))?.status;

describe("what a class says", () => {
  it("without any provider nobody knows who could do it", async () => {
    const it = await open();
    await it.apply(VMClass, "small", small);
    expect(await it.says(VMClass, "small")).toMatch(/^Unknown NoProviders/);
    expect(await it.says(VMClass, "small", "Supported")).toMatch(/^Unknown NoProviders/);
    expect(await it.says(VMClass, "small", "Validated")).toMatch(/^True Valid/);
    expect(await status(it)).toMatchObject({ usedByVMs: 0, observedGeneration: 1 });
    expect(it.complaints).toEqual([]);
  });

  it("each type of provider that the cluster has is asked, whatever its namespace", async () => {
    const it = await open({ namespaces: ["other"] });
    const nvme = { ...small, diskDefaults: { type: "nvme" }, performanceProfile: { latencySensitivity: "high" } };
    await it.apply(VMClass, "small", nvme);
    await it.provider("a", { spec: { type: "vsphere" } });
    await it.pass(2_000);
    expect(await it.says(VMClass, "small")).toBe("False Unsupported vsphere cannot do diskDefaults.type nvme");
    expect(await it.says(VMClass, "small", "Supported")).toMatch(/^False Unsupported/);
    await it.provider("b", { namespace: "other" });
    await it.pass(2_000);
    expect(await it.says(VMClass, "small")).toMatch(/^True Valid/);
    expect(await status(it)).toMatchObject({
      supportedProviders: ["qemu"],
      validationResults: {
        qemu: { valid: true, warnings: ["performanceProfile.latencySensitivity is ignored"] },
        vsphere: {
          valid: false,
          message: "vsphere cannot do diskDefaults.type nvme",
          warnings: ["performanceProfile.latencySensitivity is sent and ignored"],
        },
      },
    });
    await it.remove(Provider, "b", "other");
    await it.pass(2_000);
    expect(await it.says(VMClass, "small")).toMatch(/^False Unsupported/);
    expect((await status(it))?.supportedProviders).toBeUndefined();
  });

  it("is ready while a provider that can do it answers, and unknown otherwise", async () => {
    const it = await open();
    await it.provider("box", { status: { conditions: [] } });
    await it.apply(VMClass, "small", small);
    await it.pass(2_000);
    const all = async () => [await it.says(VMClass, "small"), await it.says(VMClass, "small", "Supported")];
    const unasked = "Unknown NotAsked Provider box has not been asked yet";
    expect(await all()).toEqual([unasked, unasked]);
    await it.status(Provider, "box", connected("True"));
    await it.pass(2_000);
    expect(await all()).toEqual(["True Valid machines of this class can be made", "True Valid supported by qemu"]);
    expect(await status(it)).toMatchObject({ supportedProviders: ["qemu"] });
    await it.provider("vc", { spec: { type: "vsphere" } });
    await it.status(Provider, "box", connected("False"));
    await it.pass(2_000);
    expect(await all()).toEqual(["True Valid machines of this class can be made", "True Valid supported by vsphere"]);
    await it.status(Provider, "vc", { runtime: { phase: "Starting" } });
    await it.pass(2_000);
    const away = "Unknown ProviderUnreachable Providers box, vc cannot be reached: their conditions say why";
    expect(await all()).toEqual([away, away]);
    expect((await status(it))?.supportedProviders).toBeUndefined();
  });

  it("a broken rule is named by its field, and a correction is seen", async () => {
    const it = await open();
    await it.provider("box", { spec: { type: "vsphere" } });
    await it.apply(VMClass, "small", { cpu: 1, memory: "512Mi", securityProfile: { secureBoot: true } });
    expect(await it.says(VMClass, "small")).toMatch(/^False Invalid spec.securityProfile.secureBoot/);
    expect(await it.says(VMClass, "small", "Validated")).toMatch(/^False Invalid/);
    await it.patch(VMClass, "small", { spec: { firmware: "UEFI" } });
    await it.pass(2_000);
    expect(await it.says(VMClass, "small")).toMatch(/^True Valid/);
    expect((await status(it))?.observedGeneration).toBe(2);
  });

  it("S46 one that cannot be read keeps nobody else waiting", async () => {
    const it = await open();
    await it.provider("box");
    await it.apply(VMClass, "bad", { cpu: 1, memory: "1e.5" }).catch(() => undefined);
    await it.apply(VMClass, "worse", { cpu: 1, memory: "100" });
    await it.apply(VMClass, "small", small);
    expect(await it.says(VMClass, "worse")).toMatch(/^False Invalid spec.memory/);
    expect(await it.says(VMClass, "small")).toMatch(/^True Valid/);
  });

  it("looked at again and again, nothing is written", async () => {
    const it = await open();
    await it.provider("box");
    await it.apply(VMClass, "small", small);
    await it.pass(2_000);
    it.writes();
    await it.pass(3_600_000);
    expect(it.writes()).toEqual([]);
  });
});

describe("who uses it", () => {
  it("machines of any namespace that may", async () => {
    const it = await open({ namespaces: ["friend", "stranger"] });
    await it.apply(VMClass, "small", small, { annotations: { [annotations.allowedNamespaces]: "friend" } });
    await it.apply(VirtualMachine, "one", machine());
    await it.apply(VirtualMachine, "two", machine({ classRef: { name: "other" } }));
    const far = machine({ classRef: { name: "small", namespace } });
    await it.apply(VirtualMachine, "three", far, {}, "friend");
    await it.apply(VirtualMachine, "four", far, {}, "stranger");
    await it.pass(2_000);
    expect(await status(it)).toMatchObject({ usedByVMs: 2 });
    await it.patch(VirtualMachine, "two", { spec: { classRef: { name: "small" } } });
    await it.pass(2_000);
    expect(await status(it)).toMatchObject({ usedByVMs: 3 });
  });
});

describe("its end", () => {
  it("S53 class in use: it stays until the last machine is gone", async () => {
    const it = await open();
    await it.apply(VMClass, "small", small);
    await it.apply(VirtualMachine, "one", machine());
    await it.apply(VirtualMachine, "two", machine());
    await it.pass(2_000);
    await it.remove(VMClass, "small");
    await it.pass(2_000);
    expect(await it.says(VMClass, "small")).toBe("False InUse 2 VirtualMachines still use this class");
    await it.remove(VirtualMachine, "one");
    await it.pass(2_000);
    expect(await it.says(VMClass, "small")).toMatch(/^False InUse 1/);
    expect(await status(it)).toMatchObject({ usedByVMs: 1 });
    await it.remove(VirtualMachine, "two");
    await it.pass(2_000);
    expect(await it.get(VMClass, "small")).toBeUndefined();
  });

  it("a stranger's machine holds nobody up", async () => {
    const it = await open({ namespaces: ["stranger"] });
    await it.apply(VMClass, "small", small);
    await it.apply(VirtualMachine, "one", machine({ classRef: { name: "small", namespace } }), {}, "stranger");
    await it.remove(VMClass, "small");
    await it.pass(2_000);
    expect(await it.get(VMClass, "small")).toBeUndefined();
  });

  it("by force it goes at once, and loudly", async () => {
    const it = await open();
    await it.apply(VMClass, "small", small);
    await it.apply(VirtualMachine, "one", machine());
    await it.remove(VMClass, "small");
    await it.pass(2_000);
    await it.patch(VMClass, "small", { metadata: { annotations: { [annotations.forceDelete]: "true" } } });
    await it.pass(2_000);
    expect(await it.get(VMClass, "small")).toBeUndefined();
    expect(await it.events(VMClass)).toContain("Warning ForceDeleted deleted while 1 VirtualMachines use it");
  });
});

it("paused, it is looked at and left alone", async () => {
  const it = await open();
  await it.provider("box");
  await it.apply(VMClass, "small", small, { annotations: { [annotations.paused]: "true" } });
  await it.apply(VirtualMachine, "one", machine());
  await it.pass(2_000);
  expect((await it.get(VMClass, "small"))?.metadata.finalizers).toBeUndefined();
  expect(await status(it)).toMatchObject({ usedByVMs: 1 });
  expect(await it.says(VMClass, "small")).toMatch(/^True Valid/);
});
