import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ZoneFolder } from "./zone-folder.ts";

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "zones-"));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

test("a zone that is written again takes the place of the old file, without its journal", async () => {
  const folder = await ZoneFolder.open(path);
  await folder.write("example.com", "one");
  writeFileSync(`${folder.fileOf("example.com")}.jnl`, "journal");
  await folder.write("example.com", "two");
  expect(readdirSync(path)).toEqual(["example.com.zone"]);
  expect(readFileSync(folder.fileOf("example.com"), "utf8")).toBe("two");
});

test("a zone that cannot be written again stays as it was, and nothing else stays", async () => {
  const folder = await ZoneFolder.open(path);
  await folder.write("example.com", "one");
  // It cannot be removed as a file.
  mkdirSync(`${folder.fileOf("example.com")}.jnl`);
  await expect(folder.write("example.com", "two")).rejects.toThrow();
  expect(readFileSync(folder.fileOf("example.com"), "utf8")).toBe("one");
  expect(readdirSync(path).sort()).toEqual(["example.com.zone", "example.com.zone.jnl"]);
});
