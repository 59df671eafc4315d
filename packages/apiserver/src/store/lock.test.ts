import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@telltale/clock";
import { afterAll, expect, test } from "vitest";
import { openStore } from "./open.ts";

const root = mkdtempSync(join(tmpdir(), "telltale-lock-"));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
const newFolder = (): string => join(root, String(folders++));

async function openAt(dir: string) {
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  return { store: await openStore({ clock: new VirtualClock(), storage: { kind: "disk", dir }, log }), lines };
}

const locks = (dir: string): string[] => readdirSync(dir).filter((name) => name.startsWith("LOCK"));

test("a second opening in this process is refused", async () => {
  const dir = newFolder();
  const { store } = await openAt(dir);
  await expect(openAt(dir)).rejects.toThrow(`is in use by this process (${process.pid}); stop it first`);
  await store.close();
  await (await openAt(dir)).store.close();
});

test("a second process is refused, and leaves the first alone", async () => {
  const dir = newFolder();
  const { store } = await openAt(dir);
  const script = `
      import { openStore } from ${JSON.stringify(new URL("./open.ts", import.meta.url).href)};
      const clock = { now: () => 0, after: () => ({ cancel() {} }) };
      await openStore({ clock, storage: { kind: "disk", dir: ${JSON.stringify(dir)} } })
        .then(() => console.log("opened"), (error) => console.log(error.code, error.message));`;
  const other = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(other.stdout).toBe(
    `StoreUnusable store ${dir} is in use by process ${process.pid}; stop it first, or use another folder\n`,
  );
  await store.commit("//pods/a/x", { object: { metadata: {} } }).durable();
  await store.close();
});

test.each([
  ["of a process that is gone", { pid: 2 ** 22 + 5, started: "x" }],
  ["of a process whose pid another one has now", { pid: process.pid, started: "another boot 1" }],
  ["that names nobody", {}],
])("a lock %s is taken over", async (_, owner) => {
  const dir = newFolder();
  await (await openAt(dir)).store.close();
  writeFileSync(join(dir, "LOCK"), JSON.stringify(owner));
  const { store, lines } = await openAt(dir);
  expect(lines).toEqual([expect.stringContaining("took over the lock")]);
  expect(locks(dir)).toEqual(["LOCK"]);
  await store.close();
});
