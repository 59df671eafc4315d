// The QEMU provider with real machines: made, booted, resized, stopped and taken away; by software emulation where there is no KVM.
import { existsSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { PowerOp } from "../src/contract/contract.ts";
import { createRequest, Kit, refused, until } from "./qemu/kit.ts";

const path = qemuFor("the QEMU provider");

describe.skipIf(path === undefined)("a machine on a plain Linux box", () => {
  let kit: Kit;
  beforeAll(async () => {
    kit = new Kit();
    await kit.open();
  });
  afterAll(() => kit?.close());
  const raw = async (id: string): Promise<Record<string, unknown>> =>
    JSON.parse((await kit.ask("describe", { id })).providerRawJson);
  const on = async (id: string) => {
    await kit.ask("power", { id, op: PowerOp.ON });
    await until("the guest boots", () => kit.serial(id).startsWith("B"));
  };

  it("is made, boots, is shut down politely, and leaves nothing behind", async () => {
    expect(await kit.ask("validate", {})).toMatchObject({ ok: true });
    const id = await kit.make("whole", { networks: [{ Name: "nat" }], userData: "#cloud-config\n{}\n" });
    expect(await kit.ask("describe", { id })).toMatchObject({ exists: true, powerState: "Off", ips: [] });
    await on(id);
    expect(await kit.ask("describe", { id })).toMatchObject({ exists: true, powerState: "On", ips: ["10.0.2.15"] });
    // Where there is KVM it may still be closed to us.
    const accel = existsSync("/dev/kvm") ? expect.stringMatching(/^(kvm|tcg)$/) : "tcg";
    expect(await raw(id)).toMatchObject({ power_state_raw: "running", cpu: 1, memory_mib: 32, accel });
    expect(await kit.ask("power", { id, op: PowerOp.ON })).toMatchObject({}); // already
    expect(await kit.processes(id)).toBe(1);

    const { task } = await kit.ask("power", { id, op: PowerOp.SHUTDOWN_GRACEFUL, gracefulTimeoutSeconds: 30 });
    expect(await kit.done(task?.id)).toBe("");
    expect(kit.serial(id)).toContain("P"); // the guest saw its power button, and went by itself
    expect(await kit.ask("describe", { id })).toMatchObject({ exists: true, powerState: "Off" });

    await on(id);
    await kit.ask("delete", { id });
    expect(await kit.ask("describe", { id })).toMatchObject({ exists: false });
    expect(await kit.processes(id)).toBe(0);
    expect(readdirSync(join(kit.state, "vms"))).toEqual([]);
    expect(readdirSync(join(kit.state, "trash"))).toEqual([]);
    expect(await kit.ask("delete", { id })).toMatchObject({}); // already
  });

  it("that heeds no power button is ended when its time is over", async () => {
    const id = await kit.make("stubborn", { image: join(kit.images, "stubborn.raw") });
    await on(id);
    const began = systemClock.uptime();
    const { task } = await kit.ask("power", { id, op: PowerOp.SHUTDOWN_GRACEFUL, gracefulTimeoutSeconds: 4 });
    expect((await refused(kit.ask("power", { id, op: PowerOp.REBOOT }))).code).toBe("ABORTED");
    expect(await kit.done(task?.id)).toBe("");
    expect(systemClock.uptime() - began).toBeGreaterThan(3900);
    expect(kit.serial(id)).toContain("P");
    expect(await kit.ask("describe", { id })).toMatchObject({ powerState: "Off" });
    await kit.ask("delete", { id });
  });

  it("resets, and goes off at once", async () => {
    const id = await kit.make("reset");
    await on(id);
    await until("the guest counts", () => kit.serial(id).length > 2);
    await kit.ask("power", { id, op: PowerOp.REBOOT });
    await until("it boots again", () => kit.serial(id).lastIndexOf("B") > 1);
    await kit.ask("power", { id, op: PowerOp.OFF });
    expect(await kit.processes(id)).toBe(0);
    expect((await refused(kit.ask("power", { id, op: PowerOp.REBOOT }))).code).toBe("FAILED_PRECONDITION");
    await kit.ask("delete", { id });
  });

  it("grows while it runs where its class allows, and says what needs a restart", async () => {
    const id = await kit.make("hot", { hotAdd: true, memoryMiB: 128, disks: [{ Name: "data", SizeGiB: 1 }] });
    await on(id);
    const resize = (CPU: number, MemoryMiB: number, more: object = {}) =>
      kit.ask("reconfigure", { id, desiredJson: JSON.stringify({ Class: { CPU, MemoryMiB, ...more } }) });
    await resize(2, 256);
    expect(await raw(id)).toMatchObject({ cpu: 2, memory_mib: 256 });
    await resize(2, 256); // again
    const desiredJson = JSON.stringify({
      Disks: [
        { Name: "data", SizeGiB: 3 },
        { Name: "more", SizeGiB: 1 },
      ],
    });
    await kit.ask("reconfigure", { id, desiredJson });
    await kit.ask("reconfigure", { id, desiredJson });
    const size = async (diskId: string) => (await kit.ask("getDiskInfo", { vmId: id, diskId })).virtualSizeBytes;
    expect([await size("data"), await size("more")]).toEqual([3n << 30n, 1n << 30n]);

    const less = await refused(resize(1, 256));
    expect([less.code, less.message]).toEqual(["FAILED_PRECONDITION", expect.stringContaining("restart required")]);
    expect((await refused(resize(64, 256))).code).toBe("FAILED_PRECONDITION");
    expect(await raw(id)).toMatchObject({ cpu: 2, memory_mib: 256, restart_required: true });
    expect((await refused(resize(64, 256))).code).toBe("FAILED_PRECONDITION"); // it is still so
    await kit.ask("power", { id, op: PowerOp.OFF });
    await resize(1, 64, { DiskDefaults: { SizeGiB: 1 } });
    expect(await size("root")).toBe(1n << 30n);
    await on(id);
    expect(await raw(id)).toMatchObject({ cpu: 1, memory_mib: 64 });
    expect(await raw(id)).not.toHaveProperty("restart_required");
    const smaller = await refused(
      kit.ask("reconfigure", { id, desiredJson: `{"Disks":[{"Name":"data","SizeGiB":1}]}` }),
    );
    expect([smaller.code, smaller.message]).toEqual(["INVALID_ARGUMENT", "disk data cannot be made smaller"]);
    await kit.ask("delete", { id });
  });

  it("is the same machine for the same request, and taken for another one", async () => {
    const request = (more: object) => createRequest("same", { image: join(kit.images, "boot.raw"), ...more });
    const [first, second] = await Promise.allSettled([
      kit.ask("create", request({ requestId: "r1" })),
      kit.ask("create", request({ requestId: "r1" })),
    ]);
    const ids = [first, second].flatMap((one) => (one.status === "fulfilled" ? [one.value.id] : []));
    expect(new Set(ids).size).toBe(1);
    const again = await kit.ask("create", request({ requestId: "r1" }));
    expect(again.id).toBe(ids[0]);
    await kit.done(again.task?.id);
    expect((await kit.ask("create", request({}))).id).toBe(ids[0]); // no key: by what is asked for
    expect((await refused(kit.ask("create", request({ requestId: "r2" })))).code).toBe("ALREADY_EXISTS");
    expect((await refused(kit.ask("create", request({ cpu: 2 })))).code).toBe("ALREADY_EXISTS");
    expect((await kit.ask("listVMs", {})).vms.map(({ name }) => name)).toEqual(["same"]);
    await kit.ask("delete", { id: again.id });
  });

  it("is taken away while it is made, or before that has begun", async () => {
    writeFileSync(join(kit.images, "large.raw"), Buffer.alloc(64 * 2 ** 20, "noise"));
    const begin = (name: string) =>
      kit.ask("create", createRequest(name, { image: join(kit.images, "large.raw"), thick: true }));
    const made = await Promise.all(["first", "second", "third"].map(begin));
    for (const { id } of made) await kit.ask("delete", { id });
    for (const { id, task } of made) {
      expect(await kit.ask("describe", { id })).toMatchObject({ exists: false });
      expect((await kit.ask("taskStatus", { task: task ?? { id: "" } })).done).toBe(true);
    }
    expect(readdirSync(join(kit.state, "vms"))).toEqual([]);
    expect(readdirSync(join(kit.state, "trash"))).toEqual([]);
  });

  it("that cannot start says why, and can be taken away", async () => {
    const id = await kit.make("broken");
    writeFileSync(join(kit.state, "vms", id, "disks", "root.qcow2"), "this is no disk");
    const error = await refused(kit.ask("power", { id, op: PowerOp.ON }));
    expect([error.code, error.message]).toEqual(["INTERNAL", expect.stringMatching(/^the machine does not start: /)]);
    expect(error.message).not.toContain(kit.folder);
    expect(await kit.ask("describe", { id })).toMatchObject({ powerState: "Off" });
    await kit.ask("delete", { id });
  });

  it("is made from files of the image folders only, and not through links out of them", async () => {
    const secret = join(kit.folder, "secret.raw");
    writeFileSync(secret, "the host's own");
    truncateSync(secret, 2 ** 20);
    symlinkSync(secret, join(kit.images, "innocent.raw"));
    for (const image of [
      secret,
      join(kit.images, "innocent.raw"),
      `${kit.images}/../secret.raw`,
      "/etc/passwd",
      "boot.raw",
    ]) {
      const error = await refused(kit.ask("create", createRequest("hostile", { image })));
      expect([image, error.code]).toEqual([image, "INVALID_ARGUMENT"]);
      expect(error.message).not.toContain("secret");
    }
    expect(await kit.ask("listVMs", {})).toMatchObject({ vms: [] });
    expect(existsSync(join(kit.state, "vms")) && readdirSync(join(kit.state, "vms"))).toEqual([]);
  });

  it("has its sockets elsewhere where its state directory has too long a name", async () => {
    const long = new Kit("l".repeat(100));
    try {
      await long.open();
      const id = await long.make("far");
      await long.ask("power", { id, op: PowerOp.ON });
      expect(await long.ask("describe", { id })).toMatchObject({ powerState: "On" });
      await long.open();
      expect(JSON.parse((await long.ask("describe", { id })).providerRawJson)).toMatchObject({
        power_state_raw: "running",
      });
      await long.ask("delete", { id });
      expect(existsSync(join(tmpdir(), `telltale-qemu-${id}`))).toBe(false);
    } finally {
      await long.close();
    }
  });

  it("L-27 what is advertised is what these suites have seen", async () => {
    const {
      $typeName: _,
      version: __,
      totalMemoryBytes,
      totalStorageBytes,
      totalVcpus,
      ...can
    } = await kit.ask("getCapabilities", {});
    expect(can).toEqual({
      supportsReconfigureOnline: true, // above
      supportsDiskExpansionOnline: true,
      supportsSnapshots: true, // qemu-snapshots
      supportsMemorySnapshots: true,
      supportsLinkedClones: true, // qemu-copies, with all below
      supportsImageImport: true,
      supportedDiskTypes: ["qcow2"],
      supportedNetworkTypes: ["virtio", "e1000"],
      supportsDiskExport: true,
      supportsDiskImport: true,
      supportedExportFormats: ["qcow2", "raw", "vmdk"],
      supportedImportFormats: ["qcow2", "raw", "vmdk"],
      supportsExportCompression: true,
      supportedExportBackends: ["pvc"],
      supportedImportBackends: ["pvc"],
      supportedTransferModes: ["relay"],
      extensions: [
        "task-progress",
        "quiesce",
        "clone-from-snapshot",
        "image-credentials",
        "request-id",
        "cleanup-staged",
        "guest-exec",
      ],
    });
    expect(totalMemoryBytes > 0n && totalStorageBytes > 0n && totalVcpus > 0).toBe(true);
    const error = await refused(kit.ask("hardwareUpgrade", { id: "q-aaaaaaaaaaaa", targetVersion: 1 }));
    expect(error.code).toBe("UNIMPLEMENTED");
  });

  it("runs no commands without an agent in its guest, and none while it is off", async () => {
    const id = await kit.make("mute");
    const run = () => kit.ask("guestExec", { vmId: id, command: ["true"], timeoutSeconds: 1 });
    expect((await refused(run())).code).toBe("FAILED_PRECONDITION");
    await on(id);
    expect((await refused(run())).code).toBe("UNIMPLEMENTED");
    await kit.ask("delete", { id });
  });
});
