// Where the real QEMU is: given by the environment, or the system's. Debian's packages can be installed where we may.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Environment } from "../cache.ts";

/** What a suite needs: the machine and its disks. */
export const programs = ["qemu-system-x86_64", "qemu-img"] as const;
const packages = ["qemu-system-x86", "qemu-utils"];

/** A PATH with both programs, or undefined where one is missing. */
export function findQemu(env: Environment = process.env, system = ["/usr/bin"]): string | undefined {
  const given = env["TELLTALE_QEMU"];
  const path = given || [env["PATH"] ?? "", ...system].join(delimiter);
  const missing = programs.filter((program) => !isIn(path, program));
  if (missing.length === 0) return path;
  if (!given) return undefined;
  throw new Error(
    `TELLTALE_QEMU is ${given}, which has no ${missing.join(", ")}; correct it, or unset it to use the system's`,
  );
}

/** The PATH for a suite that runs only where QEMU is. Without it one line says that the suite is skipped. */
export function qemuFor(suite: string, env: Environment = process.env, system?: string[]): string | undefined {
  const path = findQemu(env, system);
  if (path === undefined)
    process.stderr.write(
      `skipped: ${suite} needs QEMU; install ${packages.join(", ")}, or run as root: npm run qemu\n`,
    );
  return path;
}

/** Installs Debian's packages, unless QEMU is there. */
export function installQemu(say: (line: string) => void, env: Environment = process.env): string {
  const there = findQemu(env);
  if (there !== undefined) return there;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !isIn(env["PATH"] ?? "", "apt-get"))
    throw new Error(
      `QEMU is not there, and only root can install it with apt-get; install ${packages.join(", ")}, or set TELLTALE_QEMU to a PATH that has it`,
    );
  say(`installing ${packages.join(", ")} (a minute, the first time)`);
  const aptEnv = { ...env, DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-y", "--no-install-recommends", ...packages];
  if (!ran("apt-get", install, aptEnv)) {
    ran("apt-get", ["update"], aptEnv);
    if (!ran("apt-get", install, aptEnv)) throw new Error("apt-get cannot install QEMU; its messages are above");
  }
  const path = findQemu(env);
  if (path === undefined) throw new Error(`QEMU was installed, and ${programs.join(", ")} are not both in /usr/bin`);
  return path;
}

function ran(program: string, args: readonly string[], env: Environment): boolean {
  return spawnSync(program, args, { env: { ...env }, stdio: ["ignore", 2, 2] }).status === 0;
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
