// P32: many others want to be looked at while one is urgent.
import type { KubeObject, Ms } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { numberIn, type Perturbation } from "../perturbation.ts";
import type { Scenario } from "../scenario.ts";
import { remove } from "../stranger.ts";
import type { World } from "../world.ts";
import { onRequest } from "./moments.ts";
import { kindOf } from "./places.ts";

/** How long they keep the server busy. */
const stay: Ms = 60_000;
/** So long an answer takes meanwhile: who gets everything at once has no queue. */
const busy: Ms = 20;

export const crowds: readonly Perturbation[] = [
  {
    id: "P32",
    what: "queue pressure: many other objects come at once, and go again",
    *plans({ scenario }): Iterable<Fault> {
      if (oneOf(scenario, 0) === undefined) return;
      const moments = [1000, ...(scenario.people ?? []).slice(0, 2).map(({ at }) => at)];
      for (const at of moments) yield { p: "P32", at: at - 2 * busy, many: 120 };
    },
    some({ scenario }, random) {
      if (oneOf(scenario, 0) === undefined) return undefined;
      return { p: "P32", at: 900 + Math.floor(random.next() * 10_000), many: 4 + Math.floor(random.next() * 6) };
    },
    arm(fault, world) {
      const [at, many] = [numberIn(fault, "at"), numberIn(fault, "many")];
      const crowd = Array.from({ length: many }, (_, i) => oneOf(world.scenario, i)).filter((it) => it !== undefined);
      let isBusy = false;
      onRequest(world, () => (isBusy ? { do: "slow", after: busy } : undefined));
      world.at(at, `brings ${many} others`, () => {
        isBusy = true;
        return Promise.all(crowd.map((it) => world.apply(it)));
      });
      world.at(at + stay, "the rush is over", () => {
        isBusy = false;
      });
      // At the very end: what people do may be done again in between.
      world.whenQuiet(`takes the ${many} others away`, () => Promise.all(crowd.map((it) => gone(world, it))));
    },
  },
];

/** One of the crowd: what the scenario says, or the first of the operator's own objects under another name. */
function oneOf({ crowd, apply, kinds }: Scenario, i: number): KubeObject | undefined {
  if (crowd !== undefined) return crowd(i);
  const model = apply.find((it) => kindOf(kinds, it) !== undefined);
  return model === undefined ? undefined : { ...model, metadata: { ...model.metadata, name: `crowd-${i}` } };
}

function gone(world: World, { kind, metadata }: KubeObject): Promise<void> {
  const found = world.scenario.kinds.find((it) => it.kind === kind);
  if (found === undefined) return Promise.resolve();
  const place = found.scope === "Cluster" ? "" : `${metadata?.namespace ?? "default"}/`;
  return remove(world, `/${found.group}/${found.plural}/${place}${metadata?.name}`, "Background");
}
