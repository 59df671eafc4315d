// The command line of a stand-in: Locust's own, with its exit codes, and a few flags more.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Ms } from "@telltale/kinds";
import { type FlagName, readFlags } from "../telemetry/flags.ts";
import { parseTimespan } from "../telemetry/options.ts";
import type { Place } from "./link.ts";
import type { LoadOptions } from "./load.ts";
import type { WebOptions } from "./routes.ts";
import type { RunOptions } from "./runner.ts";

export type Program =
  | { readonly as: "master"; readonly master: Master; readonly own: OwnOptions }
  | { readonly as: "worker"; readonly place: Place; readonly processes: number; readonly own: OwnOptions }
  | { readonly as: "exit"; readonly code: number; readonly message: string };

export interface Master {
  readonly run: RunOptions;
  readonly web: WebOptions & Place;
  readonly bind: Place;
}

/** What Locust does not have. */
export interface OwnOptions {
  readonly timeScale: number;
  readonly seed: number;
  readonly controlPort?: number;
  readonly load: Partial<LoadOptions>;
}

type Env = Readonly<Record<string, string | undefined>>;

export function programOf(args: readonly string[], env: Env): Program {
  try {
    return read(args, env);
  } catch (error) {
    if (error instanceof Refused) return { as: "exit", code: error.code, message: error.message };
    throw error;
  }
}

/** Ends the program before it begins. */
class Refused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const usage = 2;

function read(args: readonly string[], env: Env): Program {
  const { own, rest } = ownOptions(args, env);
  const { values, wrong } = readFlags(rest);
  if (wrong.length > 0) throw new Refused(usage, `unrecognized arguments: ${wrong.join(" ")}`);
  const has = (flag: FlagName, name = ""): boolean => values.has(flag) || /^(true|1|yes)$/i.test(env[name] ?? "");
  const text = (flag: FlagName, name = ""): string | undefined => values.get(flag)?.[0] ?? env[name];
  const whole = (flag: FlagName, name = ""): number | undefined => {
    const given = text(flag, name);
    if (given === undefined) return undefined;
    if (!/^[+-]?\d+$/.test(given)) throw new Refused(usage, `argument ${flag}: invalid int value`);
    return Number(given);
  };
  if (has("--version")) throw new Refused(0, "locust 2.46.3 (stand-in)");
  if (has("--help")) throw new Refused(0, "A stand-in for locust: see its arguments.");
  for (const flag of ["--slave", "--expect-slaves", "--legacy-ui", "--web-auth"] as const) {
    if (has(flag)) throw new Refused(usage, `argument ${flag}: it is no longer supported`);
  }
  const file = text("--locustfile", "LOCUST_LOCUSTFILE");
  if (file !== undefined && file !== "-" && !file.split(",").every((it) => existsSync(it))) {
    throw new Refused(1, `Could not find '${file}'. Ensure your locustfile ends with '.py'`);
  }
  const isMaster = has("--master", "LOCUST_MODE_MASTER");
  const isWorker = has("--worker", "LOCUST_MODE_WORKER");
  const processes = whole("--processes", "LOCUST_PROCESSES");
  const run = runOptions({ has, text, whole });
  if (run.autoquit !== undefined && !run.autostart && !isWorker) {
    throw new Refused(1, "--autoquit is only meaningful in combination with --autostart");
  }
  if (isMaster && processes !== undefined) throw new Refused(1, "--master cannot be combined with --processes");
  if (isMaster && isWorker) throw new Refused(255, "The --master argument cannot be combined with --worker");
  if (isWorker) {
    const host = text("--master-host", "LOCUST_MASTER_NODE_HOST") ?? "127.0.0.1";
    const port = whole("--master-port", "LOCUST_MASTER_NODE_PORT") ?? 5557;
    return { as: "worker", place: { host, port }, processes: Math.max(1, processes ?? 1), own };
  }
  if (!isMaster) throw new Refused(1, "the stand-in is a master or a worker: give --master or --worker");
  const basePath = text("--web-base-path", "LOCUST_WEB_BASE_PATH") ?? "";
  if (basePath !== "" && !basePath.startsWith("/")) {
    throw new Refused(1, "Invalid format for --web-base-path argument: the url path must start with a slash.");
  }
  const bindHost = text("--master-bind-host", "LOCUST_MASTER_BIND_HOST") ?? "*";
  return {
    as: "master",
    own,
    master: {
      run,
      web: {
        basePath,
        login: has("--web-login", "LOCUST_WEB_LOGIN"),
        host: hostOf(text("--web-host", "LOCUST_WEB_HOST")),
        port: whole("--web-port", "LOCUST_WEB_PORT") ?? 8089,
      },
      bind: { host: hostOf(bindHost), port: whole("--master-bind-port", "LOCUST_MASTER_BIND_PORT") ?? 5557 },
    },
  };
}

interface Reader {
  readonly has: (flag: FlagName, name?: string) => boolean;
  readonly text: (flag: FlagName, name?: string) => string | undefined;
  readonly whole: (flag: FlagName, name?: string) => number | undefined;
}

function runOptions({ has, text, whole }: Reader): RunOptions {
  const users = whole("--users", "LOCUST_USERS");
  const spawnRate = rateOf(text("--spawn-rate", "LOCUST_SPAWN_RATE"));
  const runTime = spanOf("--run-time", text("--run-time", "LOCUST_RUN_TIME"));
  spanOf("--stop-timeout", text("--stop-timeout", "LOCUST_STOP_TIMEOUT"));
  const expectWorkers = whole("--expect-workers", "LOCUST_EXPECT_WORKERS") ?? 1;
  if (expectWorkers < 1) throw new Refused(usage, "argument --expect-workers: must be a positive number");
  const maxWait = whole("--expect-workers-max-wait", "LOCUST_EXPECT_WORKERS_MAX_WAIT") ?? 0;
  const autoquit = whole("--autoquit", "LOCUST_AUTOQUIT") ?? -1;
  return {
    ...(users !== undefined && { users }),
    ...(spawnRate !== undefined && { spawnRate }),
    ...(runTime !== undefined && { runTime }),
    expectWorkers,
    ...(maxWait > 0 && { expectWorkersMaxWait: maxWait * 1000 }),
    autostart: has("--autostart", "LOCUST_AUTOSTART"),
    headless: has("--headless", "LOCUST_HEADLESS") && !has("--headful", "LOCUST_HEADFUL"),
    ...(autoquit !== -1 && { autoquit: Math.max(0, autoquit) * 1000 }),
    rebalancing: has("--enable-rebalancing"),
    resetStats: has("--reset-stats", "LOCUST_RESET_STATS"),
    exitCodeOnError: whole("--exit-code-on-error", "LOCUST_EXIT_CODE_ON_ERROR") ?? 1,
  };
}

function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = Number(text);
  if (!(rate > 0) || !Number.isFinite(rate)) throw new Refused(usage, "argument -r/--spawn-rate: must be > 0");
  return rate;
}

function spanOf(flag: string, text: string | undefined): Ms | undefined {
  if (text === undefined) return undefined;
  const seconds = parseTimespan(text);
  if (seconds === undefined) throw new Refused(usage, `argument ${flag}: Invalid time span format.`);
  return seconds * 1000;
}

/** Locust listens everywhere unless told otherwise; a stand-in stays at home. */
const hostOf = (host: string | undefined): string =>
  host === undefined || host === "" || host === "*" ? "127.0.0.1" : host;

const ownFlags = ["--time-scale", "--seed", "--ctl-port", "--fail-ratio", "--rate"] as const;

/** Ours are taken out before Locust's are read, so that abbreviations mean the same as there. */
function ownOptions(args: readonly string[], env: Env): { readonly own: OwnOptions; readonly rest: readonly string[] } {
  const mine: string[] = [];
  const rest: string[] = [];
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? "";
    const flag = ownFlags.find((it) => arg === it || arg.startsWith(`${it}=`));
    if (flag === undefined) rest.push(arg);
    else if (arg === flag) mine.push(`${arg}=${args[++i] ?? ""}`);
    else mine.push(arg);
  }
  const options = Object.fromEntries(ownFlags.map((it) => [it.slice(2), { type: "string" as const }]));
  const { values } = parseArgs({ args: mine, options });
  const number = (name: string): number | undefined => {
    const text = values[name] ?? env[`STAND_IN_${name.toUpperCase().replaceAll("-", "_")}`];
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!Number.isFinite(value) || value < 0) throw new Refused(usage, `argument --${name}: invalid value`);
    return value;
  };
  const controlPort = number("ctl-port");
  const [rate, failRatio] = [number("rate"), number("fail-ratio")];
  const own: OwnOptions = {
    timeScale: number("time-scale") || 1,
    seed: number("seed") ?? 1,
    ...(controlPort !== undefined && { controlPort }),
    load: { ...(rate !== undefined && { rate }), ...(failRatio !== undefined && { failRatio }) },
  };
  return { own, rest };
}
