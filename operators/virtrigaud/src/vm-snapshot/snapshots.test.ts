import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { machine } from "../../test/machines.ts";
import { type ProviderOptions, type Stage, stage } from "../../test/stage.ts";
import { VirtualMachine, VMClone, VMSnapshot } from "../kinds/index.ts";
import { fail, lose, refuse, repeat } from "../simulated/faults.ts";
import type { SimulatedHost } from "../simulated/host.ts";
import { TlsSecrets } from "../tls-secrets.ts";
import { vmSnapshots } from "./controller.ts";

let s: Stage;
let host: SimulatedHost;
afterEach(() => s?.end());

async function begin(provider: ProviderOptions = {}, refused?: (line: string) => number | undefined) {
  s = await stage({
    controllers: ({ links }) => [vmSnapshots({ links, tls: new TlsSecrets(), workers: 5 })],
    ...(refused && { refuse: ({ method, path }) => refused(`${method} ${path}`) }),
  });
  host = await s.provider("box", provider);
  await machine(s, host, "web");
}

const take = (name: string, more: object = {}) => s.apply(VMSnapshot, name, { vmRef: { name: "web" }, ...more });
const read = async (name: string) => (await s.get(VMSnapshot, name))?.status;
const phase = async (name: string) => (await read(name))?.phase;
const until = (name: string, wanted: string, limit = 120_000) =>
  s.until(async () => (await phase(name)) === wanted, limit);
const says = (name: string, type?: string) => s.says(VMSnapshot, name, type);
const onHost = () => host.machine("web")?.snapshots.map(({ name }) => name) ?? [];
const slow = { spec: { type: "vsphere" as const }, durations: { snapshotCreate: 40_000 } };

describe("a snapshot that is taken", () => {
  it("says how far it is, and that it is ready", async () => {
    await begin(slow);
    await take("a", { snapshotConfig: { description: "before" } });
    expect(await says("a", "Creating")).toBe("True Creating Snapshot creation in progress (0% complete)");
    expect((await read("a"))?.creationTime).toBe("2026-01-01T00:00:05Z");
    await s.pass(30_000);
    expect(await says("a", "Creating")).toBe("True Creating Snapshot creation in progress (75% complete)");
    expect(await read("a")).toMatchObject({
      phase: "Creating",
      message: "Snapshot creation in progress (75% complete)",
      progress: { percentage: 75, startTime: "2026-01-01T00:00:05Z", eta: "10s" },
    });
    await s.pass(10_000);
    expect(await says("a")).toBe("True Created Snapshot created successfully");
    expect(await says("a", "Creating")).toBe("False Created Snapshot created successfully");
    expect(await read("a")).toMatchObject({
      phase: "Ready",
      snapshotID: "snap-2",
      size: "1Mi",
      virtualSize: "20Gi",
      completionTime: "2026-01-01T00:00:45Z",
      observedGeneration: 1,
      providerStatus: { box: { available: true, id: "snap-2", path: "a", state: "Ready" } },
    });
    expect((await read("a"))?.taskRef).toBeUndefined();
    const [asked] = host.asked("snapshotCreate");
    expect(asked?.request).toMatchObject({ vmId: "vm-1", nameHint: "a", description: "before", quiesce: true });
    expect((await s.get(VMSnapshot, "a"))?.metadata.annotations ?? {}).toEqual({});
    expect((await s.get(VirtualMachine, "web"))?.metadata.annotations).toEqual({
      "virtrigaud.io/current-snapshot": "a",
    });
    expect(await s.events(VMSnapshot)).toEqual(["Normal SnapshotReady Snapshot created successfully"]);
    expect(s.complaints).toEqual([]);
  });

  it("is ready with the answer where the provider has no tasks, and holds up nobody meanwhile", async () => {
    await begin({ like: "libvirt", durations: { snapshotCreate: 60_000 } });
    await take("a", { snapshotConfig: { includeMemory: true } });
    expect(await says("a", "Creating")).toBe("True Creating Snapshot creation initiated");
    await s.apply(VMSnapshot, "b", { vmRef: { name: "nobody" } });
    expect(await says("b")).toBe("False VMNotFound Referenced VM not found: nobody");
    await s.pass(60_000);
    expect(await says("a")).toBe("True MemoryIncluded Snapshot created successfully");
    expect((await read("a"))?.message).toBe("crash consistent: provider cannot quiesce");
    expect(host.asked("snapshotCreate").length).toBe(1);
  });

  it("waits for its machine, and for its turn", async () => {
    await begin();
    await s.apply(VMSnapshot, "a", { vmRef: { name: "db" } });
    expect([await phase("a"), await says("a")]).toEqual(["Pending", "False VMNotFound Referenced VM not found: db"]);
    await s.apply(VirtualMachine, "db", { providerRef: { name: "box" }, classRef: { name: "small" } });
    expect(await says("a", "Creating")).toBe("True Creating Waiting for VM to be provisioned");
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

  it("has a name of its own on the hypervisor, the same at every attempt", async () => {
    await begin();
    await take("a", { snapshotConfig: { name: "nightly" } });
    await until("a", "Ready");
    host.script("snapshotCreate", refuse("INTERNAL", "no"));
    await take("b", { snapshotConfig: { name: "nightly" } });
    await s.remove(VMSnapshot, "a");
    await until("b", "Ready");
    const [, first, second] = host.asked("snapshotCreate").map(({ request }) => request.nameHint);
    expect(first).toMatch(/^nightly-[0-9a-f]{5}$/);
    expect(second).toBe(first);
  });

  it("waits while the provider is away, and while the machine goes back to another one", async () => {
    await begin({ status: { runtime: { phase: "Starting" } } });
    await take("a");
    expect(await says("a")).toBe("False ProviderError Provider demo/box is not running");
    expect(host.calls).toEqual([]);
    const reverting = { type: "Reconfiguring", status: "True", reason: "RevertingSnapshot", message: "" };
    const at = { lastTransitionTime: "2026-01-01T00:00:00Z" };
    await s.status(VirtualMachine, "web", { conditions: [{ ...reverting, ...at }] });
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

describe("what goes wrong", () => {
  it("a task that fails ends it, until the spec changes", async () => {
    await begin();
    host.script("snapshotCreate", fail("disk is busy"));
    await take("a");
    await until("a", "Failed");
    expect(await says("a")).toBe("False ProviderError disk is busy");
    expect(await says("a", "Creating")).toBe("False ProviderError disk is busy");
    expect(await s.events(VMSnapshot)).toEqual(["Warning SnapshotFailed disk is busy"]);
    await s.pass(3_600_000);
    expect(host.asked("snapshotCreate").length).toBe(1);
    await take("a", { snapshotConfig: { description: "again" } });
    await until("a", "Ready");
    expect(onHost()).toEqual(["a"]);
  });

  it("five attempts, later and later, then no more", async () => {
    await begin();
    host.script("snapshotCreate", repeat(refuse("INTERNAL", "no luck")));
    const began = s.clock.now();
    await take("a");
    await s.pass(1_000);
    expect([await phase("a"), await says("a", "Creating")]).toEqual(["Creating", "True ProviderError no luck"]);
    await until("a", "Failed", 600_000);
    const after = host.asked("snapshotCreate").map(({ at }) => Math.round((at - began) / 10_000) * 10);
    expect(after).toEqual([0, 10, 30, 70, 150]);
    expect(await says("a")).toBe("False ProviderError no luck");
  });

  it("a refusal for good is the last", async () => {
    await begin();
    host.script("snapshotCreate", refuse("INVALID_ARGUMENT", "bad name"));
    await take("a");
    expect([await phase("a"), await says("a")]).toEqual(["Failed", "False ValidationError bad name"]);
    host.script("snapshotCreate", refuse("UNIMPLEMENTED", "not here"));
    await take("b");
    expect(await says("b")).toBe("False Unsupported not here");
  });

  it("an answer that is lost: what was taken is found, and not taken twice", async () => {
    await begin({ profile: { work: "inline" } });
    host.script("snapshotCreate", lose());
    await take("a");
    await until("a", "Ready");
    expect(host.asked("snapshotCreate").length).toBe(1);
    expect((await read("a"))?.snapshotID).toBe("a");
  });

  it("a provider that is away for long loses nobody an attempt", async () => {
    await begin();
    host.script("snapshotCreate", refuse("UNAVAILABLE", "gone"));
    await take("a");
    host.isUp = false;
    await s.pass(1_800_000);
    expect(await phase("a")).toBe("Creating");
    host.isUp = true;
    await until("a", "Ready", 400_000);
    expect(onHost()).toEqual(["a"]);
  });

  it("a name that is taken: somebody else's is left alone", async () => {
    await begin({ like: "proxmox", durations: { snapshotCreate: 0 } });
    await take("a");
    await until("a", "Ready");
    await s.status(VMSnapshot, "a", {
      snapshotID: "other",
      providerStatus: { box: { available: true, path: "other" } },
    });
    await s.patch(VMSnapshot, "a", { spec: { snapshotConfig: { name: "other" } } });
    host.script("snapshotCreate", refuse("ALREADY_EXISTS", "snapshot exists"));
    await take("b", { snapshotConfig: { name: "a" } });
    expect(await says("b")).toBe("False ProviderError the machine has another snapshot named a");
  });

  it.each(["goes on", "is lost"] as const)("a provider that forgets its tasks while the work %s", async (work) => {
    await begin(slow);
    await take("a");
    await s.pass(15_000);
    host.restart(work);
    await until("a", "Ready", 400_000);
    expect(onHost()).toEqual(["a"]);
    expect((await read("a"))?.snapshotID).not.toBe("");
  });

  it("a process that dies at any second: one snapshot in the end", async () => {
    for (const like of ["complete", "libvirt"] as const) {
      await begin({ like, durations: { snapshotCreate: 4_000 } });
      for (let i = 0; i < 6; i += 1) {
        await take(`s${i}`);
        await s.pass(i * 1_000);
        await s.restart();
        await until(`s${i}`, "Ready", 400_000);
      }
      expect(onHost()).toEqual(["s0", "s1", "s2", "s3", "s4", "s5"]);
      await s.end();
    }
    await begin();
  });

  it("conflicts at every second write: one snapshot, and nothing lost", async () => {
    let count = 0;
    await begin(slow, (line) =>
      line.startsWith("PATCH") && line.includes("vmsnapshots") && ++count % 2 === 0 ? 409 : undefined,
    );
    await take("a");
    await until("a", "Ready", 300_000);
    expect(onHost()).toEqual(["a"]);
    expect(host.asked("snapshotCreate").length).toBe(1);
  });

  it("one that is gone at the provider", async () => {
    await begin();
    await take("a");
    await until("a", "Ready");
    host.vanish("vm-1");
    await s.pass(3_700_000);
    expect([await phase("a"), await says("a")]).toEqual(["Ready", "False ProviderError snapshot no longer exists"]);
    expect(host.asked("getDiskInfo").length).toBeLessThan(5);
  });

  it("S46 bad duration: that object fails, the others go on", async () => {
    await begin();
    const name = `${VMSnapshot.plural}.${VMSnapshot.group}`;
    const crd = await s.client.get(CustomResourceDefinition, name);
    const versions: unknown = JSON.parse(
      JSON.stringify(crd.spec.versions, (key, value: unknown) => (key === "pattern" ? undefined : value)),
    );
    await s.client.patch(
      CustomResourceDefinition,
      { name },
      { json: [{ op: "replace", path: "/spec/versions", value: versions }] },
    );
    await s.pass(1_000);
    await take("bad", { retentionPolicy: { maxAge: "30d" } });
    await take("good", { retentionPolicy: { maxAge: "720h" } });
    await until("good", "Ready");
    expect(await phase("bad")).toBe("Failed");
    expect(await says("bad")).toMatch(
      /^False ValidationError spec\.retentionPolicy\.maxAge "30d" is not a length of time/,
    );
    await take("bad", { retentionPolicy: { maxAge: "720h" } });
    await until("bad", "Ready");
  });
});

describe("the end of a snapshot", () => {
  it("is awaited: the provider is asked, and says that it is gone", async () => {
    await begin({ spec: { type: "vsphere" }, durations: { snapshotDelete: 25_000 } });
    await take("a");
    await until("a", "Ready");
    await s.remove(VMSnapshot, "a");
    await s.pass(2_000);
    expect(await says("a", "Deleting")).toBe("True Deleting Snapshot deletion initiated");
    expect(await read("a")).toMatchObject({ phase: "Deleting", taskRef: "task-3" });
    await s.until(async () => (await read("a")) === undefined, 60_000);
    expect(onHost()).toEqual([]);
    expect(host.asked("snapshotDelete").length).toBe(1);
    expect((await s.get(VirtualMachine, "web"))?.metadata.annotations ?? {}).toEqual({});
    const events = await s.events(VMSnapshot);
    expect([...events].sort()).toEqual([
      "Normal SnapshotDeleted Snapshot deleted",
      "Normal SnapshotDeleting Snapshot deletion initiated",
      "Normal SnapshotReady Snapshot created successfully",
    ]);
  });

  it("waits for a provider that is away, unless somebody insists", async () => {
    await begin();
    await take("a");
    await take("b");
    await until("b", "Ready");
    host.isUp = false;
    await s.remove(VMSnapshot, "a");
    await s.remove(VMSnapshot, "b");
    await s.pass(600_000);
    expect(await says("a", "Deleting")).toMatch(/^True ProviderError Failed to delete snapshot/);
    await s.patch(VMSnapshot, "b", { metadata: { annotations: { "virtrigaud.io/force-delete": "true" } } });
    await s.pass(1_000);
    expect(await read("b")).toBeUndefined();
    expect((await s.events(VMSnapshot)).some((it) => /^Warning ForceDeleted .*snap-3/.test(it))).toBe(true);
    host.isUp = true;
    await s.until(async () => (await read("a")) === undefined, 400_000);
    expect(onHost()).toEqual(["b"]);
  });

  it("in the middle of being taken leaves nothing behind", async () => {
    for (const like of ["complete", "libvirt"] as const) {
      await begin({ like, spec: { type: "vsphere" }, durations: { snapshotCreate: 20_000 } });
      await take("a");
      await s.remove(VMSnapshot, "a");
      await s.until(async () => (await read("a")) === undefined, 120_000);
      await s.pass(60_000);
      expect(onHost()).toEqual([]);
      expect(host.asked("snapshotCreate").length).toBe(1);
      if (like === "complete") await s.end();
    }
  });

  it("waits for a clone that uses it, and needs no machine", async () => {
    await begin();
    await take("a");
    await until("a", "Ready");
    await s.apply(VMClone, "copy", { source: { snapshotRef: { name: "a" } }, target: { name: "web2" } });
    await s.remove(VMSnapshot, "a");
    expect(await says("a", "Deleting")).toBe("True InUse VMClone copy uses it");
    await s.status(VMClone, "copy", { phase: "Ready" });
    await s.until(async () => (await read("a")) === undefined, 60_000);
    await take("b");
    await until("b", "Ready");
    await s.remove(VirtualMachine, "web");
    host.forgetCalls();
    await s.remove(VMSnapshot, "b");
    expect(await read("b")).toBeUndefined();
    expect(host.calls).toEqual([]);
  });
});
