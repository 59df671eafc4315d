// How many machines a CaptMachineSet makes and takes away, and which (14.2). Pure.
import { matchesSelector, sha256Hex } from "@telltale/kinds";
import { findCondition, isTrue } from "@telltale/status";
import type { CaptMachine } from "../../kinds/capt-machine.ts";
import type { CaptMachineSet } from "../../kinds/capt-machine-set.ts";
import type { Trouble } from "../../trouble.ts";

export interface World {
  readonly it: CaptMachineSet;
  /** Those that it owns. */
  readonly machines: readonly CaptMachine[];
  /** Every name in the namespace that a machine has, whosever it is. */
  readonly taken: ReadonlySet<string>;
  /** Why a machine could not be made or taken away. */
  readonly trouble?: Trouble;
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
  return { make: [], remove: tooMany(it, machines) };
}

/**
 * Which machines go where there are too many: first those that are known to be down. As long as it is not known of one whether it runs,
 * no other is chosen: it may be down, and then goes first. Where all have to go there is nothing to choose.
 */
function tooMany(it: CaptMachineSet, machines: readonly CaptMachine[]): readonly CaptMachine[] {
  const wanted = wantedOf(it);
  const staying = machines.filter(isStaying);
  // Those that go already are counted first: nobody else goes in their place.
  const order = [...machines].sort(firstToGo).slice(0, Math.max(0, machines.length - wanted));
  if (staying.length <= wanted) return [];
  const leaving = order.filter(isStaying);
  const isChoice = wanted > 0 && machines.some((one) => isStaying(one) && stateOf(one) === "unknown");
  return isChoice ? leaving.filter((one) => stateOf(one) === "down") : leaving;
}

/** Machines whose state has to be known before any other goes. */
export function awaited({ it, machines }: Pick<World, "it" | "machines">): readonly CaptMachine[] {
  const staying = machines.filter(isStaying);
  const isWaiting = staying.length > wantedOf(it) && tooMany(it, machines).length === 0;
  const isGoing = staying.length < machines.length;
  return isWaiting && !isGoing ? staying.filter((one) => stateOf(one) === "unknown") : [];
}

export const wantedOf = ({ spec }: CaptMachineSet): number => spec.replicas ?? 1;

export const isStaying = ({ metadata }: CaptMachine): boolean => metadata.deletionTimestamp === undefined;
export const isReady = ({ status }: CaptMachine): boolean => status?.ready === true;

/** `down`: it is known not to be in use. `unknown`: it may be. */
export function stateOf({ spec, status }: CaptMachine): "ready" | "down" | "unknown" {
  if (status?.ready === true) return "ready";
  const said = findCondition(status?.conditions, "Ready");
  if (said?.status === "False") return "down";
  // Of one that never ran nothing else can be said; one that did may have lost its status.
  const ran = status?.initialization?.provisioned === true || (spec.providerID ?? "") !== "";
  return ran ? "unknown" : "down";
}

/** Whether it is only pretended that a machine is there. */
export const isPretended = ({ status }: CaptMachine): boolean => isTrue(status?.conditions, "Simulated");

/** Whether the selector selects what the template makes. Without one there is nothing to contradict. */
export const isSelecting = ({ spec }: CaptMachineSet): boolean =>
  spec.selector === undefined || matchesSelector(spec.selector, spec.template.metadata?.labels);

const rank = { down: 0, unknown: 1, ready: 2 } as const;

/** Deleting, known to be down, unknown, newest, name. */
function firstToGo(a: CaptMachine, b: CaptMachine): number {
  const byState = Number(isStaying(a)) - Number(isStaying(b)) || rank[stateOf(a)] - rank[stateOf(b)];
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
