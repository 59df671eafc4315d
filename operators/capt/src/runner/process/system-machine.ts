// The real machine: Node.js' files and child processes, and what Linux tells of processes in /proc.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { type Clock, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Begun, Machine, ProcessRef } from "./machine.ts";
import { supervisorSource } from "./supervisor.ts";

/** How often it is looked whether a process lives that another one started. */
const glance: Ms = 200;

export function systemMachine(clock: Clock): Machine {
  /** Our own children tell of their end themselves. */
  const children = new Map<number, Promise<unknown>>();

  const isAlive = ({ pid, started }: ProcessRef): boolean => startOf(pid) === started;
  const kill = (pid: number, name: NodeJS.Signals) => {
    try {
      process.kill(pid, name);
    } catch {
      // It is gone, which is what a signal is for.
    }
  };

  return {
    read: (path) => readFile(path, "utf8").catch(absent),
    async write(path, text) {
      const file = await open(`${path}.new`, "w", 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
    },
    async folder(path) {
      await mkdir(path, { recursive: true, mode: 0o700 });
    },
    remove: (path) => rm(path, { recursive: true, force: true, maxRetries: 3 }),
    names: async (path) => ((await readdir(path).catch(absent)) ?? []).sort(),
    async stamp(path) {
      const found = await stat(path, { bigint: true }).catch(absent);
      return found === undefined ? undefined : `${found.ino} ${found.mtimeNs} ${found.size}`;
    },
    async begin() {
      const child = spawn(process.execPath, ["--eval", supervisorSource()], {
        detached: true, // leads a session and a group of its own, and outlives us
        env: {},
        stdio: ["pipe", "ignore", "ignore"],
      });
      const gone = new Promise((resolve) => child.once("close", resolve));
      child.stdin?.on("error", () => {}); // it is gone: its end says so
      await once(child, "spawn");
      const { pid = 0 } = child;
      children.set(pid, gone);
      void gone.then(() => children.delete(pid));
      return begun(child, { pid, started: startOf(pid) ?? "" });
    },
    async ended(ref) {
      const own = children.get(ref.pid);
      if (own !== undefined) await own;
      while (isAlive(ref)) await sleep(clock, glance);
    },
    isAlive,
    signal: (ref, name) => {
      if (isAlive(ref)) kill(ref.pid, name);
    },
    // A group keeps its number while anybody is in it. Only right after its leader's end: later the number may be another's.
    killGroup: ({ pid }) => kill(-pid, "SIGKILL"),
    livingIn: (home) =>
      pids().flatMap((pid) => {
        const started = pid === process.pid || homeOf(pid) !== home ? undefined : startOf(pid);
        return started === undefined ? [] : [{ pid, started }];
      }),
  };
}

function begun(child: ChildProcess, ref: ProcessRef): Begun {
  return {
    process: ref,
    go: (command) =>
      new Promise((resolve) => {
        child.stdin?.end(`${JSON.stringify(command)}\n`, () => {
          child.unref();
          resolve();
        });
      }),
    drop: () => child.stdin?.destroy(),
  };
}

function absent(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return undefined;
  throw error;
}

const hasProc = textOf("/proc/self/stat") !== undefined;

/** When a process started, also across boots. Undefined: it is gone, or dead and not yet reaped. */
function startOf(pid: number): string | undefined {
  if (!hasProc) {
    const told = spawnSync("ps", ["-o", "stat=,lstart=", "-p", `${pid}`], { encoding: "utf8" }).stdout?.trim() ?? "";
    return told === "" || told.startsWith("Z") ? undefined : told.replace(/^\S+\s+/, "");
  }
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything: count from behind it.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  if (fields[0] === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  return `${textOf("/proc/sys/kernel/random/boot_id")?.trim()} ${fields[19]}`;
}

const pids = (): readonly number[] =>
  hasProc
    ? readdirSync("/proc")
        .map(Number)
        .filter((it) => it > 1)
    : [];

const homeOf = (pid: number): string | undefined =>
  /(?:^|\0)HOME=([^\0]*)/.exec(textOf(`/proc/${pid}/environ`) ?? "")?.[1];

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
