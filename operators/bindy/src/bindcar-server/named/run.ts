// Starts a program with a list of arguments: no shell, no variables but PATH, no secret on its command line.
import { spawn } from "node:child_process";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

export interface Ran {
  /** Undefined where it was ended by a signal. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export type Run = (program: string, args: readonly string[], input?: string) => Promise<Ran>;

export interface RunOptions {
  readonly path: string;
  readonly clock: Clock;
  /** After which a program is killed. Default: 25 s, less than a caller waits. */
  readonly timeout?: Ms;
  /** So many at once. Default: 8. */
  readonly most?: number;
}

const maxOutput = 64 * 1024 * 1024;

export function systemRun({ path, clock, timeout = 25_000, most = 8 }: RunOptions): Run {
  let free = most;
  const waiting: (() => void)[] = [];
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async (program, args, input = "") => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await once({ program, args, input, path, clock, timeout });
    } finally {
      leave();
    }
  };
}

interface Once {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly path: string;
  readonly clock: Clock;
  readonly timeout: Ms;
}

function once({ program, args, input, path, clock, timeout }: Once): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { PATH: path }, stdio: ["pipe", "pipe", "pipe"], shell: false });
    const timer = clock.after(timeout, () => child.kill("SIGKILL"));
    let size = 0;
    const collect = (parts: Buffer[]) => (part: Buffer) => {
      size += part.length;
      if (size > maxOutput) child.kill("SIGKILL");
      else parts.push(part);
    };
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", collect(out));
    child.stderr.on("data", collect(err));
    child.stdin.on("error", () => {}); // it ended before it had read everything
    child.once("error", (error) => {
      timer.cancel();
      reject(new Error(`${program} cannot be started; install bind9-utils and bind9-dnsutils`, { cause: error }));
    });
    child.once("close", (code) => {
      timer.cancel();
      const text = (parts: readonly Buffer[]) => Buffer.concat(parts).toString("utf8");
      resolve({ code: code ?? undefined, stdout: text(out), stderr: text(err) });
    });
    child.stdin.end(input);
  });
}
