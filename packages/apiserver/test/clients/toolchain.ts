// The clients of other languages, unchanged: each is fetched once with its own tools into the cache, outside the checkout.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../../../../tools/envtest/assets.ts";
import { skipOrFail } from "../../../../tools/require.ts";
import { run } from "../program.ts";

const kopfVersion = "1.45.2";
const clientNodeName = "@kubernetes/client-node";
const clientNodeVersion = "2.0.1";

/** The program of clients/go, built; undefined, after one line, where there is no Go or no network. */
export async function goClients(): Promise<string | undefined> {
  const cwd = fileURLToPath(new URL("./go", import.meta.url));
  return prepared("client-go and controller-runtime", "go", ["version"], async () => {
    const folder = made("go");
    const scratch = mkdtempSync(join(folder, "build-"));
    try {
      // Built each time, as the sources may have changed; Go's own cache makes that a second.
      const output = join(scratch, "clients");
      await must("go", ["build", "-trimpath", "-o", output, "."], { cwd, env: { ...process.env, CGO_ENABLED: "0" } });
      renameSync(output, join(folder, "clients"));
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
    return join(folder, "clients");
  });
}

/** A Python that has Kopf. */
export async function kopfPython(): Promise<string | undefined> {
  return prepared("Kopf", "python3", ["-c", "import venv, ensurepip"], async () => {
    const folder = made(`kopf-${kopfVersion}`);
    const python = join(folder, "bin", "python");
    await once(folder, async () => {
      await must("python3", ["-m", "venv", "--clear", folder]);
      await must(python, ["-m", "pip", "install", "--quiet", `kopf==${kopfVersion}`]);
    });
    return python;
  });
}

/** The file to import `@kubernetes/client-node` from. */
export async function clientNode(): Promise<string | undefined> {
  return prepared(clientNodeName, "npm", ["--version"], async () => {
    const folder = made(`client-node-${clientNodeVersion}`);
    await once(folder, () =>
      must("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", `${clientNodeName}@${clientNodeVersion}`]),
    );
    return createRequire(join(folder, "package.json")).resolve(clientNodeName);
  });
}

async function prepared(
  name: string,
  tool: string,
  args: readonly string[],
  prepare: () => Promise<string>,
): Promise<string | undefined> {
  const suite = `the suite of ${name}`;
  if (spawnSync(tool, args, { stdio: "ignore" }).status !== 0) return skipOrFail(suite, tool, "install it");
  for (let tries = 1; ; tries++) {
    try {
      return await prepare();
    } catch (error) {
      // A compiler's complaint about our own sources is no missing tool.
      if (!/dial tcp|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|No matching distribution|Connection/i.test(String(error)))
        throw error;
      if (tries === 3) return skipOrFail(suite, "what its tool fetches", `three tries failed, the last with: ${error}`);
    }
  }
}

function made(name: string): string {
  const folder = join(cacheFolder(process.env), "..", "..", "clients", name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** What was broken off is begun again. */
async function once(folder: string, install: () => Promise<void>): Promise<void> {
  const complete = join(folder, "complete");
  if (existsSync(complete)) return;
  await install();
  writeFileSync(complete, "");
}

async function must(file: string, args: readonly string[], options: Parameters<typeof run>[2] = {}): Promise<void> {
  const { exit, stderr } = await run(file, args, { timeoutMs: 600_000, ...options });
  if (exit !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${exit}: ${stderr.slice(-2000)}`);
}
