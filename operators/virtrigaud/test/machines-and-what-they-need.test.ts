// Machines beside the controllers of images, networks and classes: what one waits for, the other brings.
import { ConfigMap } from "@telltale/kinds/builtin";
import { afterEach, expect, it } from "vitest";
import { VirtualMachine, VMClass, VMImage, VMNetworkAttachment } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { fail } from "../src/simulated/faults.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { vmClasses } from "../src/vm-class/controller.ts";
import { vmImages } from "../src/vm-image/controller.ts";
import { vmNetworkAttachments } from "../src/vm-network-attachment/controller.ts";
import { namespace, type Stage, stage } from "./stage.ts";

let here: Stage | undefined;
afterEach(async () => {
  await here?.end();
  here = undefined;
});

async function open(): Promise<Stage> {
  const crossing = { isFree: false };
  const tls = new KnownSecrets();
  here = await stage({
    controllers: ({ links, random }) => [
      virtualMachines({
        senses: {
          links,
          tls,
          places: new Reservations(),
          crossing,
          random,
          streaks: new Streaks(),
          httpGet: async () => 200,
        },
        workers: 10,
      }),
      vmClasses({ crossing, workers: 1 }),
      vmImages({ links, tls, crossing, workers: 2, addresses: {}, lookup: async () => ["192.0.2.80"] }),
      vmNetworkAttachments({ crossing, workers: 1 }),
    ],
  });
  await here.apply(VMClass, "small", { cpu: 1, memory: "512Mi" });
  return here;
}

const able = { durations: { image: 15_000 }, status: { reportedCapabilities: { supportsImageImport: true } } };
const machine = (on: string, more: object = {}) => ({
  providerRef: { name: on },
  classRef: { name: "small" },
  imageRef: { name: "tiny" },
  ...more,
});
const isRunning = async (it: Stage, name: string) => (await it.get(VirtualMachine, name))?.status?.phase === "Running";

it("S47 image prepared once: two machines are made from it, and on a second provider it is prepared again", async () => {
  const it = await open();
  const [box, other] = [await it.provider("box", able), await it.provider("other", able)];
  await it.apply(VMImage, "tiny", { source: { http: { url: "https://images.example/tiny.qcow2" } } });
  await it.apply(VirtualMachine, "one", machine("box"));
  await it.apply(VirtualMachine, "two", machine("box"));
  await it.pass(3_000);
  expect(await it.says(VirtualMachine, "one", "Provisioning")).toMatch(/^True TaskInProgress Preparing image tiny/);
  await it.until(async () => (await isRunning(it, "one")) && (await isRunning(it, "two")), 120_000);
  expect(box.asked("imagePrepare")).toHaveLength(1);
  const paths = box.asked("create").map(({ request }) => JSON.parse(request.imageJson).Path);
  expect(paths).toEqual(["/images/tiny.qcow2", "/images/tiny.qcow2"]);
  await it.apply(VirtualMachine, "three", machine("other"));
  await it.until(() => isRunning(it, "three"), 120_000);
  expect(other.asked("imagePrepare")).toHaveLength(1);
  expect(other.asked("taskStatus").every(({ outcome }) => outcome === "OK")).toBe(true);
  expect(box.asked("imagePrepare")).toHaveLength(1);
  expect(it.complaints).toEqual([]);
});

it("a machine whose image could not be prepared is not said to be in the making", async () => {
  const it = await open();
  const box = await it.provider("box", able);
  box.script("imagePrepare", fail("disk on fire"));
  await it.apply(VMImage, "tiny", {
    source: { http: { url: "https://images.example/tiny.qcow2" } },
    prepare: { retries: 0 },
  });
  await it.apply(VirtualMachine, "one", machine("box"));
  await it.pass(3_000);
  expect(await it.says(VirtualMachine, "one", "Provisioning")).toMatch(/^True TaskInProgress/);
  await it.until(async () => (await it.says(VMImage, "tiny")).startsWith("False ProviderError"), 120_000);
  await it.pass(60_000);
  expect(await it.says(VirtualMachine, "one")).toMatch(/^False WaitingForDependencies/);
  expect(await it.says(VirtualMachine, "one", "Provisioning")).toMatch(/^False WaitingForDependencies/);
});

it("S48 onMissing Fail with a reference source: the machine is made, and nobody is held up", async () => {
  const it = await open();
  const box = await it.provider("box", able);
  const source = { libvirt: { path: "/images/base.qcow2" } };
  await it.apply(VMImage, "tiny", { source, prepare: { onMissing: "Fail" } });
  await it.apply(VirtualMachine, "one", machine("box"));
  await it.until(() => isRunning(it, "one"), 60_000);
  expect(box.asked("imagePrepare")).toEqual([]);
  expect(JSON.parse(box.asked("create")[0]?.request.imageJson ?? "")).toMatchObject({ Path: "/images/base.qcow2" });
});

it("S54 static IP twice: the second machine waits until the first is gone; and a pool's address reaches the hypervisor", async () => {
  const it = await open();
  const box = await it.provider("box", able);
  await it.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/base.qcow2" } } });
  const network = { type: "nat" };
  const ipAllocation = { type: "Static", staticConfig: { address: "192.0.2.10/24" } };
  await it.apply(VMNetworkAttachment, "fixed", { network, ipAllocation });
  const on = (name: string) => ({ networks: [{ name: "eth0", networkRef: { name } }] });
  await it.apply(VirtualMachine, "one", machine("box", on("fixed")));
  await it.until(() => isRunning(it, "one"), 60_000);
  await it.apply(VirtualMachine, "two", machine("box", on("fixed")));
  await it.pass(60_000);
  expect(await it.says(VMNetworkAttachment, "fixed", "Validated")).toMatch(/^False IPConflict/);
  expect(await it.says(VirtualMachine, "two")).toMatch(/^False WaitingForDependencies/);
  expect(box.asked("create")).toHaveLength(1);
  await it.remove(VirtualMachine, "one");
  await it.until(() => isRunning(it, "two"), 120_000);

  const metadata = { name: "pool", namespace };
  await it.client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { ranges: "10.0.0.0/24" } });
  const pooled = { type: "Pool", poolConfig: { poolRef: { name: "pool" } } };
  await it.apply(VMNetworkAttachment, "pooled", { network, ipAllocation: pooled });
  await it.apply(VirtualMachine, "three", machine("box", on("pooled")));
  await it.until(() => isRunning(it, "three"), 60_000);
  const cards = JSON.parse(box.asked("create").at(-1)?.request.networksJson ?? "[]");
  expect(cards).toMatchObject([{ StaticIP: "10.0.0.1", IPPolicy: "static" }]);
});
