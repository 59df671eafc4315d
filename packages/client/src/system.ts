// The ports to the machine: its files, its programs, its environment. And the shortest way from there to a connection.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter } from "node:path";
import type { Clock } from "@telltale/clock";
import type { Connection, Env, Files, Run } from "./connection.ts";
import { inClusterConnection, isInCluster } from "./in-cluster.ts";
import { loadKubeconfig } from "./kubeconfig.ts";
import { resolveConnection } from "./resolve.ts";

export const systemFiles: Files = {
  async read(path) {
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  },
};

export const systemRun: Run = (command, args, env, signal) =>
  new Promise((resolve, reject) => {
    const options = { env: { ...env }, maxBuffer: 1 << 20, signal, killSignal: "SIGKILL" } as const;
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      // A number is how the program ended; a text, why it could not be run.
      if (error !== null && typeof error.code !== "number") reject(error);
      else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    // A plugin that asks for a password finds the end of its input, as under client-go, and does not wait for ever.
    child.stdin?.end();
  });

export interface FindOptions {
  readonly clock: Clock;
  /** This kubeconfig alone. */
  readonly path?: string;
  readonly context?: string;
  readonly env?: Env;
  readonly files?: Files;
  readonly run?: Run;
  readonly home?: string;
}

/** As kubectl finds it: a kubeconfig, and where there is none, the pod's own cluster. */
export async function findConnection(options: FindOptions): Promise<Connection> {
  const { clock, path, context, env = process.env, files = systemFiles, run = systemRun, home = homedir() } = options;
  const place = { files, env, home, delimiter, ...(path === undefined ? {} : { path }) };
  const config = await loadKubeconfig(place);
  if (config.files.length === 0 && isInCluster(env)) return inClusterConnection({ files, env, clock });
  return resolveConnection(config, { files, run, env, clock, ...(context === undefined ? {} : { context }) });
}
