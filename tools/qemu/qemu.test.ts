import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findQemu, installQemu, programs, qemuFor } from "./qemu.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-qemu-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function program(name: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), "#!/bin/sh\n");
  chmodSync(join(folder, name), 0o755);
}

test("a given PATH comes first, and must have everything", () => {
  for (const name of programs.slice(1)) program(name);
  expect(() => findQemu({ TELLTALE_QEMU: folder })).toThrow(/has no qemu-system-x86_64; correct it, or unset it/);
  program("qemu-system-x86_64");
  expect(findQemu({ TELLTALE_QEMU: folder, PATH: "/nowhere" })).toBe(folder);
  expect(installQemu(() => {}, { TELLTALE_QEMU: folder })).toBe(folder);
});

test("a file that cannot be run does not count", () => {
  for (const name of programs) program(name);
  chmodSync(join(folder, "qemu-img"), 0o644);
  expect(() => findQemu({ TELLTALE_QEMU: folder })).toThrow(/has no qemu-img/);
});

test("a suite is told in one line that it is skipped", () => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(qemuFor("the machines", { PATH: "/nowhere" }, [])).toBeUndefined();
  expect(said.mock.calls).toEqual([
    ["skipped: the machines needs QEMU; install qemu-system-x86, qemu-utils, or run as root: npm run qemu\n"],
  ]);
  for (const name of programs) program(name);
  expect(qemuFor("the machines", { PATH: folder }, [])).toBe(folder);
});
