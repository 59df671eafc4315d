// Masters and workers as processes of this machine, and what a master's web API says while they run.
import { type ChildProcess, spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { sleep, systemClock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

/** Something that can be run as `locust`. */
export interface Program {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** How many times as fast as Locust it is. */
  readonly scale: number;
}

export const locustfile = fileURLToPath(new URL("./shopper.py", import.meta.url));

/** The stand-in, so much faster than the real one. */
export function standIn(scale: number): Program {
  const main = fileURLToPath(new URL("../../src/stand-in/main.ts", import.meta.url));
  return { command: [process.execPath, main], env: { STAND_IN_TIME_SCALE: String(scale) }, scale };
}

export interface Running {
  /** The code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  kill(signal: "SIGKILL" | "SIGTERM"): void;
  /** The end of what it printed. */
  log(): string;
}

/** What has been started; all of it ends with the test. */
export class Processes {
  readonly #children = new Set<ChildProcess>();

  start(program: Program, args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
    const [file, ...first] = program.command;
    const child = spawn(file, [...first, ...args], {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...program.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text = (text + chunk).slice(-4_000);
      });
    }
    const exited = new Promise<number | string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, signal) => {
        this.#children.delete(child);
        resolve(code ?? signal ?? "");
      });
    });
    return { exited, kill: (signal) => child.kill(signal), log: () => text };
  }

  async end(): Promise<void> {
    const gone = [...this.#children].map(
      (child) =>
        new Promise<void>((resolve) => {
          child.once("exit", () => resolve());
          child.kill("SIGKILL");
        }),
    );
    await Promise.all(gone);
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks again and again until it is so. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, every: Ms, most: Ms): Promise<T> {
  for (const began = systemClock.uptime(); ; ) {
    const found = await ask();
    if (found !== undefined) return found;
    if (systemClock.uptime() - began > most) throw new Error(`${what}: not after ${most} ms`);
    await sleep(systemClock, every);
  }
}
