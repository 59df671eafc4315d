// Where the real BIND is: given by the environment, or the system's. Debian's packages can be installed where we may.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Environment } from "../cache.ts";

/** What a suite needs: the server, its control, and what asks and changes it. */
export const programs = ["named", "rndc", "nsupdate", "dig", "tsig-keygen", "named-checkconf"] as const;
const packages = ["bind9", "bind9-utils", "bind9-dnsutils"];

/** A PATH with all of the programs, or undefined where one is missing. */
export function findBind(env: Environment = process.env, system = ["/usr/sbin", "/usr/bin"]): string | undefined {
  const given = env["TELLTALE_BIND"];
  const path = given || [env["PATH"] ?? "", ...system].join(delimiter);
  const missing = programs.filter((program) => !isIn(path, program));
  if (missing.length === 0) return path;
  if (!given) return undefined;
  throw new Error(
    `TELLTALE_BIND is ${given}, which has no ${missing.join(", ")}; correct it, or unset it to use the system's`,
  );
}

/** The PATH for a suite that runs only where BIND is. Without it one line says that the suite is skipped. */
export function bindFor(suite: string, env: Environment = process.env, system?: string[]): string | undefined {
  const path = findBind(env, system);
  if (path === undefined)
    process.stderr.write(
      `skipped: ${suite} needs BIND; install ${packages.join(", ")}, or run as root: npm run bind\n`,
    );
  return path;
}

/** Installs Debian's packages, unless BIND is there, and keeps the server that they would start from running. */
export function installBind(say: (line: string) => void, env: Environment = process.env): string {
  const there = findBind(env);
  if (there !== undefined) return there;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !isIn(env["PATH"] ?? "", "apt-get"))
    throw new Error(
      `BIND is not there, and only root can install it with apt-get; install ${packages.join(", ")}, or set TELLTALE_BIND to a PATH that has it`,
    );
  say(`installing ${packages.join(", ")} (a minute, the first time)`);
  const aptEnv = { ...env, DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-y", "--no-install-recommends", ...packages];
  if (!ran("apt-get", install, aptEnv)) {
    ran("apt-get", ["update"], aptEnv);
    if (!ran("apt-get", install, aptEnv)) throw new Error("apt-get cannot install BIND; its messages are above");
  }
  // A machine without systemd starts nothing: there is nothing to stop then.
  ran("systemctl", ["disable", "--now", "named"], env, "ignore");
  const path = findBind(env);
  if (path === undefined)
    throw new Error(`BIND was installed, and ${programs.join(", ")} are not all in /usr/sbin and /usr/bin`);
  return path;
}

function ran(program: string, args: readonly string[], env: Environment, output: "ignore" | 2 = 2): boolean {
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
