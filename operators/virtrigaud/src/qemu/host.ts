// Everything that this provider does to its box: files, programs, sockets. Each is one act, so that a test can stop the provider
// before and after any of them and see what a new one makes of it.
import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { chmod, mkdir, open, rename, rm, statfs, symlink } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import type { Clock, Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { isAlive, type ProcessRef, startOf } from "./processes.ts";

export interface Host {
  readonly clock: Clock;
  readonly random: Random;
  /** Writes a whole file, or nothing of it: beside it, synced, and renamed. */
  write(path: string, bytes: string | Uint8Array): Promise<void>;
  /** A folder, and those above it; one that only this user may enter, unless something else is said. */
  folder(path: string, mode?: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  symlink(to: string, at: string): Promise<void>;
  /** Whatever is there, and no error where nothing is. */
  remove(path: string): Promise<void>;
  /** A program that ends soon. */
  run(argv: readonly string[], limit?: Ms): Promise<Ran>;
  /** A program that outlives this one, in a session of its own, with its output at the end of a file. */
  launch(argv: readonly string[], log: string): Promise<ProcessRef | undefined>;
  /** Ends what was launched, and what that has started. */
  kill(process: ProcessRef): Promise<void>;
  connect(path: string): Promise<Socket>;
  free(path: string): Promise<number>;
}

export interface Ran {
  /** -1 where it was ended, or did not start. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The program is not there. */
  readonly isMissing: boolean;
}

const mostOutput = 8 * 1024 * 1024;

export function systemHost(clock: Clock, random: Random): Host {
  return {
    clock,
    random,
    async write(path, bytes) {
      const beside = `${path}.tmp`;
      const file = await open(beside, constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY, 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, path);
      await syncFolder(dirname(path));
    },
    async folder(path, mode = 0o700) {
      const first = await mkdir(path, { recursive: true, mode });
      // Whatever the process's mask is: others may have to read what travels.
      if (first !== undefined) for (let at = path; at.length >= first.length; at = dirname(at)) await chmod(at, mode);
    },
    async rename(from, to) {
      await rename(from, to);
      await syncFolder(dirname(to));
    },
    symlink: (to, at) => symlink(to, at),
    remove: (path) => rm(path, { recursive: true, force: true }),
    run: (argv, limit = 120_000) => run(clock, argv, limit),
    launch,
    async kill(launched) {
      if (!(await isAlive(launched))) return;
      try {
        process.kill(-launched.pid, "SIGKILL");
      } catch {
        // It ended between the look and the signal.
      }
    },
    connect: (path) =>
      new Promise((resolve, reject) => {
        const socket = connect(path);
        socket.once("connect", () => {
          socket.off("error", reject);
          resolve(socket);
        });
        socket.once("error", reject);
      }),
    async free(path) {
      const { bavail, bsize } = await statfs(path);
      return bavail * bsize;
    },
  };
}

function run(clock: Clock, argv: readonly string[], limit: Ms): Promise<Ran> {
  const [program = "", ...rest] = argv;
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"], env: plainEnvironment });
    const timer = clock.after(limit, () => child.kill("SIGKILL"));
    const out = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (piece: string) => {
        if (out[name].length < mostOutput) out[name] += piece;
      });
    child.once("error", (error: NodeJS.ErrnoException) => {
      timer.cancel();
      resolve({ code: -1, stdout: "", stderr: error.message, isMissing: error.code === "ENOENT" });
    });
    child.once("close", (code) => {
      timer.cancel();
      resolve({ code: code ?? -1, ...out, isMissing: false });
    });
  });
}

async function launch(argv: readonly string[], log: string): Promise<ProcessRef | undefined> {
  const [program = "", ...rest] = argv;
  const file = await open(log, constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY, 0o600);
  try {
    const child = spawn(program, rest, { stdio: ["ignore", file.fd, file.fd], detached: true, env: plainEnvironment });
    const pid = await new Promise<number | undefined>((resolve) => {
      child.once("spawn", () => resolve(child.pid));
      child.once("error", () => resolve(undefined));
    });
    child.unref();
    if (pid === undefined) return undefined;
    const start = await startOf(pid);
    // One that has ended already has no start time, and no pid that still is its own.
    return { pid, start: start ?? "ended" };
  } finally {
    await file.close();
  }
}

/** By these the runtime of local pods knows what a pod has started, and ends it with itself. */
const marks = ["TELLTALE_RUNTIME", "TELLTALE_CONTAINER", "TELLTALE_POD_UID", "TELLTALE_ROOT"];

/** Messages are read: they are asked for in one language. */
const plainEnvironment = {
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  LC_ALL: "C",
  ...Object.fromEntries(marks.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
};

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
