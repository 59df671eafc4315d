// The LOCK of a store's folder: names the process that has it, by pid and start time, as a pid alone is used again.
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StoreUnusable } from "./errors.ts";

/** Takes the folder, over from a process that is gone if need be. Gives what lets it go. */
export function lock(dir: string, log: (line: string) => void): () => void {
  const path = join(dir, "LOCK");
  const mine = join(dir, `LOCK.${process.pid}`);
  // Linked, not written in place: nobody ever sees a lock without a name in it.
  writeFileSync(mine, JSON.stringify(self()), { mode: 0o600 });
  try {
    if (!link(mine, path)) {
      const held = readText(path);
      const owner = ownerOf(held);
      if (owner !== undefined && isAlive(owner)) throw new StoreUnusable(refusal(dir, owner), "stop");
      takeAway(dir, path, held, mine);
      if (!link(mine, path)) throw new StoreUnusable(refusal(dir, ownerOf(readText(path))), "stop");
      log(`store ${dir}: took over the lock of process ${owner?.pid ?? "unknown"}, which is gone`);
    }
  } finally {
    unlinkSync(mine);
  }
  return () => rmSync(path, { force: true });
}

interface Owner {
  readonly pid: number;
  /** Absent where the system does not tell. */
  readonly started?: string;
}

function refusal(dir: string, owner: Owner | undefined): string {
  const who =
    owner === undefined
      ? "another process"
      : owner.pid === process.pid
        ? `this process (${owner.pid})`
        : `process ${owner.pid}`;
  return `store ${dir} is in use by ${who}`;
}

/** Removes a lock that was found stale. Whoever else found it so may have put a live one in its place meanwhile. */
function takeAway(dir: string, path: string, stale: string | undefined, mine: string): void {
  const aside = `${mine}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  const taken = readText(aside);
  const live = taken !== stale;
  if (live) link(aside, path);
  unlinkSync(aside);
  if (live) throw new StoreUnusable(refusal(dir, ownerOf(taken)), "stop");
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function self(): Owner {
  const started = startOf(process.pid);
  return { pid: process.pid, ...(started === undefined ? {} : { started }) };
}

function isAlive({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== "EPERM") return false;
  }
  return started === undefined || startOf(pid) === started;
}

/** When a process started, in the words of the system: boot and clock ticks since. A dead one that nobody has reaped counts as gone. */
function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  const boot = readText("/proc/sys/kernel/random/boot_id")?.trim();
  if (stat === undefined || boot === undefined) return undefined;
  // The name in parentheses may hold anything: count from behind it, where the state is the first field.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? undefined : `${boot} ${fields[19]}`;
}

function ownerOf(text: string | undefined): Owner | undefined {
  try {
    const owner = JSON.parse(text ?? "") as Owner;
    return Number.isInteger(owner.pid) && owner.pid > 0 ? owner : undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
