// Which processes of the machine belong to which container. A process is known by its session, by a mark in its variables, or
// by its parent; once known it stays known, whatever it does to its variables or its session afterwards.
import { type ProcessEntry, processes, variableOf } from "./proc.ts";
import { codeOf } from "./refusal.ts";

/** Which container a process was started for. */
export const containerMark = "TELLTALE_CONTAINER";
/** Which server started it. */
export const runtimeMark = "TELLTALE_RUNTIME";

export class Census {
  readonly #runtime: string;
  readonly #known = new Map<number, { readonly ticks: string; readonly owner: string | undefined }>();
  /** The groups that we started ourselves, and for whom. */
  readonly #leaders = new Map<number, string>();

  constructor(runtime: string) {
    this.#runtime = runtime;
  }

  lead(pid: number, owner: string): void {
    this.#leaders.set(pid, owner);
  }

  /** The group has ended with all that was in it. */
  forget(pid: number): void {
    this.#leaders.delete(pid);
  }

  /** Everybody's living processes, by owner. */
  take(): ReadonlyMap<string, readonly ProcessEntry[]> {
    const all = processes();
    const byPid = new Map(all.map((entry) => [entry.pid, entry]));
    const owned = new Map<string, ProcessEntry[]>();
    for (const entry of all) {
      const owner = this.#ownerOf(entry, byPid);
      if (owner === undefined) continue;
      const list = owned.get(owner);
      if (list === undefined) owned.set(owner, [entry]);
      else list.push(entry);
    }
    for (const pid of this.#known.keys()) if (!byPid.has(pid)) this.#known.delete(pid);
    return owned;
  }

  #ownerOf(entry: ProcessEntry, all: ReadonlyMap<number, ProcessEntry>): string | undefined {
    const { pid, ticks, session, group, parent } = entry;
    const known = this.#known.get(pid);
    const isKnown = known !== undefined && known.ticks === ticks;
    // Before all else: a process that we just started is looked at before it has its own variables.
    const led = this.#leaders.get(session) ?? this.#leaders.get(group);
    if (led === undefined && isKnown) return known.owner;
    this.#known.set(pid, { ticks, owner: undefined }); // entries were read one after the other: a ring is thinkable
    const above = parent <= 1 ? undefined : all.get(parent);
    const owner = led ?? (above === undefined ? undefined : this.#ownerOf(above, all)) ?? this.#marked(pid);
    this.#known.set(pid, { ticks, owner });
    return owner;
  }

  #marked(pid: number): string | undefined {
    return variableOf(pid, runtimeMark) === this.#runtime ? variableOf(pid, containerMark) : undefined;
  }
}

/** Sends a signal to a process, or with a negative pid to a group; 0 only asks. False: it is gone. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if (codeOf(error) === "EPERM") return true;
    return false;
  }
}
