// The one process beside the server: it ends every process group that it was told of when the server is gone, however it went.
// Its source is handed to Node.js as text, as a bundled package has no file for it; so `reap` uses nothing from outside itself.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
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

export async function startReaper(runtime: string, clock: Clock): Promise<Reaper> {
  const groups = new Set<number>();
  let child = await begin(runtime);
  let isStopping = false;
  let again: Timer | undefined;
  /** How often in a row it ended within a second. */
  let shortLives = 0;
  const tell = (line: string) => void child.stdin?.write(line);
  const guard = () => {
    const since = clock.uptime();
    child.once("exit", () => {
      if (isStopping) return;
      // Somebody ended it. There is another at once, unless it never lasts: then not more often than once in a second.
      shortLives = clock.uptime() - since < 1_000 ? shortLives + 1 : 0;
      if (shortLives < 2) void replace();
      else again = clock.after(1_000, replace);
    });
  };
  const replace = async () => {
    try {
      child = await begin(runtime);
    } catch {
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
  const source = `(${reap.toString()})(${JSON.stringify(`${runtimeMark}=${runtime}`)})`;
  const child = spawn(process.execPath, ["--eval", source], {
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

/** Runs in a process of its own: listens until its input ends, which it does when the server is gone. */
function reap(mark: string): void {
  const fs = process.getBuiltinModule("node:fs");
  const groups = new Set<number>();
  let unread = "";
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(name, () => {});
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (text: string) => {
    const lines = (unread + text).split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) {
      const group = Number(line.slice(1));
      if (line === "stop") process.exit(0);
      else if (line.startsWith("+")) groups.add(group);
      else if (line.startsWith("-")) groups.delete(group);
    }
  });
  process.stdin.on("end", endAll);
  process.stdin.on("error", endAll);

  /** Looks until nothing was found for a while: the server may have been about to start one more. */
  function endAll(): void {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let quiet = 0, looks = 0; quiet < 4 && looks < 400; looks += 1) {
      quiet = endSome() ? 0 : quiet + 1;
      Atomics.wait(pause, 0, 0, 25);
    }
    process.exit(0);
  }

  function endSome(): boolean {
    let found = false;
    for (const group of groups) {
      if (kill(-group)) found = true;
      else groups.delete(group);
    }
    for (const name of list("/proc")) {
      const pid = Number(name);
      if (!(pid > 1) || pid === process.pid) continue;
      if (`\0${read(`/proc/${name}/environ`)}`.includes(`\0${mark}\0`) && kill(pid)) found = true;
    }
    return found;
  }

  function kill(pid: number): boolean {
    try {
      process.kill(pid, "SIGKILL");
      return true;
    } catch {
      return false;
    }
  }

  function list(path: string): string[] {
    try {
      return fs.readdirSync(path);
    } catch {
      return [];
    }
  }

  function read(path: string): string {
    try {
      return fs.readFileSync(path, "latin1");
    } catch {
      return "";
    }
  }
}
