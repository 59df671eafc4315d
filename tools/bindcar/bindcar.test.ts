import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bindcarFor, bindcarIn, bindcarVersions, buildBindcar, findBindcar } from "./bindcar.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-bindcar-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function program(path: string, script: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

const env = () => ({ TELLTALE_CACHE: join(folder, "cache"), PATH: folder });

/** A cargo that installs into the folder after `--root`. */
const cargo = (install: string) => {
  const metadata = { packages: [{ name: "utoipa-swagger-ui-vendored", manifest_path: "/crates/pages/Cargo.toml" }] };
  const script = [
    "PATH=/usr/bin:/bin",
    `[ "$1" = metadata ] && echo '${JSON.stringify(metadata)}'`,
    '[ "$1" = install ] || exit 0',
    "for root; do :; done",
    `mkdir -p "$root/bin"; ${install}`,
  ];
  program(join(folder, "cargo"), script.join("\n"));
};

test("a configured folder comes first, and must have every version", () => {
  for (const version of bindcarVersions.slice(1)) program(bindcarIn(folder, version), "");
  expect(() => findBindcar({ TELLTALE_BINDCAR: folder })).toThrow(
    /has no 0\.7\.2\/bin\/bindcar; correct it, or unset it/,
  );
  program(bindcarIn(folder, bindcarVersions[0] ?? ""), "");
  expect(findBindcar({ ...env(), TELLTALE_BINDCAR: folder })).toBe(folder);
});

test("without cargo the error says what to do", async () => {
  await expect(buildBindcar(() => {}, env())).rejects.toThrow(/install Rust, or set TELLTALE_BINDCAR/);
});

test("a version is in the cache only when it was built, and is not built twice", async () => {
  cargo(`case "$root" in *0.9.0) exit 1;; esac; echo built > "$root/bin/bindcar"`);
  await expect(buildBindcar(() => {}, env())).rejects.toThrow("cargo install ended with 1");
  expect(findBindcar(env())).toBeUndefined();
  cargo(`echo built > "$root/bin/bindcar"`);
  const lines: string[] = [];
  const built = await buildBindcar((line) => lines.push(line), env());
  expect(findBindcar(env())).toBe(built);
  await buildBindcar((line) => lines.push(line), env());
  expect(lines).toEqual(["building Bindcar 0.9.0 (minutes the first time)"]);
});

test("the pages that its build downloads from GitHub come from the registry of crates, unless others are given", async () => {
  cargo('echo "$SWAGGER_UI_DOWNLOAD_URL" > "$root/bin/bindcar"');
  const builtWith = (built: string) => readFileSync(bindcarIn(built, "0.9.0"), "utf8").trim();
  expect(builtWith(await buildBindcar(() => {}, env()))).toBe("file:///crates/pages/res/v5.32.6.zip");
  const given = {
    ...env(),
    TELLTALE_CACHE: join(folder, "other"),
    SWAGGER_UI_DOWNLOAD_URL: "https://pages.example/ui.zip",
  };
  expect(builtWith(await buildBindcar(() => {}, given))).toBe("https://pages.example/ui.zip");
});

test("a suite is told in one line that it is skipped", () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(bindcarFor("the prober", env())).toBeUndefined();
  expect(written.mock.calls).toEqual([
    ["skipped: the prober needs upstream's Bindcar; set TELLTALE_BINDCAR or run: npm run bindcar\n"],
  ]);
});
