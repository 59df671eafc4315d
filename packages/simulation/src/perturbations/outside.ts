// P29: what is outside the cluster is slow, fails, lags behind or tells only half, and is well again later.
import type { Fault } from "../fault.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { BackendFault } from "../scenario.ts";
import type { World } from "../world.ts";
import { after, each, placesOf, spread } from "./places.ts";

const most = 12;
const lasts = 60_000;
const ways: readonly BackendFault[] = ["slow", "failing", "lagging", "partial"];

export const outside: readonly Perturbation[] = [
  {
    id: "P29",
    what: "what is outside is slow, fails, lags behind or tells only half",
    *plans(reference) {
      if (reference.scenario.backend === undefined) return;
      // From the start, and from each write on.
      const places = [0, ...spread(placesOf(reference), most).map(({ write }) => write)];
      for (const [write, how] of each(places, ways)) yield { p: "P29", write, how };
    },
    arm(fault, world) {
      const write = numberIn(fault, "write");
      if (write === 0) breaks(fault, world);
      else after(world, write, () => breaks(fault, world));
    },
  },
];

function breaks(fault: Fault, world: World): void {
  const how = ways.find((it) => it === textIn(fault, "how"));
  const { backend } = world;
  if (how === undefined) throw new TypeError(`fault P29: how is ${fault["how"]}; give one of ${ways.join(", ")}`);
  if (backend?.fail === undefined) return;
  world.busyFor(lasts);
  world.do(`what is outside is ${how}`, () => backend.fail?.(how), "fault");
  world.clock.after(lasts, () => {
    world.network.disturbedAt = world.clock.now();
    world.do("what is outside is well again", () => backend.heal?.(), "fault");
  });
}
