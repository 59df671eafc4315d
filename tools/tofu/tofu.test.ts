import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildTofu, cacheFolder, findTofu, tofuVersion } from "./tofu.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-tofu-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function program(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

const env = () => ({ TELLTALE_CACHE: join(folder, "cache"), PATH: folder });

/** A Go that builds into the file that it is told. */
const go = (build: string) =>
  program(
    join(folder, "go"),
    `PATH=/usr/bin:/bin\ncase "$1" in mod) echo '{"Dir":"${folder}"}';; build) ${build};; esac`,
  );

test("a given folder comes first, and must have it", () => {
  expect(() => findTofu({ TELLTALE_TOFU: folder })).toThrow(/has no tofu; correct it, or unset it/);
  program(join(folder, "tofu"), "");
  expect(findTofu({ ...env(), TELLTALE_TOFU: folder })).toBe(folder);
});

test("without Go the error says what to do", async () => {
  await expect(buildTofu(() => {}, env())).rejects.toThrow(/set TELLTALE_TOFU/);
});

test("it is in the cache only when it was built, and is not built twice", async () => {
  go("exit 1");
  await expect(buildTofu(() => {}, env())).rejects.toThrow("go build ended with 1");
  expect(findTofu(env())).toBeUndefined();
  go('echo built > "$6"');
  const said: string[] = [];
  expect(await buildTofu((line) => said.push(line), env())).toBe(cacheFolder(env()));
  expect(findTofu(env())).toBe(cacheFolder(env()));
  await buildTofu((line) => said.push(line), env());
  expect(said).toEqual([`building OpenTofu ${tofuVersion} (minutes the first time)`]);
});
