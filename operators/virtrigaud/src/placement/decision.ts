// Where a machine was put, as its annotation tells: what the engine reads of others, and writes of the one that it places (3.5).
import { formatTime, type Instant } from "@telltale/kinds";
import type { VirtualMachine, VMPlacementPolicy } from "../kinds/index.ts";
import { annotations } from "../names.ts";

/** What is chosen of each: a name, or nothing. */
export const dimensions = ["cluster", "host", "datastore", "folder", "resourcePool"] as const;
export type Dimension = (typeof dimensions)[number];

/** A zone is not chosen: it is the provider's. */
export type Topology = Dimension | "zone";

export type Decision = { readonly [T in Topology]?: string };

/** Undefined: it was not placed, or somebody wrote something else there. Read once for each version of an object. */
export function decisionOf(vm: VirtualMachine): Decision | undefined {
  const written = vm.metadata.annotations?.[annotations.placement];
  if (written === undefined) return undefined;
  const known = read.get(vm) ?? parsed(written);
  if (known !== undefined) read.set(vm, known);
  return known;
}

const read = new WeakMap<VirtualMachine, Decision>();

function parsed(written: string): Decision | undefined {
  try {
    const value: unknown = JSON.parse(written);
    if (typeof value !== "object" || value === null) return undefined;
    const members = Object.entries(value).filter(([name, it]) => topologies.has(name) && typeof it === "string");
    return Object.fromEntries(members);
  } catch {
    return undefined;
  }
}

const topologies: ReadonlySet<string> = new Set([...dimensions, "zone"]);

/** The annotation's text. */
export function writtenDecision(decision: Decision, policy: VMPlacementPolicy | undefined, now: Instant): string {
  const { name, uid } = policy?.metadata ?? {};
  return JSON.stringify({
    ...(policy === undefined ? {} : { policy: name, uid }),
    ...Object.fromEntries(
      [...topologies].flatMap((one) => (one in decision ? [[one, decision[one as Topology]]] : [])),
    ),
    at: formatTime(now),
  });
}
