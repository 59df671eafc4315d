// Who shares the keys: the Leases of a group as we saw them, who is a member by them, and whose time is over. Pure.
import type { Ms } from "@telltale/kinds";
import type { Lease } from "@telltale/kinds/builtin";
import { isOver, type Seen, see } from "./lease.ts";

/** Put on every Lease of a group: its name. */
export const groupLabel = "telltale.dev/shard-group";
/** The hash of the members that the holder of the Lease goes by. Empty: it acts on nothing yet. */
export const adoptedAnnotation = "telltale.dev/adopted-members";

/** Every Lease of the group by its name, our own among them. */
export type Group = ReadonlyMap<string, Seen>;

export type There = Extract<Seen, { at: "there" }>;

/** What we know of the group after reading all of it once more. */
export function lookAt(before: Group, leases: readonly Lease[], now: Ms, fallback: Ms): Group {
  const listed = new Map(leases.map((lease) => [lease.metadata?.name ?? "", lease]));
  const names = new Set([...before.keys(), ...listed.keys()]);
  const after = new Map<string, Seen>();
  for (const name of names) {
    const seen = see(before.get(name) ?? { at: "unread" }, listed.get(name), now, fallback);
    const forgotten = seen.at === "gone" && isOver(seen, now);
    if (!forgotten) after.set(name, seen);
  }
  return after;
}

/**
 * Whoever holds a Lease is a member until somebody takes it off: time alone makes nobody leave, since two of us could see it
 * pass at different moments. One whose Lease was deleted stays one until it has certainly noticed.
 */
export function membersOf(group: Group): string[] {
  return [...group].filter(([, seen]) => isMember(seen)).map(([name]) => name);
}

function isMember(seen: Seen): boolean {
  return seen.at === "gone" || (seen.at === "there" && seen.claim.holder !== "");
}

/** Whether every member goes by the members with this hash. */
export function allAdopted(group: Group, hash: string): boolean {
  return laggards(group, hash).length === 0;
}

/** The members that do not. */
export function laggards(group: Group, hash: string): string[] {
  const late = (seen: Seen) => isMember(seen) && !(seen.at === "there" && adoptedBy(seen.lease) === hash);
  return [...group].filter(([, seen]) => late(seen)).map(([name]) => name);
}

const adoptedBy = (lease: Lease): string => lease.metadata?.annotations?.[adoptedAnnotation] ?? "";

/** Members that have not renewed for so long that they have certainly given up. */
export function overdue(group: Group, now: Ms): There[] {
  return there(group).filter((seen) => seen.claim.holder !== "" && isOver(seen, now));
}

/** Leases that nobody has held for this long. */
export function litter(group: Group, now: Ms, after: Ms): There[] {
  return there(group).filter((seen) => seen.claim.holder === "" && now - seen.since >= after);
}

const there = (group: Group): There[] => [...group.values()].filter((seen) => seen.at === "there");
