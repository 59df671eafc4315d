// What a pass does about a set (3.4, sync loop): one step after the other, and the first that has to wait ends it. Pure.
import { labels } from "../names.ts";
import { type Action, mostAtOnce, mostLeaving } from "./actions.ts";
import type { Member } from "./members.ts";
import { ofOldRevision, removable } from "./removal.ts";
import { rolling } from "./rolling.ts";
import { type Standing, standing } from "./standing.ts";
import type { Revision, World } from "./world.ts";

export function plan(world: World, update: Revision): readonly Action[] {
  const { orphans, strays } = world;
  // Whose a machine is, decides about everything else: the next pass goes on from there.
  if (orphans.length + strays.length > 0) {
    return [
      ...strays.map((vm) => ({ do: "release", vm }) as const),
      ...orphans.map((vm) => ({ do: "adopt", vm }) as const),
    ];
  }
  const stand = standing(world, update);
  return [...unclaimed(world, stand), ...machines(world, stand)];
}

function machines(world: World, stand: Standing): readonly Action[] {
  const { rules, members } = world;
  if (stand.extra.length > 0) return fewer(stand.extra, rules.isOrdered, members);
  if (rules.strategy === "Recreate" && stand.phase !== "Paused" && isMixed(world, stand)) {
    return fewer(ofOldRevision(world, stand), false, members).map((it) => ({ ...it, why: "update" as const }));
  }
  const created = more(world, stand);
  const isShort = stand.missing.length > 0;
  return [...created, ...rolling(world, stand, isShort)];
}

/** Highest first as far as it is known how they are: one at a time and none while one is going, or many at once. */
function fewer(extra: readonly Member[], isOrdered: boolean, members: readonly Member[]) {
  const leaving = members.filter(({ isLeaving }) => isLeaving).length;
  const room = isOrdered ? Number(!extra.some(({ isLeaving }) => isLeaving)) : Math.max(0, mostLeaving - leaving);
  const next = removable(extra).slice(0, room);
  return next.map((member) => ({ do: "remove", member, why: "scale" }) as const);
}

/** Whether machines of old revisions are left: before the last one is gone, none is made. */
const isMixed = (world: World, stand: Standing): boolean =>
  stand.phase !== undefined && stand.phase !== "Completed" && ofOldRevision(world, stand).length > 0;

/** Lowest first: one when all below it are available, or many at once. */
function more(world: World, stand: Standing): readonly Action[] {
  const { missing, wanted, at, outdated, isAvailable } = stand;
  const [first] = missing;
  if (first === undefined) return [];
  const create = (ordinal: number) => ({ do: "create", ordinal, of: revisionFor(ordinal, world, stand) }) as const;
  if (!world.rules.isOrdered) return missing.slice(0, mostAtOnce).map(create);
  const isHeld = wanted.some((ordinal) => {
    const below = ordinal < first ? at.get(ordinal) : undefined;
    // One that is not ready and is to be replaced waits for those that are missing: it must not hold them up.
    const isNext = below?.state === "notReady" && outdated.includes(below);
    return below !== undefined && !isAvailable(below) && !isNext;
  });
  return isHeld ? [] : [create(first)];
}

/** Below the partition a machine that comes back is what it was. */
export const revisionFor = (ordinal: number, { rules, current }: World, { update }: Standing): Revision =>
  ordinal < rules.partition ? (current ?? update) : update;

/** Claims of machines that are gone for good. */
function unclaimed({ rules, claims }: World, { wanted, at, surgeRoom }: Standing): readonly Action[] {
  if (!rules.dropsScaled) return [];
  const kept = new Set([...wanted, ...surgeRoom, ...at.keys()]);
  const dropped = claims.filter(({ metadata }) => {
    return metadata?.deletionTimestamp === undefined && !kept.has(ordinalOf(metadata?.labels));
  });
  return dropped.map((claim) => ({ do: "drop claim", claim }) as const);
}

const ordinalOf = (on: Readonly<Record<string, string>> | undefined): number =>
  Number(on?.[labels.vmSetOrdinal] ?? "-1");
