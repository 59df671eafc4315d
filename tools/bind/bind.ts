// Where the real BIND is: given by the environment, or the system's. Debian's packages can be installed where we may.
import type { Environment } from "../cache.ts";
import { find, findFor, install, ran } from "../debian.ts";

/** What a suite needs: the server, its control, and what asks and changes it. */
export const programs = ["named", "rndc", "nsupdate", "dig", "tsig-keygen", "named-checkconf"] as const;
const bind = {
  name: "BIND",
  variable: "TELLTALE_BIND",
  programs,
  packages: ["bind9", "bind9-utils", "bind9-dnsutils"],
  folders: ["/usr/sbin", "/usr/bin"],
  script: "npm run bind",
};

export const findBind = (env?: Environment, system?: string[]) => find(bind, env, system);
export const bindFor = (suite: string, env?: Environment, system?: string[]) => findFor(suite, bind, env, system);

/** And keeps the server that the packages would start from running: a machine without systemd starts nothing. */
export const installBind = (say: (line: string) => void, env: Environment = process.env) =>
  install(bind, say, env, () => ran("systemctl", ["disable", "--now", "named"], env, "ignore"));
