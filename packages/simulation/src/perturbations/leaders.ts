// P23: the leader stands still, another one takes the lease, and the old one goes on as if nothing had happened.
import { isNoise } from "../history.ts";
import { numberIn, type Perturbation } from "../perturbation.ts";
import { terms } from "../process.ts";
import { placesOf, spread } from "./places.ts";

const most = 24;
/** Long enough for somebody else to take the lease, which they saw renewed a moment later than it was, and to begin. */
const pause = terms.duration + terms.retry / 2;
/**
 * Then the old one has heard all answers, has nothing left that it could do, and ends, if another one leads: two who wait for nothing
 * take time.
 */
const ends = 40_000;

export const leaders: readonly Perturbation[] = [
  {
    id: "P23",
    what: "the leader is paused, loses the lease to another one, and resumes",
    replicas: 2,
    *plans(reference) {
      // Counted without those that renew a lease: how many there are depends on who takes part.
      const places = placesOf(reference).map((_, i) => i + 1);
      for (const change of spread(places, most)) yield { p: "P23", change };
    },
    arm(fault, world) {
      const at = numberIn(fault, "change");
      let count = 0;
      world.network.rules.push({
        applied({ process: name }, changes) {
          if (!changes.some(({ key }) => !isNoise(key))) return;
          count += 1;
          const process = world.processes.find((it) => it.name === name);
          if (count !== at || process === undefined) return;
          world.busyFor(pause);
          world.trace.note(world.clock.now(), "fault", `pauses ${name}`);
          process.pause();
          world.clock.after(pause, () => world.do(`resumes ${name}`, () => process.resume(), "fault"));
          world.clock.after(pause + ends, () => {
            const isLed = world.processes.some((it) => it.state === "runs" && it.manager.isActive());
            if (process.state === "runs" && !process.manager.isActive() && isLed)
              world.do(`stops ${name}`, () => process.stop(), "fault");
          });
        },
      });
    },
  },
];
