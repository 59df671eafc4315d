// I1, I2, I20, I30: where everything ends: the same place as without faults, and nothing is left to do for who starts anew.
import { differences } from "../dump.ts";
import { type Change, isNoise } from "../history.ts";
import type { Invariant, Watcher } from "../invariant.ts";
import type { World } from "../world.ts";

export const ends: readonly Invariant[] = [
  {
    id: "I1",
    what: "everything comes to rest, and whoever starts anew finds nothing to do",
    watch: (_world, say) => reborn(say, (change) => change.sent?.target.subresource !== "status"),
  },
  {
    id: "I2",
    what: "the end is the same as in the run without faults, up to declared freedom",
    watch: (world, say) => same(world, say, !isRollback(world)),
  },
  {
    id: "I20",
    what: "a status is what whoever starts anew says of the same world",
    watch: (_world, say) => reborn(say, (change) => change.sent?.target.subresource === "status"),
  },
  {
    id: "I30",
    what: "after a rollback of the spec everything is as if nothing had been",
    watch: (world, say) => same(world, say, isRollback(world)),
  },
];

const isRollback = ({ plan }: World): boolean => plan.faults.some(({ p }) => p === "P34");

function reborn(say: (what: string) => void, concerns: (change: Change) => boolean): Watcher {
  return {
    reborn(changes) {
      const written = changes.filter((change) => !isNoise(change.key) && concerns(change));
      if (written.length > 0)
        say(`all was quiet, and a new process writes ${written.map(({ says }) => says).join(", ")}`);
    },
  };
}

function same(world: World, say: (what: string) => void, concerns: boolean): Watcher {
  return {
    end(reference, end) {
      if (!concerns || reference === undefined || world.expects === "own") return;
      const all = differences(reference.end, end, world.free);
      const found = world.expects === "gone" ? all.filter((it) => !it.endsWith("is not there")) : all;
      if (found.length > 0) say(found.slice(0, 5).join("; "));
    },
  };
}
