// Disks of real machines on their way: images fetched, clones, exports and imports; and what is refused.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { PowerOp } from "../src/contract/contract.ts";
import { createRequest, Kit, refused, until } from "./qemu/kit.ts";

const path = qemuFor("the QEMU provider's copies");
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const img = (...args: string[]) => execFileSync("qemu-img", args, { encoding: "utf8" });

describe.skipIf(path === undefined)("disks on a plain Linux box", () => {
  let kit: Kit;
  beforeAll(async () => {
    kit = new Kit();
    mkdirSync(join(kit.storage, "claim"));
    await kit.open();
  });
  afterAll(() => kit?.close());

  const on = async (id: string, counted = 2) => {
    await kit.ask("power", { id, op: PowerOp.ON });
    await until("the guest counts", () => kit.serial(id).length > counted);
  };
  const off = (id: string) => kit.ask("power", { id, op: PowerOp.OFF });
  const diskOf = async (vmId: string) => (await kit.ask("getDiskInfo", { vmId })).path;
  const isEqual = (a: string, b: string) => img("compare", "-U", a, b).includes("identical");
  const result = async (id: string | undefined) =>
    JSON.parse((await kit.ask("taskStatus", { task: { id: id ?? "" } })).resultJson);

  it("an image is fetched with its checksum, goes on where it was cut off, and is kept once", async () => {
    const bytes = readFileSync(join(kit.images, "boot.raw"));
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      if (request.headers.authorization !== `Basic ${btoa("me:secret")}`) {
        response.writeHead(401).end();
        return;
      }
      asked.push(request.headers.range);
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const range = { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
      const headers = { etag: '"one"', "content-length": bytes.length - from, ...(from > 0 ? range : {}) };
      response.writeHead(from > 0 ? 206 : 200, headers);
      if (asked.length > 1) response.end(bytes.subarray(from));
      else response.write(bytes.subarray(0, 300_000), () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const url = `http://images.test:${port}/boot.raw`;
      const request = (checksum: string) => ({ imageJson: JSON.stringify({ source: { http: { url, checksum } } }) });
      const prepare = (targetName: string, checksum: string) =>
        kit.ask("imagePrepare", {
          ...request(checksum),
          targetName,
          credentials: { username: "me", password: "secret" },
        });
      const stranger = await kit.ask("imagePrepare", { ...request(""), targetName: "stranger" });
      expect(await kit.done(stranger.task?.id)).toMatch(/^PERMISSION_DENIED/);
      const first = await prepare("boot", sha256(bytes));
      expect(first.preparedImageId).toBe("boot");
      expect((await prepare("boot", sha256(bytes))).task?.id).toBe(first.task?.id);
      expect(await kit.done(first.task?.id)).toBe("");
      expect(asked).toEqual([undefined, expect.stringMatching(/^bytes=\d+-$/)]);
      expect(await result(first.task?.id)).toMatchObject({ id: "boot", checksum: sha256(bytes), format: "qcow2" });
      expect((await prepare("boot", sha256(bytes))).task).toBeUndefined();
      expect((await refused(prepare("boot", "0".repeat(64)))).code).toBe("ALREADY_EXISTS");
      const wrong = await prepare("wrong", "0".repeat(64));
      expect(await kit.done(wrong.task?.id)).toMatch(/^DATA_LOSS: checksum mismatch/);
      expect(readdirSync(join(kit.state, "images"))).toEqual(["boot"]);
      for (const name of readdirSync(join(kit.state, "tasks")))
        expect(readFileSync(join(kit.state, "tasks", name), "utf8")).not.toContain("secret");
      expect(readdirSync(join(kit.state, "images", "boot")).sort()).toEqual(["image.json", "image.qcow2"]);
      const id = await kit.make("imaged", { image: first.preparedImagePath, format: "qcow2" });
      await on(id);
      await kit.ask("delete", { id });
    } finally {
      server.close();
    }
  });

  it("S61 hostile image: what refers to another file is refused, and nothing of that file is read", async () => {
    const secret = join(kit.folder, "secret.raw");
    writeFileSync(secret, "canary".repeat(200_000));
    const staged = (name: string) => join(kit.storage, "claim", name);
    img("create", "-q", "-f", "qcow2", "-b", secret, "-F", "raw", staged("backed.qcow2"));
    img(
      "create",
      "-q",
      "-f",
      "qcow2",
      "-o",
      `data_file=${secret}.data,data_file_raw=on`,
      staged("external.qcow2"),
      "1M",
    );
    writeFileSync(
      staged("extent.vmdk"),
      `# Disk DescriptorFile\nversion=1\nCID=1\nparentCID=ffffffff\ncreateType="monolithicFlat"\nRW 2048 FLAT "${secret}" 0\n`,
    );
    writeFileSync(staged("lies.raw"), readFileSync(staged("backed.qcow2")));
    const take = (name: string, format: string) =>
      kit.ask("importDisk", { sourceUrl: `pvc://claim/${name}`, format, targetName: "hostile" });
    for (const [name, format] of [
      ["backed.qcow2", "qcow2"],
      ["external.qcow2", "qcow2"],
      ["extent.vmdk", "vmdk"],
      ["lies.raw", "qcow2"],
    ] as const)
      expect([name, (await refused(take(name, format))).code]).toEqual([name, "INVALID_ARGUMENT"]);
    // As raw it is only bytes: what is in its header is nobody's business.
    const raw = await take("lies.raw", "raw");
    expect(await kit.done(raw.task?.id)).toBe("");
    expect(readFileSync(raw.path).includes("canarycanary")).toBe(false);
    for (const url of [
      "pvc://claim/../../secret.raw",
      "pvc://../secret.raw",
      "file:///etc/passwd",
      "pvc://claim//x",
      "pvc://claim/a\n",
    ])
      expect((await refused(kit.ask("importDisk", { sourceUrl: url, targetName: "x" }))).code).toBe("INVALID_ARGUMENT");
    expect(readdirSync(join(kit.state, "imports"))).toEqual(["hostile.qcow2"]);
  });

  it.skipIf(process.getuid?.() !== 0)("S60 disk full during import: it is said, and nothing is left", async () => {
    const small = new Kit();
    const mount = join(small.folder, "s");
    mkdirSync(mount);
    mkdirSync(join(small.storage, "claim"));
    let isMounted = false;
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", mount]);
      isMounted = true;
      await small.open({ minFree: 0 });
      const disk = join(small.storage, "claim", "big.raw");
      writeFileSync(disk, Buffer.alloc(6 * 2 ** 20, "x"));
      const take = () =>
        small.ask("importDisk", { sourceUrl: "pvc://claim/big.raw", format: "raw", targetName: "big" });
      // Measured beforehand: copy and conversion do not fit together.
      const early = await refused(take());
      expect([early.code, early.message]).toEqual(["RESOURCE_EXHAUSTED", expect.stringContaining("no space")]);
      // And where the disk fills up meanwhile: qcow2 needs no second file, so that it is begun.
      img("convert", "-f", "raw", "-O", "qcow2", disk, join(small.storage, "claim", "big.qcow2"));
      const begun = await small.ask("importDisk", { sourceUrl: "pvc://claim/big.qcow2", targetName: "big" });
      writeFileSync(join(mount, "filler"), Buffer.alloc(4 * 2 ** 20));
      expect(await small.done(begun.task?.id)).toMatch(/^RESOURCE_EXHAUSTED: no space/);
      expect(readdirSync(join(mount, "imports"))).toEqual([]);
      expect(await small.ask("validate", {})).toMatchObject({ ok: true });
      await small.open({ minFree: 2 ** 30 });
      expect(await small.ask("validate", {})).toMatchObject({
        ok: false,
        message: expect.stringContaining("no space"),
      });
    } finally {
      small.provider?.stop();
      small.provider = undefined;
      if (isMounted) execFileSync("umount", [mount]);
      await small.close();
    }
  });

  it("a machine moves: exported while it runs, imported, made from what was imported, and equal", async () => {
    const source = await kit.make("moves", { disks: [{ Name: "data", SizeGiB: 1 }] });
    await on(source);
    const request = {
      vmId: source,
      destinationUrl: "pvc://claim/vmmigrations/ns/m/export-1.qcow2",
      format: "qcow2",
      compress: true,
    };
    const { exportId, task } = await kit.ask("exportDisk", request);
    expect((await refused(kit.ask("power", { id: source, op: PowerOp.OFF }))).code).toBe("ABORTED");
    expect(await kit.done(task?.id)).toBe("");
    const done = await result(task?.id);
    const again = await kit.ask("exportDisk", request);
    expect(again).toMatchObject({ exportId, checksum: done.checksum });
    expect(again.task).toBeUndefined();
    const staged = join(kit.storage, "claim/vmmigrations/ns/m/export-1.qcow2");
    expect(done).toMatchObject({
      export_id: exportId,
      checksum: sha256(readFileSync(staged)),
      size_bytes: statSync(staged).size,
    });
    // The source runs on, on the layers that it had.
    const before = kit.serial(source).length;
    await until("the source counts on", () => kit.serial(source).length > before + 1);
    expect((await kit.ask("getDiskInfo", { vmId: source })).metadata).toEqual({ layers: "2" });

    const wrong = await kit.ask("importDisk", {
      sourceUrl: request.destinationUrl,
      targetName: "bad",
      verifyChecksum: true,
      expectedChecksum: "0".repeat(64),
    });
    expect(await kit.done(wrong.task?.id)).toMatch(/^DATA_LOSS: checksum mismatch/);
    const taken = await kit.ask("importDisk", {
      sourceUrl: request.destinationUrl,
      format: "qcow2",
      targetName: "moved-migrated",
      verifyChecksum: true,
      expectedChecksum: done.checksum,
    });
    expect(await kit.done(taken.task?.id)).toBe("");
    expect(isEqual(taken.path, staged)).toBe(true);
    const target = await kit.make("moved", { image: taken.path, format: "qcow2" });
    expect(isEqual(await diskOf(target), staged)).toBe(true);
    expect(
      (await refused(kit.ask("create", createRequest("second", { image: taken.path, format: "qcow2" })))).code,
    ).toBe("INVALID_ARGUMENT");
    await on(target);
    await kit.ask("cleanupStaged", { url: request.destinationUrl });
    await kit.ask("cleanupStaged", { url: request.destinationUrl });
    expect(readdirSync(join(kit.storage, "claim/vmmigrations/ns/m"))).toEqual([]);
    for (const id of [source, target]) await kit.ask("delete", { id });
  });

  it("exports and clones a snapshot, in any format, and answers late where it was told to", async () => {
    const id = await kit.make("formats");
    const { snapshotId } = await kit.ask("snapshotCreate", { vmId: id, nameHint: "s" });
    await on(id);
    await off(id);
    await kit.open({ syncTransfers: true });
    const { checksum } = await kit.ask("exportDisk", {
      vmId: id,
      snapshotId,
      destinationUrl: "pvc://claim/s.vmdk",
      format: "vmdk",
    });
    const staged = join(kit.storage, "claim", "s.vmdk");
    expect(checksum).toBe(sha256(readFileSync(staged)));
    expect(img("compare", "-f", "vmdk", "-F", "raw", staged, join(kit.images, "boot.raw"))).toContain("identical");
    await kit.ask("exportDisk", { vmId: id, snapshotId, destinationUrl: "pvc://claim/s.raw", format: "raw" });
    expect(readFileSync(join(kit.storage, "claim", "s.raw")).equals(readFileSync(join(kit.images, "boot.raw")))).toBe(
      true,
    );
    const from = { sourceVmId: id, targetName: "then", sourceSnapshotId: snapshotId };
    const then = await kit.ask("clone", from);
    expect(await kit.done(then.task?.id)).toBe("");
    expect(isEqual(await diskOf(then.targetVmId), join(kit.storage, "claim", "s.raw"))).toBe(true);
    await kit.ask("delete", { id: then.targetVmId });
    const onTop = await refused(kit.ask("clone", { ...from, targetName: "on-top", linked: true }));
    expect(onTop.code).toBe("FAILED_PRECONDITION");

    expect(
      (await refused(kit.ask("exportDisk", { vmId: id, destinationUrl: "s3://b/x", backendType: "s3" }))).code,
    ).toBe("UNIMPLEMENTED");
    expect((await refused(kit.ask("exportDisk", { vmId: id, destinationUrl: "pvc://nowhere/x" }))).code).toBe(
      "UNAVAILABLE",
    );
    const back = await kit.ask("importDisk", {
      sourceUrl: "pvc://claim/s.vmdk",
      format: "vmdk",
      targetName: "back",
      verifyChecksum: true,
      expectedChecksum: checksum,
    });
    expect(back.checksum).toBe(checksum);
    await kit.open();
    await kit.ask("delete", { id });
  });

  it("clones: whole ones stand alone, linked ones keep their source", async () => {
    const source = await kit.make("origin", { networks: [{ Name: "nat" }], disks: [{ Name: "data", SizeGiB: 1 }] });
    await on(source);
    const make = async (targetName: string, more: object) => {
      const { targetVmId, task } = await kit.ask("clone", { sourceVmId: source, targetName, ...more });
      expect(await kit.done(task?.id)).toBe("");
      return targetVmId;
    };
    const whole = await make("whole", {
      classJson: `{"cpu":2,"CPU":2,"MemoryMiB":64}`,
      customizeJson: `{"hostname":"other","tags":["t"]}`,
    });
    expect((await kit.ask("getDiskInfo", { vmId: whole })).metadata).toEqual({ layers: "1" });
    expect(
      (
        await kit.ask("clone", {
          sourceVmId: source,
          targetName: "whole",
          classJson: `{"cpu":2,"CPU":2,"MemoryMiB":64}`,
          customizeJson: `{"hostname":"other","tags":["t"]}`,
        })
      ).targetVmId,
    ).toBe(whole);
    expect((await refused(kit.ask("clone", { sourceVmId: source, targetName: "whole" }))).code).toBe("ALREADY_EXISTS");
    const linked = await make("linked", { linked: true });
    const then = img("convert", "-U", "-O", "raw", "-f", "qcow2", await diskOf(linked), join(kit.folder, "linked.raw"));
    expect(then).toBe("");
    const before = kit.serial(source).length;
    await until("the source counts on", () => kit.serial(source).length > before + 2);
    expect(img("compare", "-f", "qcow2", "-F", "raw", await diskOf(linked), join(kit.folder, "linked.raw"))).toContain(
      "identical",
    );
    const { vms } = await kit.ask("listVMs", {});
    expect(vms.find(({ id }) => id === whole)).toMatchObject({ cpu: 2, memoryMib: 64n, powerState: "Off" });
    expect(new Set(vms.flatMap(({ networks }) => networks.map(({ mac }) => mac))).size).toBe(3);
    await on(linked);
    const inUse = await refused(kit.ask("delete", { id: source }));
    expect([inUse.code, inUse.message]).toEqual(["FAILED_PRECONDITION", expect.stringContaining("linked")]);
    await kit.ask("delete", { id: linked });
    await kit.ask("delete", { id: source });
    await on(whole);
    await kit.ask("delete", { id: whole });
  });
});
