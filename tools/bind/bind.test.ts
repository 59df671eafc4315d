import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bindFor, findBind, installBind, programs } from "./bind.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-bind-"));
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
  expect(() => findBind({ TELLTALE_BIND: folder })).toThrow(/has no named; correct it, or unset it/);
  program("named");
  expect(findBind({ TELLTALE_BIND: folder, PATH: "/nowhere" })).toBe(folder);
  expect(installBind(() => {}, { TELLTALE_BIND: folder })).toBe(folder);
});

test("a file that cannot be run does not count", () => {
  for (const name of programs) program(name);
  chmodSync(join(folder, "dig"), 0o644);
  expect(() => findBind({ TELLTALE_BIND: folder })).toThrow(/has no dig/);
});

test("a suite is told in one line that it is skipped", () => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(bindFor("the contract", { PATH: "/nowhere" }, [])).toBeUndefined();
  expect(said.mock.calls).toEqual([
    ["skipped: the contract needs BIND; install bind9, bind9-utils, bind9-dnsutils, or run as root: npm run bind\n"],
  ]);
  for (const name of programs) program(name);
  expect(bindFor("the contract", { PATH: folder }, [])).toBe(folder);
});
