// What a process runtime can be told, and what it does when it is told nothing.
import { availableParallelism, totalmem } from "node:os";
import { type Clock, type Random, systemClock, systemRandom } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Env } from "./env.ts";
import type { ImageTable } from "./images.ts";
import type { LogLimits } from "./log-file.ts";
import type { AddressMode } from "./network.ts";

export interface ProcessRuntimeOptions {
  /** The folder of all pods. With the same folder a new server knows the pods of the one before. Default: a new one that is removed by `stop`. */
  readonly root?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** What to run for a container without a command, by a glob on its image: `{ "locustio/locust:*": { command: ["locust"] } }`. */
  readonly images?: ImageTable;
  /** Where programs are looked for that a container's own PATH does not have. Default: our PATH. */
  readonly path?: string;
  /** The variables of ours that containers get. Default: PATH, LANG and TZ. */
  readonly inherit?: readonly string[];
  /** Whether paths of mounts in commands, arguments and variables are replaced by the real ones. Default: yes. */
  readonly translatePaths?: boolean;
  /** Default: `own` on Linux, `shared` elsewhere. */
  readonly addresses?: AddressMode;
  /** A container with more processes is killed. Default: 256. */
  readonly maxProcesses?: number;
  /** Of each run of a container. Default: files of 10 MB, 4 MB in a second. */
  readonly log?: Partial<LogLimits>;
  /** How long containers may take to end when the runtime stops. Default: 2 s. */
  readonly shutdownGrace?: Ms;
  /** What an operator of the server should know, in one line. Default: a warning of the process. */
  readonly onWarning?: (text: string) => void;
}

export interface Settings {
  readonly clock: Clock;
  readonly random: Random;
  readonly images: ImageTable;
  readonly path: string | undefined;
  readonly inherited: Env;
  readonly translatePaths: boolean;
  readonly addresses: AddressMode;
  readonly maxProcesses: number;
  readonly log: LogLimits;
  readonly shutdownGrace: Ms;
  readonly onWarning: (text: string) => void;
  readonly machine: { readonly cpus: number; readonly memoryBytes: number };
}

export function settingsOf(options: ProcessRuntimeOptions, env: NodeJS.ProcessEnv = process.env): Settings {
  const { clock = systemClock, random = systemRandom, images = {}, path = env["PATH"] } = options;
  const { inherit = ["PATH", "LANG", "TZ"], translatePaths = true, maxProcesses = 256 } = options;
  const { addresses = process.platform === "linux" ? "own" : "shared", log = {}, shutdownGrace = 2_000 } = options;
  return {
    clock,
    random,
    images,
    path,
    inherited: Object.fromEntries(
      inherit.flatMap((name) => {
        const value = env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    translatePaths,
    addresses,
    maxProcesses,
    log: { bytes: 10_000_000, rate: 4_000_000, ...log },
    shutdownGrace,
    onWarning: options.onWarning ?? ((text) => process.emitWarning(text)),
    machine: { cpus: availableParallelism(), memoryBytes: totalmem() },
  };
}
