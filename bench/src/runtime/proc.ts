// What a process has used, as the kernel counts it. Linux only.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";

export interface Usage {
  /** Milliseconds of CPU, of all threads, user and kernel. */
  readonly cpu: number;
  /** Bytes that it has read: from sockets and files alike. */
  readonly read: number;
  /** Resident now, and at most since `resetPeak`, in MB. */
  readonly rss: number;
  readonly peak: number;
}

export function usage(pid: number): Usage {
  // The name in the second field may hold spaces: count from its closing bracket.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const io = readFileSync(`/proc/${pid}/io`, "utf8");
  return {
    cpu: ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticks,
    read: number(io, /^rchar: (\d+)/m),
    rss: number(status, /^VmRSS:\s+(\d+) kB/m) / 1_000,
    peak: number(status, /^VmHWM:\s+(\d+) kB/m) / 1_000,
  };
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

const ticks = Number(spawnSync("getconf", ["CLK_TCK"], { encoding: "utf8" }).stdout) || 100;

function number(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? Number.NaN);
}

/** Which cores each part of a run may use; undefined where there are too few to keep them apart. */
export interface Cores {
  readonly driver: string;
  readonly etcd: string;
  readonly operator: string;
  readonly apiserver: string;
}

export function shareOut(cores: number = availableParallelism()): Cores | undefined {
  if (cores < 4) return undefined;
  if (cores < 6) return { driver: "0", etcd: "1", operator: "2", apiserver: `3-${cores - 1}` };
  return { driver: "0", etcd: "1", operator: "2,3", apiserver: `4-${cores - 1}` };
}

export function pin(pid: number, cores: string): void {
  const { status, stderr } = spawnSync("taskset", ["-acp", cores, String(pid)], { encoding: "utf8" });
  if (status !== 0) throw new Error(`taskset could not keep process ${pid} to cores ${cores}: ${stderr.trim()}`);
}
