// A network as its controller keeps it: where it can be, who is on it, and who has which address.
import { ConfigMap } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { Provider, VirtualMachine, VMClass, VMNetworkAttachment } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { vmClasses } from "../src/vm-class/controller.ts";
import { vmNetworkAttachments } from "../src/vm-network-attachment/controller.ts";
import { connected, namespace, type Stage, type StageOptions, stage } from "./stage.ts";

let here: Stage | undefined;
afterEach(async () => {
  await here?.end();
  here = undefined;
});

const crossing = { isFree: false };

async function open(more: Partial<StageOptions> = {}): Promise<Stage> {
  here = await stage({ controllers: () => [vmNetworkAttachments({ crossing, workers: 1 })], ...more });
  return here;
}

const nat = { network: { type: "nat" } };
const pooled = { ...nat, ipAllocation: { type: "Pool", poolConfig: { poolRef: { name: "pool" } } } };
const fixed = (address: string) => ({ ...nat, ipAllocation: { type: "Static", staticConfig: { address } } });
const machine = (card: object = {}, more: object = {}) => ({
  providerRef: { name: "box" },
  classRef: { name: "small" },
  networks: [{ name: "eth0", networkRef: { name: "net" }, ...card }],
  ...more,
});

async function pool(it: Stage, ranges: string): Promise<void> {
  const metadata = { name: "pool", namespace };
  await it.client.apply(
    ConfigMap,
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { ranges } },
    { force: true },
  );
  await it.pass(1_100);
}

const status = async (it: Stage) => (await it.get(VMNetworkAttachment, "net"))?.status;
const addresses = async (it: Stage) => (await status(it))?.ipAllocations?.map(({ vm, ip }) => `${vm} ${ip}`) ?? [];
const says = (it: Stage, type?: string) => it.says(VMNetworkAttachment, "net", type);

describe("what a network says", () => {
  it("ready where a provider can do it", async () => {
    const it = await open();
    await it.provider("box");
    await it.apply(VMNetworkAttachment, "net", nat);
    expect(await status(it)).toMatchObject({
      phase: "Ready",
      ready: true,
      availableOn: ["box"],
      providerStatus: { box: { available: true, state: "declared" } },
      connectedVMs: 0,
    });
    expect(await says(it)).toMatch(/^True Valid/);
    expect(await says(it, "Validated")).toMatch(/^True Valid/);
    expect(await says(it, "Configuring")).toMatch(/^False Valid/);
    expect(it.complaints).toEqual([]);
  });

  it("waits for a provider, and for one that can", async () => {
    const it = await open();
    await it.apply(VMNetworkAttachment, "net", nat);
    expect(await says(it)).toMatch(/^Unknown NoProviders/);
    expect((await status(it))?.ready).toBeUndefined();
    await it.provider("vc", { spec: { type: "vsphere" } });
    await it.pass(1_100);
    expect(await says(it)).toMatch(/^False Unsupported/);
    expect(await status(it)).toMatchObject({
      phase: "Pending",
      ready: false,
      providerStatus: { vc: { available: false, state: "unsupported" } },
    });
    await it.provider("box");
    await it.pass(1_100);
    expect(await status(it)).toMatchObject({ phase: "Ready", availableOn: ["box"] });
    await it.remove(Provider, "box");
    await it.pass(1_100);
    expect((await status(it))?.providerStatus).not.toHaveProperty("box");
  });

  it("is ready while a provider that can do it answers, and unknown otherwise", async () => {
    const it = await open();
    await it.provider("box", { status: { conditions: [] } });
    await it.apply(VMNetworkAttachment, "net", nat);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(1_100);
    expect(await says(it)).toBe("Unknown NotAsked Provider box has not been asked yet");
    const unseen = await status(it);
    expect(unseen).toMatchObject({ phase: "Pending", connectedVMs: 0 });
    expect([unseen?.ready, unseen?.availableOn, unseen?.providerStatus]).toEqual([undefined, undefined, undefined]);
    await it.status(Provider, "box", connected("True"));
    await it.status(VirtualMachine, "one", { id: "vm-1" });
    await it.pass(1_100);
    expect(await status(it)).toMatchObject({ phase: "Ready", ready: true, availableOn: ["box"], connectedVMs: 1 });
    await it.status(Provider, "box", connected("False"));
    await it.pass(1_100);
    expect(await says(it)).toBe("Unknown ProviderUnreachable Provider box cannot be reached: its conditions say why");
    const away = await status(it);
    expect([away?.ready, away?.availableOn, away?.providerStatus]).toEqual([undefined, undefined, undefined]);
  });

  it("names what providers never hear of", async () => {
    const it = await open();
    await it.provider("lv", { spec: { type: "libvirt" } });
    const libvirt = { networkName: "default", driver: { queues: 4 } };
    const spec = { network: { libvirt, mtu: 9000, vsphere: { portgroup: "x" } }, qos: { priority: 3 } };
    await it.apply(VMNetworkAttachment, "net", spec);
    expect(await status(it)).toMatchObject({
      providerStatus: {
        lv: { available: true, message: "ignored: network.libvirt.driver.queues, network.mtu, qos.priority" },
      },
    });
  });

  it("a provider of another namespace counts where a machine on the network uses it", async () => {
    const it = await open({ namespaces: ["far"] });
    await it.apply(VMNetworkAttachment, "net", nat);
    await it.apply(VirtualMachine, "one", machine({}, { providerRef: { name: "box", namespace: "far" } }));
    await it.pass(1_100);
    await it.provider("box", { namespace: "far" });
    await it.pass(1_100);
    expect(await status(it)).toMatchObject({ phase: "Ready", availableOn: ["far/box"] });
  });

  it("a broken rule is named, takes nobody's address, and S46 keeps nobody else waiting", async () => {
    const it = await open();
    await it.provider("box");
    await pool(it, "10.0.0.1-10.0.0.9");
    await it.apply(VMNetworkAttachment, "net", pooled);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(1_100);
    await it.patch(VMNetworkAttachment, "net", { spec: { network: { type: "bridged" } } });
    await it.apply(VMNetworkAttachment, "good", nat);
    await it.pass(1_100);
    expect(await status(it)).toMatchObject({ phase: "Failed", ready: false, connectedVMs: 0 });
    expect(await says(it, "Validated")).toMatch(/^False Invalid spec.network.type "bridged"/);
    expect(await addresses(it)).toEqual(["demo/one 10.0.0.1"]);
    expect(await it.says(VMNetworkAttachment, "good")).toMatch(/^True Valid/);
  });

  it("looked at again and again, nothing is written", async () => {
    const it = await open();
    await it.provider("box");
    await pool(it, "10.0.0.1-10.0.0.9");
    await it.apply(VMNetworkAttachment, "net", pooled);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(2_000);
    it.writes();
    await it.pass(3_600_000);
    expect(it.writes()).toEqual([]);
  });
});

describe("addresses", () => {
  it("of a pool: waited for, given in order, kept over a restart, and free again when a machine is gone", async () => {
    const it = await open();
    await it.provider("box");
    await it.apply(VMNetworkAttachment, "net", pooled);
    await it.apply(VirtualMachine, "one", machine({ macAddress: "52:54:00:00:00:01" }));
    await it.pass(1_100);
    expect(await says(it)).toBe("False PoolNotFound ConfigMap pool not found");
    expect(await says(it, "Configuring")).toMatch(/^True PoolNotFound/);
    expect(await status(it)).toMatchObject({ phase: "Configuring", ready: false });
    await pool(it, "10.0.0.1-10.0.0.2");
    expect(await status(it)).toMatchObject({
      phase: "Ready",
      ipAllocations: [{ vm: "demo/one", ip: "10.0.0.1", mac: "52:54:00:00:00:01" }],
    });
    await it.apply(VirtualMachine, "two", machine());
    await it.apply(VirtualMachine, "three", machine());
    await it.pass(1_100);
    expect(await says(it)).toBe("False PoolExhausted no address is left for demo/two");
    const before = await status(it);
    await it.restart();
    await it.pass(2_000);
    expect(await status(it)).toEqual(before);
    await it.remove(VirtualMachine, "one");
    await it.pass(1_100);
    expect(await addresses(it)).toEqual(["demo/three 10.0.0.2", "demo/two 10.0.0.1"]);
    await pool(it, "rubbish");
    expect(await says(it)).toMatch(/^False PoolNotFound ConfigMap pool: ranges: rubbish is neither/);
    expect(await addresses(it)).toEqual(["demo/three 10.0.0.2", "demo/two 10.0.0.1"]);
  });

  it("S54 static IP twice: the first keeps it, and the second has it when the first is gone", async () => {
    const it = await open();
    await it.provider("box");
    await it.apply(VMNetworkAttachment, "net", fixed("192.0.2.10/24"));
    await it.apply(VirtualMachine, "zoe", machine());
    await it.pass(2_000);
    await it.apply(VirtualMachine, "ann", machine());
    await it.pass(1_100);
    expect(await says(it, "Validated")).toBe("False IPConflict demo/ann asks for 192.0.2.10, which demo/zoe has");
    expect(await says(it)).toMatch(/^False IPConflict/);
    expect(await addresses(it)).toEqual(["demo/zoe 192.0.2.10"]);
    await it.remove(VirtualMachine, "zoe");
    await it.pass(1_100);
    expect(await addresses(it)).toEqual(["demo/ann 192.0.2.10"]);
    expect(await status(it)).toMatchObject({ phase: "Ready" });
  });

  it("that a machine asks for by itself win; what DHCP gave is listed", async () => {
    const it = await open();
    await it.provider("box");
    await it.apply(VMNetworkAttachment, "net", nat);
    await it.apply(VirtualMachine, "one", machine({ ipAddress: "192.0.2.7" }));
    await it.apply(VirtualMachine, "two", machine());
    await it.status(VirtualMachine, "two", { id: "vm-2", ips: ["192.0.2.50"] });
    await it.pass(1_100);
    expect(await addresses(it)).toEqual(["demo/one 192.0.2.7", "demo/two 192.0.2.50"]);
    expect((await status(it))?.ipAllocations?.map(({ allocatedAt }) => allocatedAt !== undefined)).toEqual([
      true,
      false,
    ]);
  });

  it("are not for strangers", async () => {
    const it = await open({ namespaces: ["friend", "stranger"] });
    await it.provider("box");
    await pool(it, "10.0.0.1-10.0.0.9");
    await it.apply(VMNetworkAttachment, "net", pooled, { annotations: { [annotations.allowedNamespaces]: "friend" } });
    const far = machine({ networkRef: { name: "net", namespace } });
    await it.apply(VirtualMachine, "one", far, {}, "stranger");
    await it.apply(VirtualMachine, "one", far, {}, "friend");
    await it.pass(1_100);
    expect(await addresses(it)).toEqual(["friend/one 10.0.0.1"]);
    await it.status(VirtualMachine, "one", { id: "vm-1" }, "stranger");
    await it.status(VirtualMachine, "one", { id: "vm-2" }, "friend");
    await it.pass(1_100);
    expect(await status(it)).toMatchObject({ connectedVMs: 1 });
  });
});

it("a thousand machines: a few passes for all of them, and none for their own news", async () => {
  const { apiVersion, kind } = VirtualMachine;
  const machines = Array.from({ length: 1_000 }, (_, n) => ({
    apiVersion,
    kind,
    metadata: { name: `vm-${n}`, namespace },
    spec: machine(),
  }));
  const it = await open({
    controllers: () => [vmNetworkAttachments({ crossing, workers: 1 }), vmClasses({ crossing, workers: 1 })],
    definitions: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ...machines],
  });
  await it.provider("box");
  await pool(it, "10.0.0.0/8");
  it.writes();
  await it.apply(VMClass, "small", { cpu: 1, memory: "512Mi" });
  await it.apply(VMNetworkAttachment, "net", pooled);
  await it.pass(2_000);
  expect((await status(it))?.ipAllocations).toHaveLength(1_000);
  expect((await it.get(VMClass, "small"))?.status).toMatchObject({ usedByVMs: 1_000 });
  expect(it.writes().length).toBeLessThan(7);
  for (let n = 0; n < 10; n += 1) await it.status(VirtualMachine, `vm-${n}`, { phase: "Pending", message: `${n}` });
  await it.pass(2_000);
  expect(it.writes()).toEqual([]);
  for (let n = 0; n < 10; n += 1) await it.apply(VirtualMachine, `more-${n}`, machine());
  await it.pass(2_000);
  expect((await status(it))?.ipAllocations).toHaveLength(1_010);
  expect(it.writes().length).toBeLessThan(7);
});

describe("its end", () => {
  it("while machines are on it, it stays", async () => {
    const it = await open();
    await it.provider("box");
    await it.apply(VMNetworkAttachment, "net", nat);
    await it.apply(VirtualMachine, "one", machine());
    await it.remove(VMNetworkAttachment, "net");
    await it.pass(1_100);
    expect(await says(it)).toBe("False InUse 1 VirtualMachines are still on this network");
    expect(await status(it)).toMatchObject({ ready: false });
    await it.remove(VirtualMachine, "one");
    await it.pass(1_100);
    expect(await it.get(VMNetworkAttachment, "net")).toBeUndefined();
  });

  it("by force it goes at once, and loudly", async () => {
    const it = await open();
    await it.apply(VMNetworkAttachment, "net", nat);
    await it.apply(VirtualMachine, "one", machine());
    await it.patch(VMNetworkAttachment, "net", { metadata: { annotations: { [annotations.forceDelete]: "true" } } });
    await it.remove(VMNetworkAttachment, "net");
    await it.pass(2_000);
    expect(await it.get(VMNetworkAttachment, "net")).toBeUndefined();
    expect(await it.events(VMNetworkAttachment)).toContain(
      "Warning ForceDeleted deleted while 1 VirtualMachines are on it",
    );
  });
});

it("paused, it gives nothing out", async () => {
  const it = await open();
  await it.provider("box");
  await pool(it, "10.0.0.1-10.0.0.9");
  await it.apply(VMNetworkAttachment, "net", pooled, { annotations: { [annotations.paused]: "true" } });
  await it.apply(VirtualMachine, "one", machine());
  await it.pass(2_000);
  expect(it.complaints).toEqual([]);
  expect(await status(it)).toMatchObject({ message: "Paused" });
  expect(await addresses(it)).toEqual([]);
  await it.patch(VMNetworkAttachment, "net", { metadata: { annotations: { [annotations.paused]: null } } });
  await it.pass(2_000);
  expect(await addresses(it)).toEqual(["demo/one 10.0.0.1"]);
});
