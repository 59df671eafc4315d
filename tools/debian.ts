// Programs of Debian's packages: given by the environment, or the system's, and installed where we may.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Environment } from "./cache.ts";
import { skipOrFail } from "./require.ts";

export interface Debian {
  /** `QEMU` */
  readonly name: string;
  /** Holds a PATH that has the programs. */
  readonly variable: string;
  readonly programs: readonly string[];
  readonly packages: readonly string[];
  /** Where they are, beside the PATH. */
  readonly folders: readonly string[];
  /** Brings them: `npm run qemu`. */
  readonly script: string;
}

/** A PATH with all of the programs, or undefined where one is missing. */
export function find(it: Debian, env: Environment = process.env, system = it.folders): string | undefined {
  const given = env[it.variable];
  const path = given || [env["PATH"] ?? "", ...system].join(delimiter);
  const missing = it.programs.filter((program) => !isIn(path, program));
  if (missing.length === 0) return path;
  if (!given) return undefined;
  throw new Error(
    `${it.variable} is ${given}, which has no ${missing.join(", ")}; correct it, or unset it to use the system's`,
  );
}

/** The PATH for a suite that runs only where they are. Without it see `skipOrFail`. */
export function findFor(suite: string, it: Debian, env?: Environment, system?: readonly string[]): string | undefined {
  const path = find(it, env, system);
  return path ?? skipOrFail(suite, it.name, `install ${it.packages.join(", ")}, or run as root: ${it.script}`, env);
}

/** Installs the packages, unless the programs are there. `after`: what is done once they are. */
export function install(
  it: Debian,
  say: (line: string) => void,
  env: Environment = process.env,
  after: () => void = () => {},
): string {
  const there = find(it, env);
  if (there !== undefined) return there;
  const { name, packages, programs, folders } = it;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !isIn(env["PATH"] ?? "", "apt-get"))
    throw new Error(
      `${name} is not there, and only root can install it with apt-get; install ${packages.join(", ")}, or set ${it.variable} to a PATH that has it`,
    );
  say(`installing ${packages.join(", ")} (a minute, the first time)`);
  const aptEnv = { ...env, DEBIAN_FRONTEND: "noninteractive" };
  const wanted = ["install", "-y", "--no-install-recommends", ...packages];
  if (!ran("apt-get", wanted, aptEnv)) {
    ran("apt-get", ["update"], aptEnv);
    if (!ran("apt-get", wanted, aptEnv)) throw new Error(`apt-get cannot install ${name}; its messages are above`);
  }
  after();
  const path = find(it, env);
  if (path === undefined)
    throw new Error(`${name} was installed, and ${programs.join(", ")} are not all in ${folders.join(" and ")}`);
  return path;
}

export function ran(program: string, args: readonly string[], env: Environment, output: "ignore" | 2 = 2): boolean {
  return spawnSync(program, args, { env: { ...env }, stdio: ["ignore", output, output] }).status === 0;
}

function isIn(path: string, program: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}
