import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Home, home } from "../../test/home.ts";
import { type ProviderOptions, type Stage, stage } from "../../test/stage.ts";
import { VirtualMachine, VMSnapshot } from "../kinds/index.ts";
import { KnownSecrets } from "../known-secrets.ts";
import { answer, refuse, repeat } from "../simulated/faults.ts";
import type { SimulatedHost } from "../simulated/host.ts";
import { vmSnapshots } from "./controller.ts";

let s: Stage;
let h: Home;
let host: SimulatedHost;

beforeAll(async () => {
  s = await stage({
    controllers: ({ links }) => [vmSnapshots({ links, tls: new KnownSecrets(), workers: 5 })],
  });
});
afterAll(() => s.end());

async function begin(provider: ProviderOptions = {}) {
  h = await home(s);
  host = await h.provider("box", provider);
  await h.machine(host, "web");
}

const take = (name: string, more: object = {}) => h.apply(VMSnapshot, name, { vmRef: { name: "web" }, ...more });
const read = async (name: string) => (await h.get(VMSnapshot, name))?.status;
const phase = async (name: string) => (await read(name))?.phase;
const until = (name: string, wanted: string, limit = 120_000) =>
  s.until(async () => (await phase(name)) === wanted, limit);
const says = (name: string, type?: string) => h.says(VMSnapshot, name, type);
const slow = { spec: { type: "vsphere" as const }, durations: { snapshotCreate: 40_000 } };

describe("a snapshot that is taken", () => {
  it("says how far it is, and that it is ready", async () => {
    await begin(slow);
    await take("a", { snapshotConfig: { description: "before" } });
    expect(await says("a", "Creating")).toBe("True Creating Snapshot creation in progress (0% complete)");
    expect((await read("a"))?.creationTime).toBe(h.at(3_000));
    await s.pass(30_000);
    expect(await says("a", "Creating")).toBe("True Creating Snapshot creation in progress (75% complete)");
    expect(await read("a")).toMatchObject({
      phase: "Creating",
      message: "Snapshot creation in progress (75% complete)",
      progress: { percentage: 75, startTime: h.at(3_000), eta: "10s" },
    });
    await s.pass(10_000);
    expect(await says("a")).toBe("True Created Snapshot created successfully");
    expect(await says("a", "Creating")).toBe("False Created Snapshot created successfully");
    expect(await read("a")).toMatchObject({
      phase: "Ready",
      snapshotID: "snap-2",
      size: "1Mi",
      virtualSize: "20Gi",
      completionTime: h.at(43_000),
      observedGeneration: 1,
      providerStatus: { box: { available: true, id: "snap-2", path: "a", state: "Ready" } },
    });
    expect((await read("a"))?.taskRef).toBeUndefined();
    const [asked] = host.asked("snapshotCreate");
    expect(asked?.request).toMatchObject({ vmId: "vm-1", nameHint: "a", description: "before", quiesce: true });
    expect((await h.get(VMSnapshot, "a"))?.metadata.annotations).toEqual({ "virtrigaud.io/provider-id": "snap-2" });
    expect((await h.get(VirtualMachine, "web"))?.metadata.annotations).toEqual({
      "virtrigaud.io/current-snapshot": "a",
    });
    expect(await h.events(VMSnapshot)).toEqual(["Normal SnapshotReady Snapshot created successfully"]);
    expect(h.complaints()).toEqual([]);
  });

  it("says how many bytes are through, where its provider tells", async () => {
    await begin({ durations: { snapshotCreate: 60_000 } });
    host.script("taskStatus", repeat(answer({ done: false, bytesDone: 250n, bytesTotal: 1000n, stage: "copying" })));
    await take("a");
    await s.pass(20_000);
    expect((await read("a"))?.progress).toMatchObject({ percentage: 25, completedBytes: 250, totalBytes: 1000 });
    expect(await says("a", "Creating")).toBe("True Creating Snapshot creation in progress (25% complete)");
  });

  it("is ready with the answer where the provider has no tasks, and holds up nobody meanwhile", async () => {
    await begin({ like: "libvirt", durations: { snapshotCreate: 60_000 } });
    await take("a", { snapshotConfig: { includeMemory: true } });
    expect(await says("a", "Creating")).toBe("True Creating Snapshot creation initiated");
    await h.apply(VMSnapshot, "b", { vmRef: { name: "nobody" } });
    expect(await says("b")).toBe("False VMNotFound Referenced VM not found: nobody");
    await s.pass(60_000);
    expect(await says("a")).toBe("True MemoryIncluded Snapshot created successfully");
    expect((await read("a"))?.message).toBe("crash consistent: provider cannot quiesce");
    expect(host.asked("snapshotCreate").length).toBe(1);
  });

  it("waits for its machine, and for its turn", async () => {
    await begin();
    await h.apply(VMSnapshot, "a", { vmRef: { name: "db" } });
    expect([await phase("a"), await says("a")]).toEqual(["Pending", "False VMNotFound Referenced VM not found: db"]);
    await h.apply(VirtualMachine, "db", { providerRef: { name: "box" }, classRef: { name: "small" } });
    expect(await says("a", "Creating")).toBe("False WaitingForVM Waiting for VM to be provisioned");
    expect(await says("a")).toBe("False WaitingForVM Waiting for VM to be provisioned");
    await take("b");
    await take("c");
    expect(await says("c")).toBe("False WaitingForVM Waiting for snapshot b");
    await until("c", "Ready");
    const created = host.asked("snapshotCreate").map(({ request }) => request.nameHint);
    expect(created).toEqual(["b", "c"]);
    expect((await read("c"))?.parent?.name).toBe("b");
    expect((await read("b"))?.children?.map(({ name }) => name)).toEqual(["c"]);
  });

  it("is ready for as long as somebody sees it: it is looked for each hour", async () => {
    await begin();
    await take("a");
    await until("a", "Ready");
    host.isUp = false;
    await s.pass(30 * 60_000);
    expect(await says("a")).toMatch(/^True Created/);
    await s.pass(40 * 60_000);
    expect(await says("a")).toBe(
      `Unknown ProviderUnreachable Provider ${h.namespace}/box cannot be reached: its conditions say why`,
    );
    expect(await phase("a")).toBe("Ready");
    host.isUp = true;
    await s.pass(10 * 60_000);
    expect(await says("a")).toMatch(/^True Created/);
  });

  it("that somebody holds waits, and holds up no other", async () => {
    await begin();
    const held = (value: string | null) => ({ metadata: { annotations: { "virtrigaud.io/paused": value } } });
    await h.apply(VMSnapshot, "a", { vmRef: { name: "web" } }, held("true").metadata);
    await take("b");
    await until("b", "Ready");
    expect(await read("a")).toMatchObject({ message: "Paused" });
    expect(host.asked("snapshotCreate").length).toBe(1);
    await h.patch(VMSnapshot, "a", held(null));
    await until("a", "Ready");
    expect((await read("a"))?.message).toBe("Snapshot created successfully");
  });

  it("has a name of its own on the hypervisor, the same at every attempt", async () => {
    await begin();
    await take("a", { snapshotConfig: { name: "nightly" } });
    await until("a", "Ready");
    host.script("snapshotCreate", refuse("INTERNAL", "no"));
    await take("b", { snapshotConfig: { name: "nightly" } });
    await h.remove(VMSnapshot, "a");
    await until("b", "Ready");
    const [, first, second] = host.asked("snapshotCreate").map(({ request }) => request.nameHint);
    expect(first).toMatch(/^nightly-[0-9a-f]{5}$/);
    expect(second).toBe(first);
  });

  it("waits while the provider is away, and while the machine goes back to another one", async () => {
    await begin({ status: { runtime: { phase: "Starting" } } });
    await take("a");
    expect(await says("a")).toBe(
      `Unknown ProviderUnreachable Provider ${h.namespace}/box cannot be reached: its conditions say why`,
    );
    expect(await says("a", "Creating")).toMatch(/^Unknown ProviderUnreachable/);
    expect(host.calls).toEqual([]);
    const reverting = { type: "Reconfiguring", status: "True", reason: "RevertingSnapshot", message: "" };
    const at = { lastTransitionTime: "2026-01-01T00:00:00Z" };
    await h.status(VirtualMachine, "web", { conditions: [{ ...reverting, ...at }] });
    await s.pass(1_000);
    expect(await says("a")).toBe("False WaitingForVM Waiting for VM to be provisioned");
  });
});

describe("what the provider cannot do", () => {
  it.each([
    ["snapshots", { supportsSnapshots: false }, {}, "provider does not support snapshots"],
    [
      "memory",
      { supportsMemorySnapshots: false },
      { includeMemory: true },
      "provider does not support memory snapshots",
    ],
    ["encryption", {}, { encryption: { enabled: true } }, "provider cannot encrypt snapshots"],
  ])("%s", async (_what, reportedCapabilities, snapshotConfig, why) => {
    await begin({ status: { reportedCapabilities } });
    await take("a", { snapshotConfig });
    expect([await phase("a"), await says("a")]).toEqual(["Failed", `False Unsupported ${why}`]);
    expect(await says("a", "Creating")).toBe(`False Unsupported ${why}`);
    expect(host.asked("snapshotCreate")).toEqual([]);
  });

  it("quiescing, where that is needed; asking for less is tried again", async () => {
    await begin({ like: "libvirt" });
    await take("a", { snapshotConfig: { consistencyLevel: "ApplicationConsistent" } });
    expect(await says("a")).toBe("False Unsupported provider cannot quiesce, which ApplicationConsistent needs");
    await take("a", { snapshotConfig: { consistencyLevel: "CrashConsistent" } });
    await until("a", "Ready");
    expect((await read("a"))?.message).toBe("Snapshot created successfully");
  });

  it("a guest that does not come to rest, where that is needed", async () => {
    await begin({ profile: { work: "inline" }, durations: { snapshotCreate: 0 } });
    host.script("snapshotCreate", { is: "answer", reply: { snapshotId: "s1", quiesced: false } });
    await take("a", { snapshotConfig: { consistencyLevel: "ApplicationConsistent" } });
    expect(await says("a")).toBe("False QuiesceFailed the guest could not be brought to rest");
    await take("a", { snapshotConfig: { consistencyLevel: "FilesystemConsistent" } });
    await until("a", "Ready");
    expect(host.asked("snapshotDelete").map(({ request }) => request.snapshotId)).toEqual(["s1"]);
  });
});
