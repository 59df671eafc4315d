// Snapshots of real machines: with memory, of disks while the machine runs and while it is off; gone back to, merged and deleted.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { PowerOp } from "../src/contract/contract.ts";
import { Kit, refused, until } from "./qemu/kit.ts";

const path = qemuFor("the QEMU provider's snapshots");

describe.skipIf(path === undefined)("snapshots of a machine on a plain Linux box", () => {
  let kit: Kit;
  beforeAll(async () => {
    kit = new Kit();
    await kit.open();
  });
  afterAll(() => kit?.close());

  const power = (id: string, op: PowerOp) => kit.ask("power", { id, op });
  const disk = (id: string): string => {
    const { root } = JSON.parse(readFileSync(join(kit.state, "vms", id, "vm.json"), "utf8"));
    return join(kit.state, "vms", id, "disks", root.layer === 0 ? "root.qcow2" : `base/${root.layer}-root.qcow2`);
  };
  /** What the guest has counted to, from the second sector of its disk. */
  const onDisk = (id: string): number => {
    const raw = join(kit.folder, "look.raw");
    execFileSync("qemu-img", ["convert", "-U", "-f", "qcow2", "-O", "raw", disk(id), raw]);
    return execFileSync("head", ["-c", "514", raw]).readUInt16LE(512);
  };
  /** What it has said that it counted to: letters from A on. */
  const said = (id: string): string => kit.serial(id).replaceAll(/[^@-~]/g, "");
  const countsTo = (id: string, letter: string) =>
    until(`it counts to ${letter}`, () => said(id).endsWith(letter) || said(id).slice(1).includes(letter));
  let taken = 0;
  /** Its name, which is as good as its id. */
  const snapshot = async (vmId: string, includeMemory: boolean) => {
    taken += 1;
    const request = { vmId, nameHint: `before-${taken}`, includeMemory };
    const { snapshotId, task } = await kit.ask("snapshotCreate", request);
    expect(await kit.done(task?.id)).toBe("");
    expect(snapshotId).toMatch(/^s-/);
    expect((await refused(kit.ask("snapshotCreate", request))).code).toBe("ALREADY_EXISTS");
    return request.nameHint;
  };
  const revert = async (vmId: string, snapshotId: string) => {
    const { task } = await kit.ask("snapshotRevert", { vmId, snapshotId });
    expect(await kit.done(task?.id)).toBe("");
  };
  const remove = async (vmId: string, snapshotId: string) => {
    const { task } = await kit.ask("snapshotDelete", { vmId, snapshotId });
    expect(await kit.done(task?.id)).toBe("");
  };
  const listed = async (vmId: string) => (await kit.ask("getDiskInfo", { vmId })).snapshots;
  const isSound = (id: string) => execFileSync("qemu-img", ["check", "-q", disk(id)]);

  it("S62 memory snapshot and revert: what was written afterwards is gone, and the machine runs on from then", async () => {
    const id = await kit.make("memory", { disks: [{ Name: "data", SizeGiB: 1 }] });
    await power(id, PowerOp.ON);
    await countsTo(id, "C");
    const made = await snapshot(id, true);
    await countsTo(id, "H");
    const before = said(id).length;
    expect(await listed(id)).toEqual([made]);
    await revert(id, made);
    expect(await kit.ask("describe", { id })).toMatchObject({ powerState: "On" });
    await until("it goes on", () => said(id).length > before + 1);
    // It counts from where the memory was, not from where it had come to, and has not booted again.
    expect(said(id).charCodeAt(before)).toBeLessThan("H".charCodeAt(0));
    expect(said(id).slice(before)).not.toContain("B@");
    await power(id, PowerOp.OFF);
    expect(onDisk(id)).toBeLessThan(8);
    await revert(id, made); // of a machine that is off: it runs afterwards
    expect(await kit.ask("describe", { id })).toMatchObject({ powerState: "On" });
    await remove(id, made);
    expect(await listed(id)).toEqual([]);
    await power(id, PowerOp.OFF);
    isSound(id);
    await kit.ask("delete", { id });
  });

  it("of disks while it runs freeze a layer, which is gone back to, and merged when it is deleted", async () => {
    const id = await kit.make("layers", { disks: [{ Name: "data", SizeGiB: 1 }] });
    await power(id, PowerOp.ON);
    await countsTo(id, "B");
    const first = await snapshot(id, false);
    expect(readdirSync(join(kit.state, "vms", id, "disks", "base")).sort()).toEqual(["1-data.qcow2", "1-root.qcow2"]);
    const then = said(id).length;
    await until("it counts on", () => said(id).length > then + 3);
    await power(id, PowerOp.OFF);
    const late = onDisk(id);
    await revert(id, first);
    expect(onDisk(id)).toBeLessThan(late);
    // While it runs its layer is merged by QEMU itself.
    await power(id, PowerOp.ON);
    await countsTo(id, "B");
    const second = await snapshot(id, false);
    expect(await listed(id)).toEqual([first, second]);
    await remove(id, second);
    expect(await listed(id)).toEqual([first]);
    const merged = said(id).length;
    await until("it counts on", () => said(id).length > merged + 2);
    await power(id, PowerOp.OFF);
    const counted = said(id).charCodeAt(said(id).length - 1) - 64;
    expect(onDisk(id)).toBe(counted);
    isSound(id);
    // And while it is off by qemu-img.
    await remove(id, first);
    expect(onDisk(id)).toBe(counted);
    expect(readdirSync(join(kit.state, "vms", id, "disks", "base"))).toEqual([]);
    expect((await kit.ask("getDiskInfo", { vmId: id })).metadata).toEqual({ layers: "2" }); // the disk and its image
    isSound(id);
    await kit.ask("delete", { id });
  });

  it("of a machine that is off are inside its disks", async () => {
    const id = await kit.make("inside");
    const empty = await snapshot(id, true);
    await power(id, PowerOp.ON);
    await countsTo(id, "B");
    const running = await snapshot(id, false); // beside the one that is inside already
    expect(await listed(id)).toEqual([empty, running]);
    await revert(id, empty);
    expect(await kit.ask("describe", { id })).toMatchObject({ powerState: "Off" });
    expect(onDisk(id)).toBe(0);
    await remove(id, running);
    await remove(id, empty);
    await remove(id, empty); // already
    expect((await refused(kit.ask("snapshotRevert", { vmId: id, snapshotId: empty }))).code).toBe("NOT_FOUND");
    isSound(id);
    await kit.ask("delete", { id });
  });

  it("with memory fit no machine that has other devices now", async () => {
    const id = await kit.make("devices");
    await power(id, PowerOp.ON);
    const made = await snapshot(id, true);
    await kit.ask("reconfigure", { id, desiredJson: `{"Disks":[{"Name":"new","SizeGiB":1}]}` });
    expect((await refused(kit.ask("snapshotRevert", { vmId: id, snapshotId: made }))).code).toBe("FAILED_PRECONDITION");
    await kit.ask("delete", { id });
  });
});
