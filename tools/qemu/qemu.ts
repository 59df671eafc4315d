// Where the real QEMU is: given by the environment, or the system's. Debian's packages can be installed where we may.
import type { Environment } from "../cache.ts";
import { find, findFor, install } from "../debian.ts";

/** What a suite needs: the machine and its disks. */
export const programs = ["qemu-system-x86_64", "qemu-img"] as const;
const qemu = {
  name: "QEMU",
  variable: "TELLTALE_QEMU",
  programs,
  packages: ["qemu-system-x86", "qemu-utils"],
  folders: ["/usr/bin"],
  script: "npm run qemu",
};

export const findQemu = (env?: Environment, system?: string[]) => find(qemu, env, system);
export const qemuFor = (suite: string, env?: Environment, system?: string[]) => findFor(suite, qemu, env, system);
export const installQemu = (say: (line: string) => void, env?: Environment) => install(qemu, say, env);
