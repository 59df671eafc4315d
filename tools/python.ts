// Programs from PyPI: given by the environment, in the cache, or put there once with pip, in a virtual environment.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { cacheRoot, type Environment } from "./cache.ts";
import { skipOrFail } from "./require.ts";

export interface PythonTool {
  /** For people. */
  readonly label: string;
  /** What has to be in its folder. */
  readonly program: string;
  /** What pip installs, with exact versions. */
  readonly packages: readonly string[];
  /** Of the cache; another version is another folder. */
  readonly folder: string;
  /** The environment variable that names the folder of an installed one. */
  readonly variable: string;
  readonly command: string;
}

/** The folder with the program, or undefined where it would have to be installed first. */
export function findTool(tool: PythonTool, env: Environment): string | undefined {
  const { program, variable } = tool;
  const given = env[variable];
  const cached = join(cacheFolder(tool, env), "bin");
  if (!given) return existsSync(join(cached, program)) ? cached : undefined;
  if (existsSync(join(given, program))) return given;
  throw new Error(`${variable} is ${given}, which has no ${program}; correct it, or unset it to install one with pip`);
}

/** The program for a suite that runs only where it is. Without it see `skipOrFail`. */
export function toolFor(tool: PythonTool, suite: string, env: Environment): string | undefined {
  const folder = findTool(tool, env);
  if (folder !== undefined) return join(folder, tool.program);
  const { label, variable, command } = tool;
  return skipOrFail(suite, label, `set ${variable} or run: ${command}`, env);
}

/** Makes a virtual environment with it in the cache, unless there is one. Needs Python 3.11 or newer, and PyPI. */
export async function installTool(tool: PythonTool, say: (line: string) => void, env: Environment): Promise<string> {
  const target = cacheFolder(tool, env);
  if (!existsSync(join(target, "bin", tool.program))) await install(tool, target, say, env);
  return join(target, "bin");
}

export function cacheFolder({ folder }: PythonTool, env: Environment): string {
  return join(cacheRoot(env), folder);
}

async function install(
  { packages, variable, program }: PythonTool,
  target: string,
  say: (line: string) => void,
  env: Environment,
): Promise<void> {
  const probe = ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"];
  if (spawnSync("python3", probe, { env }).status !== 0) {
    throw new Error(
      `there is no Python 3.11 with venv; install it, or set ${variable} to a folder that has ${program}`,
    );
  }
  const parent = join(target, "..");
  mkdirSync(parent, { recursive: true });
  // A virtual environment knows its own path and cannot be moved: a link to it can. Two at once do the work twice, and neither
  // sees half of it.
  const scratch = mkdtempSync(join(parent, `${basename(target)}-`));
  try {
    say(`installing ${packages.join(", ")} (a minute, the first time)`);
    await run("python3", ["-m", "venv", scratch], env);
    const wanted = ["install", "--quiet", "--disable-pip-version-check", ...packages];
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
