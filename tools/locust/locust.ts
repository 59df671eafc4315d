// Where the real Locust is: given by the environment, in the cache, or put there once with pip.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { cacheRoot, type Environment } from "../cache.ts";

/** What the operator's documents and stand-in speak of. */
export const locustVersion = "2.46.3";

/** The folder with `locust`, or undefined where it would have to be installed first. */
export function findLocust(env: Environment = process.env): string | undefined {
  const given = env["TELLTALE_LOCUST"];
  if (!given) return existsSync(join(cacheFolder(env), "bin", "locust")) ? join(cacheFolder(env), "bin") : undefined;
  if (existsSync(join(given, "locust"))) return given;
  throw new Error(`TELLTALE_LOCUST is ${given}, which has no locust; correct it, or unset it to install one with pip`);
}

/** The program for a suite that runs only where it is. Without it one line says that the suite is skipped. */
export function locustFor(suite: string, env: Environment = process.env): string | undefined {
  const folder = findLocust(env);
  if (folder !== undefined) return join(folder, "locust");
  process.stderr.write(`skipped: ${suite} needs Locust; set TELLTALE_LOCUST or run: npm run locust\n`);
  return undefined;
}

/** Makes a virtual environment with Locust in the cache, unless there is one. Needs Python 3.11 or newer, and PyPI. */
export async function installLocust(say: (line: string) => void, env: Environment = process.env): Promise<string> {
  const target = cacheFolder(env);
  if (!existsSync(join(target, "bin", "locust"))) await install(target, say, env);
  return join(target, "bin");
}

export function cacheFolder(env: Environment): string {
  return join(cacheRoot(env), "locust", locustVersion);
}

async function install(target: string, say: (line: string) => void, env: Environment): Promise<void> {
  const probe = ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"];
  if (spawnSync("python3", probe, { env }).status !== 0) {
    throw new Error(
      "there is no Python 3.11 with venv; install it, or set TELLTALE_LOCUST to a folder that has locust",
    );
  }
  const parent = join(target, "..");
  mkdirSync(parent, { recursive: true });
  // A virtual environment knows its own path and cannot be moved: a link to it can. Two at once do the work twice, and neither
  // sees half of it.
  const scratch = mkdtempSync(join(parent, `${basename(target)}-`));
  try {
    say(`installing Locust ${locustVersion} (a minute, the first time)`);
    await run("python3", ["-m", "venv", scratch], env);
    const wanted = ["install", "--quiet", "--disable-pip-version-check", `locust==${locustVersion}`];
    await run(join(scratch, "bin", "pip"), wanted, env);
    symlinkSync(basename(scratch), `${scratch}.link`);
    renameSync(`${scratch}.link`, target);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw error;
  }
}

function run(program: string, args: readonly string[], env: Environment): Promise<void> {
  // What a program prints is for people: the standard output is for the folder.
  const child = spawn(program, args, { env: { ...env }, stdio: ["ignore", 2, "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${basename(program)} ended with ${code ?? signal}; its messages are above`));
    });
  });
}
