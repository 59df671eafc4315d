// Where a machine was put, as its annotation tells: what the engine reads of others, and writes of the one that it places (3.5). A
// VMClone has the same annotation from its request on, until its copy has a VirtualMachine.
import { formatTime, type Instant } from "@telltale/kinds";
import type { VirtualMachine, VMClone, VMPlacementPolicy } from "../kinds/index.ts";
import { annotations } from "../names.ts";

/** What is chosen of each: a name, or nothing. */
export const dimensions = ["cluster", "host", "datastore", "folder", "resourcePool"] as const;
export type Dimension = (typeof dimensions)[number];

/** A zone is not chosen: it is the provider's. */
export type Topology = Dimension | "zone";

export type Decision = { readonly [T in Topology]?: string };

/** A place that was chosen. */
export interface Decided {
  readonly is: "placed";
  /** For the annotation. */
  readonly decision: string;
  readonly at: Decision;
}

/** Undefined: it was not placed, or somebody wrote something else there. Read once for each version of an object. */
export function decisionOf(object: VirtualMachine | VMClone): Decision | undefined {
  const written = object.metadata.annotations?.[annotations.placement];
  if (written === undefined) return undefined;
  const known = read.get(object) ?? parsed(written);
  if (known !== undefined) read.set(object, known);
  return known;
}

/** The stored choice of an object. While a request by it may still have an effect, no other place is chosen. */
export function storedDecision(object: VirtualMachine | VMClone): Decided | undefined {
  const at = decisionOf(object);
  const decision = object.metadata.annotations?.[annotations.placement];
  return at === undefined || decision === undefined ? undefined : { is: "placed", decision, at };
}

const read = new WeakMap<VirtualMachine | VMClone, Decision>();

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
