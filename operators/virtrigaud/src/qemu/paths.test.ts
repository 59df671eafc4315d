import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { RpcError } from "../contract/rpc-error.ts";
import { layoutOf, socketFolder } from "./layout.ts";
import { allowedFile, allowedTarget, isInside } from "./paths.ts";
import { stagedFile, stagedPath } from "./staging.ts";

const folder = mkdtempSync(join(tmpdir(), "tq-paths-"));
const inside = join(folder, "in");
mkdirSync(inside);
writeFileSync(join(folder, "secret"), "");
writeFileSync(join(inside, "file"), "");
symlinkSync(join(folder, "secret"), join(inside, "link"));
symlinkSync(folder, join(inside, "up"));
symlinkSync("file", join(inside, "fine"));
afterAll(() => rmSync(folder, { recursive: true }));

it("a file inside is allowed, also through a link that stays inside", async () => {
  expect(await allowedFile(join(inside, "file"), [inside])).toBe(join(inside, "file"));
  expect(await allowedFile(join(inside, "fine"), ["/nowhere", inside])).toBe(join(inside, "file"));
  expect(await allowedTarget(join(inside, "new"), [inside])).toBe(join(inside, "new"));
});

it("all else is refused with the same words, whether it is there or not", async () => {
  const paths = ["link", "up/secret", "../secret", "missing", "a\0b", "a\nb", "", "up/in/../secret"].map(
    (name) => `${inside}/${name}`,
  );
  const said = new Set<string>();
  for (const path of [...paths, "file", inside, "/etc/passwd", `${inside}x`, `/${"a".repeat(5000)}`]) {
    const error = await allowedFile(path, [inside]).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(RpcError);
    said.add(error instanceof RpcError ? error.message : "");
  }
  expect(said.size).toBe(1);
  await expect(allowedTarget(join(inside, "up", "new"), [inside])).rejects.toThrow(RpcError);
  await expect(allowedTarget(`${inside}/..`, [inside])).rejects.toThrow(RpcError);
});

it("a URL of a claim never leads out of it", () => {
  expect(stagedPath("/m", "pvc://c/vmmigrations/ns/name/export-1.qcow2")).toBe(
    "/m/c/vmmigrations/ns/name/export-1.qcow2",
  );
  const part = fc.constantFrom("..", ".", "/", "a", "%2e%2e", "\\", "\n", "\0", " ", "c", "x.qcow2", "?", "#");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(part).map((parts) => `pvc://${parts.join("/")}`),
      ),
      (url) => {
        try {
          const path = stagedPath("/m", url);
          expect(isInside("/m", path)).toBe(true);
          expect(path).toMatch(/^\/m(\/[A-Za-z0-9_][A-Za-z0-9._-]*){2,}$/);
        } catch (error) {
          expect(error).toBeInstanceOf(RpcError);
        }
      },
    ),
  );
});

it("sockets have a short path, however long that of the state directory is", () => {
  const run = (root: string) => layoutOf(root).machine("q-aaaaaaaaaaaa").run;
  expect(socketFolder(run("/s"), "q-aaaaaaaaaaaa", "/tmp")).toBe("/s/vms/q-aaaaaaaaaaaa/run");
  expect(socketFolder(run(`/${"l".repeat(100)}`), "q-aaaaaaaaaaaa", "/tmp")).toBe("/tmp/telltale-qemu-q-aaaaaaaaaaaa");
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "é", "/"), maxLength: 200 }), (root) => {
      const path = `${socketFolder(run(`/${root}`), "q-aaaaaaaaaaaa", "/tmp")}/qmp.sock`;
      expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
    }),
  );
});

it("a claim is reached also where its mount is a link, and nothing beside it through a link inside", async () => {
  const storageDir = join(folder, "claims");
  const [mine, other] = [join(folder, "volume-1"), join(folder, "volume-2")];
  for (const one of [storageDir, mine, other]) mkdirSync(one);
  writeFileSync(join(mine, "disk.qcow2"), "");
  writeFileSync(join(other, "disk.qcow2"), "");
  symlinkSync(mine, join(storageDir, "mine"));
  symlinkSync(other, join(storageDir, "other"));
  symlinkSync(join(other, "disk.qcow2"), join(mine, "others.qcow2"));
  expect(await stagedFile({ storageDir }, "pvc://mine/disk.qcow2")).toBe(join(mine, "disk.qcow2"));
  await expect(stagedFile({ storageDir }, "pvc://mine/others.qcow2")).rejects.toThrow(RpcError);
});
