// I3: no more is made and deleted than without faults, but for what the faults explain.
import type { Invariant } from "../invariant.ts";
import { isAlike, tally, tallyOf } from "../tally.ts";
import { Unheard } from "../unheard.ts";

export const counts: Invariant = {
  id: "I3",
  what: "as many objects are made and deleted as without faults, but for what the faults explain",
  watch(world, say) {
    const unheard = new Unheard(world);
    return {
      applied: (sent, changes) => unheard.applied(sent, changes),
      heard: (sent, heard) => unheard.heard(sent, heard),
      end(reference) {
        if (reference === undefined || world.expects === "own" || world.history.isRewound) return;
        const [then, now] = [tallyOf(reference), tally(world.history.changes)];
        const declared = world.scenario.kinds.map(({ group, plural }) => `${group}/${plural}`);
        if (!isAlike(then, now, declared)) return; // somebody changed what is wanted
        if (world.plan.faults.some(({ p }) => p === "P8")) return; // who is shown the past does again what was done
        const more = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>, resource: string) =>
          (a.get(resource) ?? 0) - (b.get(resource) ?? 0);
        for (const resource of new Set([...now.made.keys(), ...now.deleted.keys()])) {
          const twice = unheard.creates(resource);
          const replaced = Math.max(0, more(now.theirs.deleted, then.theirs.deleted, resource));
          const made = more(now.made, then.made, resource) - twice - replaced;
          if (made > 0) say(`it made ${made} more of ${resource} than without faults`);
          const strays = Math.max(0, more(now.theirs.made, then.theirs.made, resource));
          const deleted = more(now.deleted, then.deleted, resource) - twice - strays;
          if (deleted > 0) say(`it deleted ${deleted} more of ${resource} than without faults`);
        }
      },
    };
  },
};
