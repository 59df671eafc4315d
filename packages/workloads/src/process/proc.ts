// What the kernel tells of processes in /proc. Linux only: elsewhere there is nothing to read, and everything is undefined or empty.
// Synchronous, as these files are not on a disk: one look at 300 processes takes a few milliseconds.
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** `R`, `S`, `T` for stopped, `Z` for dead but not reaped. */
  readonly state: string;
  /** Clock ticks since boot: together with the pid, the same process and no other. */
  readonly ticks: string;
}

export const hasProc: boolean = readText("/proc/self/stat") !== undefined;

/** All that live, in no order. Those that ended meanwhile are not in it. */
export function processes(): readonly ProcessEntry[] {
  return namesIn("/proc").flatMap((name) => {
    const pid = Number(name);
    const found = Number.isInteger(pid) ? processAt(pid) : undefined;
    return found === undefined || found.state === "Z" || found.state === "X" ? [] : [found];
  });
}

export function processAt(pid: number): ProcessEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may hold anything: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group, session] = fields;
  return {
    pid,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    ticks: fields[19] ?? "",
  };
}

/** When a process started, also across boots; undefined when it is gone. */
export function startOf(pid: number): string | undefined {
  const found = processAt(pid);
  if (found === undefined || found.state === "Z") return undefined;
  return `${readText("/proc/sys/kernel/random/boot_id")?.trim()} ${found.ticks}`;
}

/** A variable that a process was started with. Those of other users cannot be read. */
export function variableOf(pid: number, name: string): string | undefined {
  const text = readText(`/proc/${pid}/environ`);
  const at = text === undefined ? -1 : `\0${text}`.indexOf(`\0${name}=`);
  if (text === undefined || at < 0) return undefined;
  const from = at + name.length + 1;
  const to = text.indexOf("\0", from);
  return text.slice(from, to < 0 ? undefined : to);
}

/** Memory that only this process keeps alive: without mapped files, which the system can take back. */
export function memoryOf(pid: number): number {
  const status = readText(`/proc/${pid}/status`) ?? "";
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return (kilobytes("RssAnon") + kilobytes("RssShmem")) * 1024;
}

/** The pid that was given out last: how far it has moved says how many processes and threads began. */
export function newestPid(): number | undefined {
  const last = readText("/proc/loadavg")?.trim().split(" ")[4];
  return last === undefined ? undefined : Number(last);
}

/** How many tasks there are on the whole machine. */
export function taskCount(): number {
  return Number(readText("/proc/loadavg")?.split(" ")[3]?.split("/")[1] ?? 0);
}

/** How many tasks our user may have, by the limit that nobody but root can raise. */
export function mostTasks(): number {
  const most = /^Max processes\s+\S+\s+(\d+)/m.exec(readText("/proc/self/limits") ?? "")?.[1];
  return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
}

function namesIn(folder: string): readonly string[] {
  try {
    return hasProc ? readdirSync(folder) : [];
  } catch {
    return []; // out of file descriptors: the next look will know
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
