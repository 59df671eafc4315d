// Pods of nameservers as local processes (10.6): what the process runtime has to be told so that it can run them. named and
// Bindcar are the real ones; only paths and ports are those of a pod without a container around it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface LocalPodsOptions {
  /** Where named, rndc, nsupdate and dig are. */
  readonly path: string;
  /** Whether pods run BIND, or a simulated Bindcar in its place that answers no DNS. */
  readonly as: "real" | "simulated";
  /** How Bindcar knows who may ask. */
  readonly access: LocalAccess;
}

export type LocalAccess =
  | { readonly by: "shared secret"; readonly token: string }
  /** By the token of each pod's service account. */
  | { readonly by: "token review"; readonly server: string };

/** To be spread into the options of `processRuntime`. */
export interface LocalPods {
  readonly runtime: {
    readonly images: Readonly<Record<string, LocalProgram>>;
    readonly path: string;
    readonly inherit: readonly string[];
    /** named does not listen on an address of loopback that no interface has: ports tell pods apart. */
    readonly addresses: "shared";
  };
  /** Removes what was made for it. */
  remove(): void;
}

interface LocalProgram {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

export function localPods({ path, as, access }: LocalPodsOptions): LocalPods {
  const folder = mkdtempSync(join(tmpdir(), "bindy-local-"));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  // The Deployment says `named`: this is what it finds. By name also because a path below `/tmp` would be one of the pod's own.
  for (const [name, program] of [
    ["named", namedProgram],
    ["bindcar", bindcarProgram],
  ] as const) {
    const file = join(bin, name);
    writeFileSync(file, `#!/bin/sh\nexec ${word(process.execPath)} ${word(program)} "$@"\n`);
    chmodSync(file, 0o755);
  }
  const env = { LOCAL_PATH: path, LOCAL_MODE: as, ...accessEnv(access) };
  return {
    runtime: {
      images: { "*bindcar*": { command: ["bindcar"], env }, "*": { command: ["named"], env } },
      path: [bin, path].join(delimiter),
      inherit: ["LANG", "TZ"],
      addresses: "shared",
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function accessEnv(access: LocalAccess): Readonly<Record<string, string>> {
  return access.by === "shared secret" ? { BIND_API_TOKEN: access.token } : { LOCAL_API_SERVER: access.server };
}

const namedProgram = fileURLToPath(new URL("./named-program.ts", import.meta.url));
const bindcarProgram = fileURLToPath(new URL("./bindcar-program.ts", import.meta.url));

/** For a shell. */
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
