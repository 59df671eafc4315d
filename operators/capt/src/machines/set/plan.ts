// How many machines a CaptMachineSet makes and takes away, and which (14.2). Pure.
import { matchesSelector, sha256Hex } from "@telltale/kinds";
import { isTrue } from "@telltale/status";
import type { CaptMachine } from "../../kinds/capt-machine.ts";
import type { CaptMachineSet } from "../../kinds/capt-machine-set.ts";

export interface World {
  readonly it: CaptMachineSet;
  /** Those that it owns. */
  readonly machines: readonly CaptMachine[];
  /** Every name in the namespace that a machine has, whosever it is. */
  readonly taken: ReadonlySet<string>;
}

export interface Plan {
  readonly make: readonly string[];
  readonly remove: readonly CaptMachine[];
}

export function plan({ it, machines, taken }: World): Plan {
  if (!isSelecting(it)) return { make: [], remove: [] };
  const wanted = wantedOf(it);
  const staying = machines.filter(isStaying);
  const missing = wanted - staying.length;
  if (missing > 0) return { make: namesFor(it, missing, taken), remove: [] };
  // Those that go already are counted first: nobody else goes in their place.
  const leaving = [...machines].sort(firstToGo).slice(0, machines.length - wanted);
  return { make: [], remove: missing < 0 ? leaving.filter(isStaying) : [] };
}

export const wantedOf = ({ spec }: CaptMachineSet): number => spec.replicas ?? 1;

export const isStaying = ({ metadata }: CaptMachine): boolean => metadata.deletionTimestamp === undefined;
export const isReady = ({ status }: CaptMachine): boolean => status?.ready === true;

/** Whether it is only pretended that a machine is there. */
export const isPretended = ({ status }: CaptMachine): boolean => isTrue(status?.conditions, "Simulated");

/** Whether the selector selects what the template makes. Without one there is nothing to contradict. */
export const isSelecting = ({ spec }: CaptMachineSet): boolean =>
  spec.selector === undefined || matchesSelector(spec.selector, spec.template.metadata?.labels);

/** Deleting, not ready, newest, name. */
function firstToGo(a: CaptMachine, b: CaptMachine): number {
  const byState = Number(isStaying(a)) - Number(isStaying(b)) || Number(isReady(a)) - Number(isReady(b));
  if (byState !== 0) return byState;
  const [born, other] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (born !== other) return born > other ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}

/**
 * Names as the server would generate them, but always the same ones in the same order: whoever does not know of a machine yet,
 * or never heard what became of a request, asks for that very machine again and not for one more.
 */
function namesFor({ metadata }: CaptMachineSet, count: number, taken: ReadonlySet<string>): readonly string[] {
  const names: string[] = [];
  for (let i = 0; names.length < count; i += 1) {
    const name = `${(metadata.name ?? "").slice(0, 240)}-${sha256Hex(`${metadata.uid}/${i}`, 5)}`;
    if (!taken.has(name) && !names.includes(name)) names.push(name);
  }
  return names;
}
