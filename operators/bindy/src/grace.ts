// How long a child may lag behind its own spec before its word counts for nothing (7.1). Kept in memory: losing it lengthens the
// grace, and nothing else.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import { type Sightings, seenFor, sighting } from "@telltale/status";
import { type Freshness, isStale, staleGrace } from "./aggregate/child-view.ts";

type Child = Parameters<typeof isStale>[0];

export class Grace {
  readonly #seen = new Map<string, Sightings>();

  /** How each child of a parent stands, and when one of them stands worse by time alone. */
  of(parent: string, children: readonly Child[], now: Instant): Graced {
    const stale = children.filter(isStale);
    const seen = sighting(this.#seen.get(parent), stale.map(keyOf), now);
    if (stale.length === 0) this.#seen.delete(parent);
    else this.#seen.set(parent, seen);
    const isOver = (child: Child) => seenFor(seen, keyOf(child), staleGrace, now);
    const open = stale.filter((child) => !isOver(child)).map((child) => seen.seen.get(keyOf(child)) ?? now);
    const wakeAt = open.length === 0 ? undefined : plus(Math.min(...open) as Instant, staleGrace as Ms);
    return {
      freshness: (child) => (isStale(child) ? (isOver(child) ? "stale" : "graced") : "current"),
      ...(wakeAt === undefined ? {} : { wakeAt }),
    };
  }

  forget(parent: string): void {
    this.#seen.delete(parent);
  }
}

export interface Graced {
  readonly freshness: (child: Child) => Freshness;
  readonly wakeAt?: Instant;
}

const keyOf = ({ metadata }: Child): string => `${metadata.uid ?? ""} ${metadata.generation ?? 0}`;
