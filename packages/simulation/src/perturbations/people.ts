// P22: somebody changes a spec while a pass over it is under way: there and back at once, or for a while.

import { ApiError } from "@telltale/client";
import { deepEqual } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import { neighbours, valueAt, withValue } from "../schema-values.ts";
import { edit, type Loose, there } from "../stranger.ts";
import type { World } from "../world.ts";
import { after, kindOf, ownerOf, placesOf, spread } from "./places.ts";

const most = 32;
/** How long somebody thinks about it before they take it back. */
const second = 1000;
const thinks = 30 * second;

export const people: readonly Perturbation[] = [
  {
    id: "P22",
    what: "a spec changes in the middle of a pass, and back again",
    *plans(reference) {
      const found = placesOf(reference).flatMap(({ write, change }) => {
        const on = ownerOf(reference, change);
        return on === undefined ? [] : [{ write, on, near: near(reference, on, change.revision) }];
      });
      // Field by field in turn: each has its share of the places.
      const faults = found.flatMap(({ write, on, near }, i) => {
        const it = near[i % near.length];
        if (it === undefined) return [];
        const fault = { p: "P22", write, on, at: it.at, to: JSON.stringify(it.value) };
        return [
          { ...fault, how: "flips" },
          { ...fault, how: "moves" },
        ];
      });
      yield* spread(faults, most);
    },
    arm(fault, world) {
      const takesBack = textIn(fault, "how") === "flips" ? 0 : thinks;
      after(world, numberIn(fault, "write"), () => {
        world.busyFor(takesBack);
        world.do(`changes ${fault["at"]} of ${fault["on"]}`, () => thereAndBack(fault, world, takesBack));
      });
    },
  },
];

/** What the spec of an object could say instead, as it was at a revision. */
function near({ changes, scenario }: Reference, on: string, revision: number) {
  const was = changes.findLast((it) => it.key === on && it.revision <= revision)?.after as Loose | undefined;
  const schema = was === undefined ? undefined : kindOf(scenario.kinds, was)?.schema.spec;
  return schema === undefined ? [] : [...neighbours(schema, was?.["spec"])];
}

async function thereAndBack(fault: Fault, world: World, takesBack: number): Promise<void> {
  const [on, at] = [textIn(fault, "on"), textIn(fault, "at")];
  const to: unknown = JSON.parse(textIn(fault, "to"));
  const was = valueAt(there(world, on)?.["spec"], at);
  const set = (from: unknown, next: unknown) =>
    edit(world, on, { manager: "person" }, (object) =>
      deepEqual(valueAt(object["spec"], at), from)
        ? ({ ...object, spec: withValue(object["spec"], at, next) } as Loose)
        : undefined,
    );
  if (was === undefined) return;
  await set(was, to);
  const back = () =>
    world.do("takes it back", () => {
      const object = there(world, on);
      const now = valueAt(object?.["spec"], at);
      // It may come again, as it was; and somebody else may take back their own first.
      if (object === undefined) throw new ApiError(`GET ${on}`, { code: 404, reason: "NotFound" });
      if (!deepEqual(now, to) && !deepEqual(now, was))
        throw new ApiError(`PUT ${on}`, { code: 409, reason: "Conflict" });
      return set(to, was);
    });
  if (takesBack === 0) back();
  else world.clock.after(takesBack, back);
}
