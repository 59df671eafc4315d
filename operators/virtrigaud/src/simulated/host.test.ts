// The simulated host: what it does with machines, snapshots and copies.
import { describe, expect, it } from "vitest";
import { host, image } from "../../test/host.ts";
import { PowerOp } from "../contract/contract.ts";
import { Staging } from "./staging.ts";

describe("machines", () => {
  it("are made off, run when they are switched on, and have an address a little later", async () => {
    const { clock, it, raw } = host();
    const { id, task } = await raw("create", { name: "web", imageJson: image }, { deadline: 1_000 });
    const look = () => raw("taskStatus", task === undefined ? {} : { task }, { deadline: 1_000 });
    clock.advance(1_000);
    expect(await look()).toMatchObject({ done: false, percent: 50, stage: "Importing" });
    clock.advance(1_000);
    expect(await look()).toMatchObject({ done: true, error: "", resultJson: `{"id":"${id}"}` });
    await raw("power", { id, op: PowerOp.ON }, { deadline: 1_000 });
    clock.advance(1_000);
    const describe = () => raw("describe", { id }, { deadline: 1_000 });
    expect(await describe()).toMatchObject({ exists: true, powerState: "On", ips: [] });
    clock.advance(5_000);
    expect((await describe()).ips).toHaveLength(1);
    expect(it.machine("web")).toMatchObject({ id, power: "On", cpu: 1, memoryMiB: 512 });
  });

  it("S8 a guest goes down in its own time, or does not listen", async () => {
    const { clock, it, create, on, raw } = host({ guest: { shutdown: 20_000 } });
    const { id } = await create("web");
    await on(id);
    const ask = () =>
      raw("power", { id, op: PowerOp.SHUTDOWN_GRACEFUL, gracefulTimeoutSeconds: 60 }, { deadline: 1_000 });
    await ask();
    clock.advance(20_500);
    expect(it.machine("web")?.power).toBe("On");
    clock.advance(1_000);
    expect(it.machine("web")?.power).toBe("Off");
    await on(id);
    const machine = it.machine("web");
    if (machine !== undefined) machine.guest.shutdown = "ignored";
    await ask();
    clock.advance(600_000);
    expect(it.machine("web")?.power).toBe("On");
  });

  it("one of a name that is taken: refused, given, or a second", async () => {
    expect(await (async ({ create, code }) => [await create("a"), await code(create("a"))][1])(host())).toContain(
      "ALREADY_EXISTS",
    );
    const given = host({ like: "vsphere" });
    expect((await given.create("a")).id).toBe((await given.create("a")).id);
    const two = host({ like: "proxmox" });
    expect([(await two.create("a")).id, (await two.create("a")).id]).toEqual(["100", "101"]);
  });

  it("a repeated request is known by its key, where the provider has that", async () => {
    const { it, raw } = host();
    const ask = () => raw("create", { name: "a", imageJson: image, requestId: "r" }, { deadline: 1_000 });
    const first = await ask();
    expect(await ask()).toEqual(first);
    expect(it.machines).toHaveLength(1);
    const old = host({ like: "proxmox" });
    await old.create("a", { requestId: "r" });
    await old.create("a", { requestId: "r" });
    expect(old.it.machines).toHaveLength(2);
  });

  it("one that is gone is described, or not, as the family does it; deleting it again is no error", async () => {
    const { it, ask, create, code } = host();
    const { id } = await create("a");
    await ask("delete", { id });
    expect(it.machines).toEqual([]);
    expect((await ask("describe", { id })).exists).toBe(false);
    expect(await code(ask("delete", { id }))).toBe("OK");
    const libvirt = host({ like: "libvirt" });
    expect(await libvirt.code(libvirt.ask("describe", { id: "a" }))).toBe('UNKNOWN: domain "a" not found');
  });

  it("grow, while they are on as the family does it", async () => {
    const desiredJson = JSON.stringify({ Class: { CPU: 4, MemoryMiB: 1024, DiskDefaults: { SizeGiB: 30 } } });
    const cpuAfter = async (like: "complete" | "libvirt") => {
      const { it, ask, create, on } = host({ like });
      const { id } = await create("a");
      await on(id);
      await ask("reconfigure", { id, desiredJson });
      return [it.machine("a")?.cpu, it.machine("a")?.disks[0]?.sizeGiB];
    };
    expect(await cpuAfter("complete")).toEqual([4, 30]);
    expect(await cpuAfter("libvirt")).toEqual([1, 30]);
    const strict = host({ profile: { resizeWhileOn: "refused" } });
    const { id } = await strict.create("a");
    await strict.on(id);
    expect(await strict.code(strict.ask("reconfigure", { id, desiredJson }))).toContain("FAILED_PRECONDITION");
    const smaller = JSON.stringify({ Class: { CPU: 1, MemoryMiB: 512, DiskDefaults: { SizeGiB: 1 } } });
    expect(await strict.code(strict.ask("reconfigure", { id, desiredJson: smaller }))).toContain("shrink");
  });

  it("S5 use up a quota", async () => {
    const { it, create, code } = host();
    it.quota.vcpus = 1;
    await create("a");
    expect(await code(create("b"))).toBe("RESOURCE_EXHAUSTED: quota exceeded for cpu");
    it.quota.vcpus = 2;
    expect(await code(create("b"))).toBe("OK");
  });
});

describe("snapshots", () => {
  it("are a tree, go back in time, and leave their children to their parent", async () => {
    const { it, ask, create } = host();
    const { id } = await create("a");
    const take = async (nameHint: string) => (await ask("snapshotCreate", { vmId: id, nameHint })).snapshotId;
    const first = await take("s1");
    const disk = it.machine("a")?.disks[0];
    if (disk !== undefined) disk.content = "changed";
    const second = await take("s2");
    await take("s3");
    expect((await ask("getDiskInfo", { vmId: id })).snapshots).toEqual(["s1", "s2", "s3"]);
    await ask("snapshotDelete", { vmId: id, snapshotId: second });
    expect(it.machine("a")?.snapshots.map(({ name, parent }) => [name, parent])).toEqual([
      ["s1", undefined],
      ["s3", first],
    ]);
    await ask("snapshotRevert", { vmId: id, snapshotId: first });
    expect(it.machine("a")).toMatchObject({ current: first, power: "Off" });
    expect(it.machine("a")?.disks[0]?.content).toBe("100");
  });

  it("with memory, of a machine that runs: it runs again", async () => {
    const { it, ask, create, on } = host();
    const { id } = await create("a");
    await on(id);
    const { snapshotId } = await ask("snapshotCreate", { vmId: id, nameHint: "s", includeMemory: true, quiesce: true });
    await ask("power", { id, op: PowerOp.OFF });
    await ask("snapshotRevert", { vmId: id, snapshotId });
    expect(it.machine("a")?.power).toBe("On");
  });
});

describe("copies", () => {
  it("a linked clone keeps its source from being deleted", async () => {
    const { it, ask, create, code } = host();
    const { id } = await create("a");
    const { targetVmId } = await ask("clone", { sourceVmId: id, targetName: "b", linked: true });
    expect(it.machine("b")).toMatchObject({ id: targetVmId, linkedTo: id });
    expect(await code(ask("delete", { id }))).toContain("FAILED_PRECONDITION");
    await ask("delete", { id: targetVmId });
    expect(await code(ask("delete", { id }))).toBe("OK");
  });

  it("a disk moves to another host over the staging storage, and is what it was", async () => {
    const staging = new Staging();
    const from = host({ staging });
    const to = host({ staging });
    const { id } = await from.create("a");
    const destinationUrl = "pvc://c/export-1.qcow2";
    const request = { vmId: id, destinationUrl, format: "qcow2", backendType: "pvc" };
    expect(await from.ask("exportDisk", request)).toMatchObject({ checksum: "", task: { id: "task-2" } });
    const { checksum } = await from.ask("exportDisk", request);
    expect(checksum).toBe(staging.get(destinationUrl)?.checksum);
    const wanted = { sourceUrl: destinationUrl, format: "qcow2", targetName: "a-migrated", verifyChecksum: true };
    expect(await to.code(to.ask("importDisk", { ...wanted, expectedChecksum: "0" }))).toBe(
      "DATA_LOSS: checksum mismatch",
    );
    const { path } = await to.ask("importDisk", { ...wanted, expectedChecksum: checksum });
    await to.create("a", { imageJson: JSON.stringify({ Path: path }) });
    expect(to.it.machine("a")?.disks[0]?.content).toBe(from.it.machine("a")?.disks[0]?.content);
    await to.ask("cleanupStaged", { url: destinationUrl });
    expect(staging.urls).toEqual([]);
  });

  it("an image is prepared once by its name, and no machine is made from it before", async () => {
    const { it, ask, raw, create, code, clock } = host();
    const prepare = () => raw("imagePrepare", { targetName: "tiny" }, { deadline: 1_000 });
    const { preparedImagePath } = await prepare();
    const imageJson = JSON.stringify({ Path: preparedImagePath });
    expect(await code(raw("create", { name: "a", imageJson }, { deadline: 1_000 }))).toContain("not ready");
    clock.advance(15_000);
    expect((await prepare()).task).toBeUndefined();
    expect(await code(create("a", { imageJson }))).toBe("OK");
    expect(it.images).toHaveLength(1);
    expect((await ask("listVMs", {})).vms).toHaveLength(1);
  });

  it("only what is advertised is done", async () => {
    const mock = host({ like: "mock" });
    const { id } = await mock.create("a");
    for (const call of [
      mock.ask("exportDisk", { vmId: id }),
      mock.ask("importDisk", {}),
      mock.ask("getDiskInfo", { vmId: id }),
      mock.ask("hardwareUpgrade", { id }),
      mock.ask("cleanupStaged", {}),
      mock.ask("guestExec", { vmId: id, command: ["true"] }),
    ]) {
      expect(await mock.code(call)).toContain("UNIMPLEMENTED");
    }
    const proxmox = host({ like: "proxmox" });
    const made = await proxmox.create("a");
    const pvc = proxmox.ask("exportDisk", { vmId: made.id, format: "qcow2", backendType: "pvc" });
    expect(await proxmox.code(pvc)).toBe('INVALID_ARGUMENT: backend "pvc" is not one of s3, nfs');
  });
});
