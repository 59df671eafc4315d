// Which machines of QEMU run on this host, by its list of processes. It asks neither a provider nor the operator.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, sleep } from "@telltale/clock";

/** What ran at a moment: the ids of machines by their names. */
export interface Sample {
  readonly at: number;
  readonly running: ReadonlyMap<string, string>;
}

/** Looks until the signal is raised, `every` so many milliseconds, and hands on what it sees. */
export async function census(
  state: string,
  { clock, every, signal }: { readonly clock: Clock; readonly every: number; readonly signal: AbortSignal },
  seen: (sample: Sample) => void,
): Promise<void> {
  const names = new Map<string, string>();
  for (let next = clock.uptime(); !signal.aborted; next = Math.max(next + every, clock.uptime())) {
    await sleep(clock, Math.max(0, next - clock.uptime()), signal);
    const running = new Map<string, string>();
    for (const id of machinesOf(state)) {
      const name = names.get(id) ?? nameOf(state, id);
      if (name === undefined) continue;
      names.set(id, name);
      running.set(name, id);
    }
    seen({ at: clock.uptime(), running });
  }
}

/** The ids of the machines below a state directory that have a process. One that has ended and was not waited for has no arguments. */
export function machinesOf(state: string): readonly string[] {
  const pattern = new RegExp(`${state.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}/vms/([^/\0]+)/run/qemu\\.pid\0`);
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const argv = textOf(join("/proc", pid, "cmdline"));
    return argv?.startsWith("qemu-system") === true ? (pattern.exec(argv)?.[1] ?? []) : [];
  });
}

function nameOf(state: string, id: string): string | undefined {
  const stored = textOf(join(state, "vms", id, "vm.json"));
  return stored === undefined ? undefined : (JSON.parse(stored) as { readonly name?: string }).name;
}

/** Undefined: it is not there, or not any more. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
