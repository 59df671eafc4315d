import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Home, home } from "../../test/home.ts";
import { type ProviderOptions, type Stage, stage } from "../../test/stage.ts";
import { VirtualMachine, VMClone, VMSnapshot } from "../kinds/index.ts";
import { KnownSecrets } from "../known-secrets.ts";
import { fail, lose, refuse, repeat } from "../simulated/faults.ts";
import type { SimulatedHost } from "../simulated/host.ts";
import { vmSnapshots } from "./controller.ts";

let s: Stage;
let h: Home;
let host: SimulatedHost;
let refused: ((line: string) => number | undefined) | undefined;
beforeAll(async () => {
  s = await stage({
    controllers: ({ links }) => [vmSnapshots({ links, tls: new KnownSecrets(), workers: 5 })],
    refuse: ({ method, path }) => refused?.(`${method} ${path}`),
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
const onHost = () => host.machine("web")?.snapshots.map(({ name }) => name) ?? [];
const slow = { spec: { type: "vsphere" as const }, durations: { snapshotCreate: 40_000 } };

describe("what goes wrong", () => {
  it("a task that fails ends it, until the spec changes", async () => {
    await begin();
    host.script("snapshotCreate", fail("disk is busy"));
    await take("a");
    await until("a", "Failed");
    expect(await says("a")).toBe("False ProviderError disk is busy");
    expect(await says("a", "Creating")).toBe("False ProviderError disk is busy");
    expect(await h.events(VMSnapshot)).toEqual(["Warning SnapshotFailed disk is busy"]);
    await s.pass(600_000);
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
    await s.pass(900_000);
    expect(await phase("a")).toBe("Creating");
    host.isUp = true;
    await until("a", "Ready", 400_000);
    expect(onHost()).toEqual(["a"]);
  });

  it("a name that is taken: somebody else's is left alone", async () => {
    await begin({ like: "proxmox", durations: { snapshotCreate: 0 } });
    await take("a");
    await until("a", "Ready");
    await h.status(VMSnapshot, "a", {
      snapshotID: "other",
      providerStatus: { box: { available: true, path: "other" } },
    });
    await h.patch(VMSnapshot, "a", { spec: { snapshotConfig: { name: "other" } } });
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
    for (const [like, type] of [
      ["complete", "qemu"],
      ["libvirt", "libvirt"],
    ] as const) {
      await begin({ like, spec: { type }, durations: { snapshotCreate: 4_000 } });
      for (const i of [0, 1, 3, 5]) {
        await take(`s${i}`);
        await s.pass(i * 1_000);
        await s.restart();
        await until(`s${i}`, "Ready", 400_000);
      }
      expect(onHost()).toEqual(["s0", "s1", "s3", "s5"]);
    }
  });

  it("conflicts at every second write: one snapshot, and nothing lost", async () => {
    await begin(slow);
    let count = 0;
    refused = (line) =>
      line.startsWith("PATCH") && line.includes("vmsnapshots") && ++count % 2 === 0 ? 409 : undefined;
    await take("a");
    await until("a", "Ready", 300_000);
    refused = undefined;
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
    await h.remove(VMSnapshot, "a");
    await s.pass(2_000);
    expect(await says("a", "Deleting")).toBe("True Deleting Snapshot deletion initiated");
    expect(await read("a")).toMatchObject({ phase: "Deleting", taskRef: "task-3" });
    await s.until(async () => (await read("a")) === undefined, 60_000);
    expect(onHost()).toEqual([]);
    expect(host.asked("snapshotDelete").length).toBe(1);
    expect((await h.get(VirtualMachine, "web"))?.metadata.annotations ?? {}).toEqual({});
    const events = await h.events(VMSnapshot);
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
    await h.remove(VMSnapshot, "a");
    await h.remove(VMSnapshot, "b");
    await s.pass(600_000);
    expect(await says("a", "Deleting")).toMatch(/^True ProviderError Failed to delete snapshot/);
    await h.patch(VMSnapshot, "b", { metadata: { annotations: { "virtrigaud.io/force-delete": "true" } } });
    await s.pass(1_000);
    expect(await read("b")).toBeUndefined();
    expect((await h.events(VMSnapshot)).some((it) => /^Warning ForceDeleted .*snap-3/.test(it))).toBe(true);
    host.isUp = true;
    await s.until(async () => (await read("a")) === undefined, 400_000);
    expect(onHost()).toEqual(["b"]);
  });

  it("in the middle of being taken leaves nothing behind", async () => {
    for (const like of ["complete", "libvirt"] as const) {
      await begin({ like, spec: { type: "vsphere" }, durations: { snapshotCreate: 20_000 } });
      await take("a");
      await h.remove(VMSnapshot, "a");
      await s.until(async () => (await read("a")) === undefined, 120_000);
      await s.pass(60_000);
      expect(onHost()).toEqual([]);
      expect(host.asked("snapshotCreate").length).toBe(1);
    }
  });

  it("waits for a clone that uses it, and needs no machine", async () => {
    await begin();
    await take("a");
    await until("a", "Ready");
    await h.apply(VMClone, "copy", { source: { snapshotRef: { name: "a" } }, target: { name: "web2" } });
    await h.remove(VMSnapshot, "a");
    expect(await says("a", "Deleting")).toBe("True InUse VMClone copy uses it");
    await h.status(VMClone, "copy", { phase: "Ready" });
    await s.until(async () => (await read("a")) === undefined, 60_000);
    await take("b");
    await until("b", "Ready");
    await h.remove(VirtualMachine, "web");
    host.forgetCalls();
    await h.remove(VMSnapshot, "b");
    expect(await read("b")).toBeUndefined();
    expect(host.calls).toEqual([]);
  });
});
