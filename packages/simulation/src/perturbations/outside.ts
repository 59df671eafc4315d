// P29, P36, P37, P38: what is outside the cluster goes wrong, and is well again later.
import type { Ms } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import type { BackendFault } from "../scenario.ts";
import type { World } from "../world.ts";
import { after, each, placesOf, spread } from "./places.ts";

const most = 12;
const minute: Ms = 60_000;
const ways: readonly BackendFault[] = ["slow", "failing", "lagging", "partial"];
/** After a write: at once, and when what it was followed by has begun. */
const delays: readonly Ms[] = [0, 3_000];

export const outside: readonly Perturbation[] = [
  {
    id: "P29",
    what: "what is outside is slow, fails, lags behind or tells only half",
    *plans(reference) {
      if (reference.scenario.backend === undefined) return;
      // From the start, and from each write on.
      for (const [write, how] of each([0, ...places(reference)], ways)) yield { p: "P29", write, how };
    },
    arm(fault, world) {
      const how = ways.find((it) => it === textIn(fault, "how"));
      if (how === undefined) throw new TypeError(`fault P29: how is ${fault["how"]}; give one of ${ways.join(", ")}`);
      from(fault, world, () => breaks(how, minute, world));
    },
  },
  {
    id: "P36",
    what: "the backend is unreachable for five minutes, and keeps running",
    *plans(reference) {
      for (const write of places(reference)) yield { p: "P36", write };
    },
    arm: (fault, world) => from(fault, world, () => breaks("unreachable", 5 * minute, world)),
  },
  {
    id: "P37",
    what: "the backend restarts in the middle of its work",
    *plans(reference) {
      for (const [write, by] of each(places(reference), delays)) yield { p: "P37", write, by };
    },
    arm: (fault, world) =>
      from(fault, world, () => {
        const by = numberIn(fault, "by");
        world.busyFor(by);
        world.clock.after(by, () => breaks("restarting", 0, world));
      }),
  },
  {
    id: "P38",
    what: "the backend does what it is asked, and its answers are lost",
    *plans(reference) {
      for (const write of places(reference)) yield { p: "P38", write };
    },
    arm: (fault, world) => from(fault, world, () => breaks("losing", minute, world)),
  },
];

const places = (reference: Reference): readonly number[] =>
  reference.scenario.backend === undefined ? [] : spread(placesOf(reference), most).map(({ write }) => write);

function from(fault: Fault, world: World, begin: () => void): void {
  const write = numberIn(fault, "write");
  if (write === 0) begin();
  else after(world, write, begin);
}

const told: Readonly<Record<BackendFault, string>> = {
  slow: "is slow",
  failing: "is failing",
  lagging: "is lagging",
  partial: "is partial",
  unreachable: "cannot be reached",
  restarting: "begins anew",
  losing: "loses its answers",
};

function breaks(how: BackendFault, lasts: Ms, world: World): void {
  const { backend } = world;
  if (backend?.fail === undefined) return;
  world.busyFor(lasts);
  world.do(`what is outside ${told[how]}`, () => backend.fail?.(how), "fault");
  world.clock.after(lasts, () => {
    world.network.disturbedAt = world.clock.now();
    world.do("what is outside is well again", () => backend.heal?.(), "fault");
  });
}
