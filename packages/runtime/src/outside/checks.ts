// Checks that every operator wants: caches that know the world, and passes that come to an end.
import type { Ms } from "@telltale/kinds";
import type { Gauges } from "../samples.ts";
import { perKind } from "./caches.ts";
import type { Check } from "./probes.ts";

/** One for each cached kind: ready when it is complete and the server was heard of. Made anew at each probe, as caches come. */
export function cacheChecks(gauges: Pick<Gauges, "caches">, silent: Ms = 300_000): readonly Check[] {
  return [...perKind(gauges.caches())].map(([kind, caches]) => ({
    name: `cache-${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`,
    ready() {
      const unsynced = caches.filter((it) => !it.synced).length;
      if (unsynced > 0) return `${kind.kind}: the first list is not in (${unsynced} of ${caches.length} watches)`;
      const longest = Math.max(...caches.map((it) => it.silent));
      return longest > silent ? `${kind.kind}: nothing heard from the server for ${seconds(longest)}` : undefined;
    },
  }));
}

/**
 * Alive while no pass runs far beyond its time: whoever is stuck there is freed by a restart only. An event loop that is stuck
 * needs no check, as nobody answers then.
 */
export function passCheck(gauges: Pick<Gauges, "queues">, limit: Ms): Check {
  return {
    name: "passes",
    live() {
      const stuck = gauges.queues().filter((queue) => queue.longest > limit);
      if (stuck.length === 0) return undefined;
      return stuck.map((it) => `${it.controller}: a pass has been running for ${seconds(it.longest)}`).join("; ");
    },
  };
}

const seconds = (ms: Ms): string => `${Math.round(ms / 1000)} s`;
