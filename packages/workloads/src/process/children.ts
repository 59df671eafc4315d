// Starts processes for containers: each leads a group of its own, is known to the reaper, and can be ended with all that it started.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { type Census, signal } from "./census.ts";
import type { ProcessRef } from "./container.ts";
import type { Env } from "./env.ts";
import { hasProc, mostTasks, processAt, startOf, taskCount } from "./proc.ts";
import { findProgram } from "./programs.ts";
import type { Reaper } from "./reaper.ts";
import { codeOf, Refusal, textOf } from "./refusal.ts";

export interface Children {
  /** Starts a command. Refuses what cannot be run. */
  start(command: Command): Promise<Child>;
  /** Ends all processes of a container, those that left its groups included. Resolves when none is left. */
  end(owner: string, how?: "kill" | "freeze first"): Promise<void>;
}

export interface Command {
  readonly argv: readonly string[];
  readonly env: Env;
  readonly cwd: string;
  readonly stdin: "pipe" | "none";
  /** The container that it belongs to. */
  readonly owner: string;
}

export interface Child {
  readonly process: ProcessRef;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has ended; others of its group may still live. */
  readonly exited: Promise<Exit>;
  /** To the whole group. */
  signal(name: NodeJS.Signals): void;
  /** Whether anything of the group still lives. */
  isAlive(): boolean;
  /** The group has ended: its number may be somebody else's from now on. */
  release(): void;
}

export interface Exit {
  readonly exitCode: number;
  readonly signal?: number;
}

export interface ChildrenOptions {
  readonly census: Census;
  readonly reaper: Reaper;
  /** Where programs are looked for beside a container's own PATH. */
  readonly path: string | undefined;
  readonly maxProcesses: number;
}

export function children({ census, reaper, path, maxProcesses }: ChildrenOptions): Children {
  const limiter = findLimiter(path);
  const look = sharedLook(census);
  return {
    async start({ argv, env, cwd, stdin, owner }) {
      const [name = "", ...args] = argv;
      const program = await findProgram(name, { paths: [env["PATH"], path], cwd });
      const limit = limits(await limiter, maxProcesses);
      const [file = program, ...words] = [...limit, program, ...args];
      const argv0 = limit.length > 0 ? undefined : name;
      const given = await spawned(file, words, { cwd, env, argv0, stdin }, (pid) => {
        census.lead(pid, owner);
        reaper.watch(pid);
      });
      const { pid } = given;
      const started = startOf(pid);
      let isReleased = false;
      return {
        process: { pid, ...(started === undefined ? {} : { started }) },
        stdin: given.stdin ?? undefined,
        stdout: given.stdout,
        stderr: given.stderr,
        exited: given.exited,
        signal(which) {
          if (!isReleased) signal(-pid, which);
        },
        isAlive: () => !isReleased && signal(-pid, 0),
        release() {
          isReleased = true;
          census.forget(pid);
          reaper.forget(pid);
        },
      };
    },
    end: (owner, how = "kill") => endAll(look, owner, how),
  };
}

interface Spawned {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
}

interface SpawnOptions {
  readonly cwd: string;
  readonly env: Env;
  readonly argv0: string | undefined;
  readonly stdin: Command["stdin"];
}

async function spawned(
  file: string,
  args: readonly string[],
  { cwd, env, argv0, stdin: input }: SpawnOptions,
  began: (pid: number) => void,
): Promise<Spawned> {
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env },
      detached: true, // leads a session and a group of its own
      stdio: [input === "pipe" ? "pipe" : "ignore", "pipe", "pipe"],
      ...(argv0 === undefined ? {} : { argv0 }),
    });
    if (child.pid !== undefined) began(child.pid);
    const exited = new Promise<Exit>((resolve) => child.once("exit", (code, name) => resolve(exitOf(code, name))));
    await once(child, "spawn");
    const { pid, stdin, stdout, stderr } = child;
    if (pid === undefined || stdout === null || stderr === null) throw new Error("the system gave it no process");
    stdin?.on("error", () => {}); // nobody reads any more
    return { pid, stdin, stdout, stderr, exited };
  } catch (error) {
    throw new Refusal("CreateContainerError", `exec: ${JSON.stringify(file)}: ${problem(error, args, env)}`);
  }
}

function problem(error: unknown, args: readonly string[], env: Env): string {
  if (codeOf(error) !== "E2BIG") return textOf(error);
  const size = (texts: readonly string[]) => texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  const variables = size(Object.entries(env).flat());
  return `arguments (${size(args)} bytes) and variables (${variables} bytes) are more than the system takes; mount files`;
}

function exitOf(code: number | null, name: NodeJS.Signals | null): Exit {
  const number = name === null ? undefined : constants.signals[name];
  return number === undefined ? { exitCode: code ?? 1 } : { exitCode: 128 + number, signal: number };
}

/** Where util-linux' prlimit is. The limit is one of a user, and means nothing to root. */
async function findLimiter(path: string | undefined): Promise<string | undefined> {
  if (!hasProc || process.getuid?.() === 0) return undefined;
  return findProgram("prlimit", { paths: [path, "/usr/bin:/bin"], cwd: "/" }).catch(() => undefined);
}

/** What stops a fork bomb between two looks: its user gets a limit that leaves room for a container, but not for ever more. */
function limits(limiter: string | undefined, maxProcesses: number): readonly string[] {
  if (limiter === undefined) return [];
  // The user's own tasks would be nearer, but to count them takes milliseconds at each start.
  const most = taskCount() + Math.max(4_096, 16 * maxProcesses);
  if (most >= mostTasks()) return []; // the limit that we have ourselves is lower, and only root may raise it
  return [limiter, `--nproc=${most}:${most}`, "--"];
}

async function endAll(look: Look, owner: string, how: "kill" | "freeze first"): Promise<void> {
  const living = async () => (await look()).get(owner) ?? [];
  if ((await living()).length === 0) return;
  if (how === "freeze first") {
    // What is stopped makes no more processes: each look finds fewer that still do.
    for (let looks = 0; looks < 50; looks += 1) {
      const active = (await living()).filter(({ state }) => state !== "T");
      if (active.length === 0) break;
      for (const { pid } of active) signal(pid, "SIGSTOP");
    }
  }
  // A killed process needs the processor once more to go: on a busy machine that takes some looks.
  for (let looks = 0; looks < 200; looks += 1) {
    const left = await living();
    if (left.length === 0) return;
    for (const { pid, ticks } of left) if (processAt(pid)?.ticks === ticks) signal(pid, "SIGKILL");
  }
}

type Look = () => Promise<ReturnType<Census["take"]>>;

/** A census a moment from now, which everybody shares who asks until then: many containers may end at once. */
function sharedLook(census: Census): Look {
  let next: ReturnType<Look> | undefined;
  return () => {
    next ??= readdir("/proc")
      .catch(() => [])
      .then(() => {
        next = undefined;
        return census.take();
      });
    return next;
  };
}
