import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findLocust, installLocust, locust, locustFor, locustVersion } from "./locust/locust.ts";
import { cacheFolder } from "./python.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-locust-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function program(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

/** A Python that makes an environment whose pip does as it is told. */
function python(pip: string): void {
  const made = `mkdir -p "$3/bin"; printf '#!/bin/sh\\n%s\\n' '${pip}' > "$3/bin/pip"; /bin/chmod +x "$3/bin/pip"`;
  program(join(folder, "python3"), `PATH=/usr/bin:/bin\nif [ "$1" = -m ]; then ${made}; fi`);
}

const env = () => ({ TELLTALE_CACHE: join(folder, "cache"), PATH: folder });

test("a given folder comes first, and must have it", () => {
  expect(() => findLocust({ TELLTALE_LOCUST: folder })).toThrow(/has no locust; correct it, or unset it/);
  program(join(folder, "locust"), "");
  expect(findLocust({ ...env(), TELLTALE_LOCUST: folder })).toBe(folder);
});

test("the cache counts when it has it", () => {
  expect(findLocust(env())).toBeUndefined();
  program(join(cacheFolder(locust, env()), "bin", "locust"), "");
  expect(findLocust(env())).toBe(join(cacheFolder(locust, env()), "bin"));
});

test("a suite is told in one line that it is skipped", () => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(locustFor("the contract", env())).toBeUndefined();
  expect(said.mock.calls).toEqual([
    ["skipped: the contract needs Locust; set TELLTALE_LOCUST or run: npm run locust\n"],
  ]);
  program(join(cacheFolder(locust, env()), "bin", "locust"), "");
  expect(locustFor("the contract", env())).toBe(join(cacheFolder(locust, env()), "bin", "locust"));
});

test("without Python the error says what to do", async () => {
  await expect(installLocust(() => {}, env())).rejects.toThrow(/no Python 3\.11 .* set TELLTALE_LOCUST/);
});

test("it is in the cache only when the installation has succeeded, and is not installed twice", async () => {
  python("exit 1");
  await expect(installLocust(() => {}, env())).rejects.toThrow("pip ended with 1");
  expect(findLocust(env())).toBeUndefined();
  python(`echo "$@" > "\${0%pip}locust"`);
  const said: string[] = [];
  expect(await installLocust((line) => said.push(line), env())).toBe(join(cacheFolder(locust, env()), "bin"));
  expect(findLocust(env())).toBe(join(cacheFolder(locust, env()), "bin"));
  await installLocust((line) => said.push(line), env());
  expect(said).toEqual([`installing locust==${locustVersion} (a minute, the first time)`]);
});
