// What an earlier server left running is ended, and nothing else.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive, must } from "../../test/process/driver.ts";
import { endLeftovers, lockFolder } from "./leftovers.ts";
import { hasProc, startOf } from "./proc.ts";

let root = "";
const started: ChildProcess[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "telltale-left-"));
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  rmSync(root, { recursive: true });
});

async function sleeper(env: Readonly<Record<string, string>>): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn("sleep", ["600"], {
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env["PATH"], ...env },
  });
  started.push(child);
  await once(child, "spawn");
  return Object.assign(child, { pid: must(child.pid) });
}

const marks = (uid: string, of = root) => ({
  TELLTALE_POD_UID: uid,
  TELLTALE_ROOT: `${of}/pods/${uid}/containers/c/rootfs`,
});

describe.skipIf(!hasProc)("a process of an earlier server", () => {
  it("is known by its variables, written down or not", async () => {
    const left = await sleeper(marks("u1"));
    const gone = once(left, "exit");
    await endLeftovers(root, []);
    await gone;
    expect(isAlive(left.pid)).toBe(false);
  });

  it("is known by its record, if pid, start and variables are the same", async () => {
    const left = await sleeper({ TELLTALE_POD_UID: "u1" });
    const gone = once(left, "exit");
    await endLeftovers(root, [{ uid: "u1", process: { pid: left.pid, started: must(startOf(left.pid)) } }]);
    await gone;
  });

  it("is not one that has its pid now", async () => {
    const stranger = await sleeper({});
    const other = await sleeper({ TELLTALE_POD_UID: "u2" });
    const elsewhere = await sleeper(marks("u1", `${root}-other`));
    const startOfStranger = must(startOf(stranger.pid));
    await endLeftovers(root, [
      { uid: "u1", process: { pid: stranger.pid, started: startOfStranger } }, // reused: the variables are not those of a pod
      { uid: "u1", process: { pid: other.pid, started: must(startOf(other.pid)) } }, // of another pod
      { uid: "u2", process: { pid: other.pid, started: "another start" } }, // reused
      { uid: "u2", process: { pid: other.pid } }, // nobody knows when it started
    ]);
    expect([stranger, other, elsewhere].map(({ pid }) => isAlive(pid))).toEqual([true, true, true]);
  });
});

describe("the lock of a folder", () => {
  it("is held until it is let go", () => {
    const unlock = lockFolder(root);
    expect(() => lockFolder(root)).toThrow(`the folder of pods ${root} is in use by this process`);
    unlock();
    lockFolder(root)();
    expect(readdirSync(root)).toEqual([]);
  });

  it("of a process that is gone is taken over", () => {
    for (const text of ['{"pid":4194304}', `{"pid":${process.pid},"started":"before"}`, "not JSON"]) {
      writeFileSync(join(root, "LOCK"), text);
      const unlock = lockFolder(root);
      expect(existsSync(join(root, "LOCK"))).toBe(true);
      unlock();
    }
  });

  it("of a process that lives is respected", async () => {
    const other = await sleeper({});
    writeFileSync(join(root, "LOCK"), JSON.stringify({ pid: other.pid }));
    expect(() => lockFolder(root)).toThrow(`in use by process ${other.pid}; stop it first, or use another folder`);
    mkdirSync(join(root, "pods"));
  });
});
