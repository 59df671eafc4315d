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

/** Undefined: it was not placed, or somebody wrote something else there. */
export function decisionOf({ metadata }: VirtualMachine): Decision | undefined {
  const written = metadata.annotations?.[annotations.placement];
  if (written === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(written);
    if (typeof read !== "object" || read === null) return undefined;
    const members = Object.entries(read).filter(([name, value]) => topologies.has(name) && typeof value === "string");
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
