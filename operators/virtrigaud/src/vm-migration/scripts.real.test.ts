// The very command lines of migrations' Jobs, on real disks: there and back is the same, and nothing else on the claim is touched.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Job } from "@telltale/kinds/builtin";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { qemuFor } from "../../../../tools/qemu/qemu.ts";
import { migrationOf } from "../../test/staged-migration.ts";
import { convertJob, removeJob } from "./job.ts";
import { badStaged } from "./scripts.ts";

const qemu = qemuFor("conversion of staged disks");
const root = mkdtempSync(join(tmpdir(), "telltale-jobs-"));
let claim = "";
let folder = "";
beforeEach(() => {
  claim = mkdtempSync(join(root, "claim-"));
  folder = join(claim, "vmmigrations/demo/a");
  mkdirSync(folder, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const migration = migrationOf();
const tools = { image: "example/qemu-img:1.0", shell: ["sh"] };
const img = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync("qemu-img", args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
};
const sum = (file: string) =>
  createHash("sha256")
    .update(readFileSync(join(folder, file)))
    .digest("hex");

/** As a kubelet would run it: the mounts are where they are here. */
function run(job: Job) {
  const [container] = job.spec?.template.spec?.containers ?? [];
  const [mount] = container?.volumeMounts ?? [];
  const result = join(root, "result");
  rmSync(result, { force: true });
  const places: Readonly<Record<string, string>> = {
    [mount?.mountPath ?? ""]: join(claim, mount?.subPath ?? ""),
    [container?.terminationMessagePath ?? ""]: result,
  };
  const [program = "", ...words] = [...(container?.command ?? []), ...(container?.args ?? [])];
  const args = words.map((word) => places[word] ?? word);
  const { status, stderr } = spawnSync(program, args, { cwd: "/", encoding: "utf8" });
  return { status, stderr, said: existsSync(result) ? readFileSync(result, "utf8") : "" };
}
const convert = (from: string, to: string, checksum = "") => {
  const as = (file: string) => ({ file, format: file.replace(/^.*\./, "") });
  const name = "a-convert-1";
  return run(
    convertJob(migration, tools, { name, from: as(from), to: as(to), checksum, deadline: 1, provider: undefined }),
  );
};
const remove = (...files: readonly string[]) =>
  run(removeJob(migration, tools, { urls: [], files, provider: undefined }));

describe.skipIf(qemu === undefined)("a Job that converts", () => {
  it.each(["qcow2", "vmdk", "vdi", "vhdx"])(
    "raw to %s and back is the same disk, with its checksums told",
    (format) => {
      writeFileSync(
        join(folder, "export-1.raw"),
        Buffer.concat([
          Buffer.from(Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7_919) % 251)),
          Buffer.alloc(2 ** 21 - 300_000),
        ]),
      );
      const before = sum("export-1.raw");
      const there = convert("export-1.raw", `export-1-converted.${format}`, before);
      expect(there).toMatchObject({ status: 0, stderr: "" });
      const { checksum, size } = JSON.parse(there.said) as { readonly checksum: string; readonly size: number };
      expect(checksum).toBe(sum(`export-1-converted.${format}`));
      expect(size).toBe(readFileSync(join(folder, `export-1-converted.${format}`)).length);
      const back = convert(`export-1-converted.${format}`, "export-2-converted.raw", checksum);
      expect(back).toMatchObject({ status: 0, stderr: "" });
      expect(JSON.parse(back.said)).toEqual({ checksum: before, size: 2 ** 21 });
      expect(readdirSync(folder).filter((it) => it.endsWith(".part"))).toEqual([]);
    },
  );

  it("begins again over what an attempt before left", () => {
    img("create", "-q", "-f", "qcow2", "export-1.qcow2", "1M");
    for (const left of ["export-1-converted.raw", "export-1-converted.raw.part"])
      writeFileSync(join(folder, left), "old");
    expect(convert("export-1.qcow2", "export-1-converted.raw", sum("export-1.qcow2"))).toMatchObject({ status: 0 });
    expect(readFileSync(join(folder, "export-1-converted.raw"))).toEqual(Buffer.alloc(2 ** 20));
  });

  it("tells a staged disk that is no good from a failure of its own", () => {
    img("create", "-q", "-f", "qcow2", "export-1.qcow2", "1M");
    expect(convert("export-1.qcow2", "export-1-converted.raw", "0".repeat(64))).toMatchObject({
      status: badStaged,
      stderr: expect.stringContaining("checksum mismatch"),
    });
    expect(convert("export-2.qcow2", "export-2-converted.raw").status).toBe(badStaged);
    writeFileSync(join(folder, "export-3.qcow2"), "no disk");
    expect(convert("export-3.qcow2", "export-3-converted.raw").status).toBe(1);
    expect(readdirSync(folder).filter((it) => it.includes("converted"))).toEqual([]);
  });

  it("S61 hostile image: one that refers to another file is refused, and nothing is read", () => {
    writeFileSync(join(claim, "secret.raw"), Buffer.alloc(2 ** 20, "s"));
    img("create", "-q", "-f", "qcow2", "-F", "raw", "-b", join(claim, "secret.raw"), "export-1.qcow2");
    img("create", "-q", "-f", "qcow2", "-o", `data_file=${join(claim, "data.raw")}`, "export-2.qcow2", "1M");
    const extents = `# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\ncreateType="monolithicFlat"\nRW 2048 FLAT "../../../secret.raw" 0\n`;
    writeFileSync(join(folder, "export-3.vmdk"), extents);
    symlinkSync(join(claim, "secret.raw"), join(folder, "export-4.raw"));
    for (const file of ["export-1.qcow2", "export-2.qcow2", "export-3.vmdk", "export-4.raw"]) {
      expect([file, convert(file, file.replace(/\..*$/, "-converted.raw")).status]).toEqual([file, badStaged]);
    }
    expect(readdirSync(folder).filter((it) => it.includes("converted"))).toEqual([]);
  });
});

describe("a Job that removes", () => {
  it("removes its files with what was left of writing them, and the folder when nothing else is in it", () => {
    for (const file of ["export-1.qcow2", "export-1-converted.raw.part"]) writeFileSync(join(folder, file), "x");
    mkdirSync(join(claim, "vmmigrations/demo/b"));
    expect(remove("export-1.qcow2", "export-1-converted.raw", "export-2.qcow2")).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect(readdirSync(join(claim, "vmmigrations/demo"))).toEqual(["b"]);
    expect(remove("export-1.qcow2")).toMatchObject({ status: 0, stderr: "" });
  });

  it("leaves everything else: other files, other folders, and whatever a link leads to", () => {
    for (const file of ["export-1.qcow2", "mine"]) writeFileSync(join(folder, file), "x");
    symlinkSync(join(folder, "mine"), join(folder, "export-2.qcow2"));
    expect(remove("export-1.qcow2", "export-2.qcow2")).toMatchObject({ status: 0 });
    expect(readdirSync(folder)).toEqual(["mine"]);
    rmSync(folder, { recursive: true });
    mkdirSync(join(claim, "precious"));
    writeFileSync(join(claim, "precious/export-1.qcow2"), "x");
    symlinkSync("../../precious", folder);
    expect(remove("export-1.qcow2")).toMatchObject({ status: 1, stderr: expect.stringContaining("through a link") });
    expect(readdirSync(join(claim, "precious"))).toEqual(["export-1.qcow2"]);
  });

  it.each(["../b/export-1.qcow2", "-rf", "..", ".", "", "/etc/passwd", "x/y"])(
    "refuses %j, also if it got so far",
    (name) => {
      writeFileSync(join(folder, "mine"), "x");
      expect(remove(name).status).toBe(1);
      expect(readdirSync(folder)).toEqual(["mine"]);
    },
  );

  it.each(["*", "a b", "$(touch hit)", "'; touch hit; '", "a\ntouch hit"])(
    "takes %j for a name, and for nothing else",
    (name) => {
      for (const file of ["mine", name]) writeFileSync(join(folder, file), "x");
      expect(remove(name)).toMatchObject({ status: 0, stderr: "" });
      expect(readdirSync(folder)).toEqual(["mine"]);
    },
  );
});
