// The one process beside the server: it ends every process group that it was told of when the server is gone, however it went.
// What it runs is in `reaper-program.ts`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Clock, Timer } from "@telltale/clock";
import { runtimeMark } from "./census.ts";
import { textOf } from "./refusal.ts";

export interface Reaper {
  /** The group is to end with us. */
  watch(group: number): void;
  /** The group has ended. */
  forget(group: number): void;
  /** Ends it. Nothing that we started may be left. */
  stop(): Promise<void>;
  readonly pid: number | undefined;
}

const program = fileURLToPath(new URL("./reaper-program.ts", import.meta.url));

export interface ReaperOptions {
  /** The mark of the server whose processes it ends. */
  readonly runtime: string;
  readonly clock: Clock;
  readonly onWarning: (text: string) => void;
}

export async function startReaper({ runtime, clock, onWarning }: ReaperOptions): Promise<Reaper> {
  const groups = new Set<number>();
  let child = await begin(runtime);
  let isStopping = false;
  let again: Timer | undefined;
  /** How often in a row it ended within a second. */
  let shortLives = 0;
  const tell = (line: string) => void child.stdin?.write(line);
  const guard = () => {
    const since = clock.uptime();
    child.once("exit", (code, signal) => {
      if (isStopping) return;
      const how = signal === null ? `exited with ${code}` : `was killed by ${signal}`;
      onWarning(
        `the process that ends containers with the server (${child.pid}) ${how} and is started again; until then containers would outlive the server`,
      );
      // Somebody ended it. There is another at once, unless it never lasts: then not more often than once in a second.
      shortLives = clock.uptime() - since < 1_000 ? shortLives + 1 : 0;
      if (shortLives < 2) void replace();
      else again = clock.after(1_000, replace);
    });
  };
  const replace = async () => {
    try {
      child = await begin(runtime);
    } catch (error) {
      onWarning(`${textOf(error)}; it is tried again every second`);
      again = clock.after(1_000, replace);
      return;
    }
    guard();
    for (const group of groups) tell(`+${group}\n`);
    if (isStopping) child.stdin?.end("stop\n");
  };
  guard();
  return {
    get pid() {
      return child.pid;
    },
    watch(group) {
      groups.add(group);
      tell(`+${group}\n`);
    },
    forget(group) {
      groups.delete(group);
      tell(`-${group}\n`);
    },
    async stop() {
      isStopping = true;
      again?.cancel();
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.ref();
      child.stdin?.end("stop\n");
      await gone;
    },
  };
}

async function begin(runtime: string): Promise<ChildProcess> {
  if (!existsSync(program))
    throw new Error(
      `cannot start the process that ends containers with the server: ${program} is missing; where you bundle this package, keep that file beside your bundle`,
    );
  const child = spawn(process.execPath, [program, `${runtimeMark}=${runtime}`], {
    detached: true, // a signal to the server's own group must not reach it
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
  });
  child.stdin?.on("error", () => {}); // it is gone: its exit says so
  try {
    await once(child, "spawn");
  } catch (error) {
    throw new Error(`cannot start the process that ends containers with the server: ${textOf(error)}`);
  }
  child.unref();
  const { stdin } = child;
  if (stdin !== null && "unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  return child;
}
