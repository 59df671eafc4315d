// The folder of a runtime belongs to one server at a time, and what an earlier one left running there is ended before the next
// one begins: for the case that its reaper was killed as well.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { signal } from "./census.ts";
import type { ProcessRef } from "./container.ts";
import { processes, startOf, variableOf } from "./proc.ts";
import { codeOf } from "./refusal.ts";

/** Takes the folder for this process. Throws while another one that lives has it. Gives what lets it go. */
export function lockFolder(root: string): () => void {
  const path = join(root, "LOCK");
  const mine = `${path}.${process.pid}`;
  // Linked, not written in place: nobody ever sees a lock without a name in it.
  const started = startOf(process.pid);
  writeFileSync(mine, JSON.stringify({ pid: process.pid, ...(started === undefined ? {} : { started }) }));
  try {
    if (!linked(mine, path)) {
      const owner = ownerOf(path);
      if (owner !== undefined && lives(owner)) throw new Error(inUse(root, owner));
      renameSync(path, `${mine}.stale`);
      rmSync(`${mine}.stale`);
      if (!linked(mine, path)) throw new Error(inUse(root, ownerOf(path)));
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return () => rmSync(path, { force: true });
}

/** Ends what runs in a folder of pods: all processes that were started for one of them, and the groups that were written down. */
export async function endLeftovers(root: string, written: readonly Written[]): Promise<void> {
  for (const { uid, process: ref } of written) {
    // A pid alone may be somebody else's by now: its start and its variables must be those of the container.
    const isOurs = ref.started !== undefined && startOf(ref.pid) === ref.started;
    if (!isOurs || variableOf(ref.pid, "TELLTALE_POD_UID") !== uid) continue;
    signal(-ref.pid, "SIGKILL");
  }
  for (let looks = 0; looks < 400; looks += 1) {
    const left = processes().filter(({ pid }) => variableOf(pid, "TELLTALE_ROOT")?.startsWith(`${root}/pods/`));
    if (left.length === 0) return;
    for (const { pid } of left) signal(pid, "SIGKILL");
    await readdir("/proc").catch(() => []); // lets the others run
  }
}

/** A process that a record names. */
export interface Written {
  readonly uid: string;
  readonly process: ProcessRef;
}

function inUse(root: string, owner: ProcessRef | undefined): string {
  const who =
    owner === undefined ? "another process" : owner.pid === process.pid ? "this process" : `process ${owner.pid}`;
  return `the folder of pods ${root} is in use by ${who}; stop it first, or use another folder`;
}

function lives({ pid, started }: ProcessRef): boolean {
  return signal(pid, 0) && (started === undefined || startOf(pid) === started);
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function ownerOf(path: string): ProcessRef | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(path, "utf8")) as { pid?: unknown; started?: unknown };
    if (typeof pid !== "number" || !(pid > 0)) return undefined;
    return { pid, ...(typeof started === "string" ? { started } : {}) };
  } catch {
    return undefined;
  }
}
