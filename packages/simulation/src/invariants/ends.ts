// What must hold of the end: the same as without faults (I2).
import { differences, dumpOf } from "../dump.ts";
import type { Invariant } from "../invariant.ts";

export const ends: readonly Invariant[] = [
  {
    id: "I2",
    what: "the end is the same as in the run without faults, up to declared freedom",
    watch(world, say) {
      const first = world.server.store.revision;
      return {
        end(reference) {
          if (reference === undefined || world.expects === "own") return;
          const all = differences(reference.end, dumpOf(world.server, first), world.free);
          const found = world.expects === "gone" ? all.filter((it) => !it.endsWith("is not there")) : all;
          if (found.length > 0) say(found.slice(0, 5).join("; "));
        },
      };
    },
  },
];
