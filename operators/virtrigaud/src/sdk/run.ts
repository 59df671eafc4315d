// A provider as a program: the flags and the environment that the manager starts it with, a log, and signals that end it.
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Clock, systemClock } from "@telltale/clock";
import { type Env, type Log, Settings } from "@telltale/runtime";
import type { Checks } from "./health.ts";
import { providerLog } from "./log.ts";
import { securityFor, tlsFolder } from "./security.ts";
import { serve } from "./serve.ts";
import type { SomeHandlers } from "./service.ts";

export interface Program {
  readonly name: string;
  readonly version: string;
  /** The program's own flags, beside those of every provider: what each is for. They take a text. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Called once, when flags and TLS are understood. */
  start(surroundings: Surroundings): Promise<Started>;
}

export interface Surroundings {
  /** The program's own flags, as far as they are given. */
  readonly flags: Readonly<Record<string, string>>;
  readonly env: Env;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Started {
  readonly handlers: SomeHandlers;
  /** See `ServeOptions`. */
  readonly checks?: Checks;
  /** After the last call. */
  stop?(): Promise<void>;
}

/** Where a program runs. Each member has the process's own as its standard. */
export interface Place {
  readonly args?: readonly string[];
  readonly env?: Env;
  readonly clock?: Clock;
  /** Where the TLS files are looked for. */
  readonly tlsFolder?: string;
  /** Ends it. Default: SIGTERM or SIGINT. */
  readonly signal?: AbortSignal;
  readonly out?: (text: string) => void;
  readonly err?: (text: string) => void;
}

/** Runs until it is told to end. Resolves with the exit code; never rejects. */
export async function runProvider(program: Program, place: Place = {}): Promise<number> {
  const { out = standardOutput, err = (text) => void process.stderr.write(text) } = place;
  try {
    const flags = flagsOf(program, place.args ?? process.argv.slice(2));
    if (flags.help) out(helpOf(program));
    else if (flags.version) out(`${program.name} ${program.version}\n`);
    else await run(program, flags, { out, ...place });
    return 0;
  } catch (error) {
    err(`${program.name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** A reader that is gone costs the lines, and not the machines' provider. */
function standardOutput(text: string): void {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", () => {});
  process.stdout.write(text);
}

async function run(program: Program, flags: Flags, place: Place & { out: (text: string) => void }): Promise<void> {
  const { env = process.env, clock = systemClock, tlsFolder: folder = tlsFolder } = place;
  const settings = new Settings(env);
  const level = settings.choice("LOG_LEVEL", ["debug", "info", "warn", "error"], "info");
  const format = settings.choice("LOG_FORMAT", ["text", "json"], "text");
  if (settings.errors.length > 0) throw new Error(settings.errors.join("; "));
  const security = securityFor(env, folder, filesIn(folder));
  const over = ended(place.signal); // heard from the beginning: as the first process of a pod it gets no second signal
  const log = await providerLog({ level, format, clock, write: place.out });
  const { handlers, checks, stop } = await program.start({ flags: flags.own, env, clock, log });
  try {
    const served = await serve(handlers, {
      ...{ security, clock, log, version: program.version, port: flags.port, healthPort: flags.healthPort },
      ...(flags.listen === undefined ? {} : { listen: flags.listen }),
      ...(checks === undefined ? {} : { checks }),
    });
    await over;
    await served.stop();
  } finally {
    await stop?.();
    await log.flush();
  }
}

interface Flags {
  readonly help: boolean;
  readonly version: boolean;
  readonly port: number;
  readonly healthPort: number;
  readonly listen: string | undefined;
  readonly own: Readonly<Record<string, string>>;
}

const common: Readonly<Record<string, string>> = {
  port: "where calls are taken (9443)",
  "health-port": "where /healthz, /readyz and /health are answered (8080)",
  listen: "the address of both (all of them)",
};

function flagsOf({ flags = {} }: Program, args: readonly string[]): Flags {
  const text = (names: object) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, { type: "string" } as const]));
  const options = { ...text(flags), ...text(common), version: { type: "boolean" }, help: { type: "boolean" } } as const;
  const values: Record<string, unknown> = parseArgs({ args: [...args], options }).values;
  const textAt = (name: string) => (typeof values[name] === "string" ? values[name] : undefined);
  return {
    help: values["help"] === true,
    version: values["version"] === true,
    port: portOf("port", textAt("port") ?? "9443"),
    healthPort: portOf("health-port", textAt("health-port") ?? "8080"),
    listen: textAt("listen"),
    own: Object.fromEntries(
      Object.keys(flags).flatMap((name) => (textAt(name) === undefined ? [] : [[name, textAt(name) ?? ""]])),
    ),
  };
}

function portOf(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`--${name} is ${JSON.stringify(text)}; set it to a port, or to 0 for any free one`);
}

function helpOf({ name, version, flags = {} }: Program): string {
  const all = { ...common, ...flags, version: "print the version", help: "print this" };
  const lines = Object.entries(all).map(([flag, what]) => `  --${flag.padEnd(14)} ${what}\n`);
  return `${name} ${version}: a VirtRigaud provider\n\n${lines.join("")}\nTLS is read from ${tlsFolder}; VIRTRIGAUD_PROVIDER_INSECURE=true does without.\n`;
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // there is none
  }
}

function ended(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal === undefined) for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolve());
    else if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
