// Consistent hashing: which member owns a key. Every member that knows the same names gives the same answer. Pure.
// Each name stands at many points of a circle; a key belongs to the next point after it.
import { fnv1a32, sha256Hex } from "@telltale/kinds";

export interface Ring {
  /** In order, each once. */
  readonly members: readonly string[];
  /** The same for the same members, and only for them. */
  readonly hash: string;
  /** Undefined where there are no members. */
  owner(key: string): string | undefined;
}

/** Points for each member. With 256 of them no share is off by more than about a quarter of the fair one. */
const pointsEach = 256;

export function ring(names: Iterable<string>): Ring {
  const members = [...new Set(names)].sort();
  const points = members
    .flatMap((name, member) => Array.from({ length: pointsEach }, (_, i) => ({ at: place(`${i} ${name}`), member })))
    .sort((a, b) => a.at - b.at || a.member - b.member);
  const places = Uint32Array.from(points, ({ at }) => at);
  return {
    members,
    hash: hashOf(members),
    owner(key) {
      const point = points[firstAfter(places, place(key))] ?? points[0];
      return point && members[point.member];
    },
  };
}

/** The hash of a ring with these members, without making it: 256 points for each take a while. */
export function hashOf(names: Iterable<string>): string {
  return sha256Hex(JSON.stringify([...new Set(names)].sort()), 16);
}

/** FNV-1a leaves texts that differ in their last letters close to each other; the rest spreads them over the circle. */
function place(text: string): number {
  let hash = fnv1a32(text);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The index of the first place at or after this one, or the length where there is none. */
function firstAfter(places: Uint32Array, at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
