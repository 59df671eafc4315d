// Processes of this box, from /proc. A pid alone names nothing for long: with its start time it does.
import { readdir, readFile } from "node:fs/promises";

export interface ProcessRef {
  readonly pid: number;
  readonly start: string;
}

/** When a process was started, in clock ticks since the box was; undefined where there is none, or only its remains. */
export async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  return stat === undefined ? undefined : startIn(stat);
}

/** Reads a line of /proc/PID/stat. The name in brackets can hold spaces and brackets itself. */
export function startIn(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  return state === "Z" || state === "X" ? undefined : fields[19];
}

export async function isAlive({ pid, start }: ProcessRef): Promise<boolean> {
  return (await startOf(pid)) === start;
}

/** A process's argv; empty where it is gone. */
export async function argvOfProcess(pid: number): Promise<readonly string[]> {
  const line = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
  return line.split("\0").slice(0, -1);
}

/** Every process with all of these arguments, whoever started it. */
export async function withArguments(wanted: readonly string[]): Promise<readonly ProcessRef[]> {
  const names = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const pid = Number(name);
        const argv = await argvOfProcess(pid);
        if (!wanted.every((one) => argv.includes(one))) return undefined;
        const start = await startOf(pid);
        return start === undefined ? undefined : { pid, start };
      }),
  );
  return found.filter((one) => one !== undefined);
}
