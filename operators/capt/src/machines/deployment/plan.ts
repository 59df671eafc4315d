// What a pass does for a CaptMachineDeployment: which set has how many machines, and which old sets go. Pure.
import { type Instant, matchesSelector } from "@telltale/kinds";
import type { CaptMachine } from "../../kinds/capt-machine.ts";
import type { CaptMachineDeployment } from "../../kinds/capt-machine-deployment.ts";
import type { CaptMachineSet } from "../../kinds/capt-machine-set.ts";
import { wantedOf } from "../set/plan.ts";
import { rollout } from "./rollout.ts";
import { countOf, isNew, setName, unknownIn, type World } from "./world.ts";

export interface Plan {
  /** How many machines the set of the template is to have. Undefined: it is left as it is. */
  readonly next?: number;
  readonly scale: readonly { readonly set: CaptMachineSet; readonly replicas: number }[];
  readonly remove: readonly CaptMachineSet[];
}

const nothing: Plan = { scale: [], remove: [] };

export function plan(world: World, now: Instant): Plan {
  const { it, sets } = world;
  if (it.spec.paused === true || !isSelecting(it)) return nothing;
  if (heldBy(world).length > 0) return nothing;
  const counts = sets.map((set) => countOf(set, it, now));
  const name = setName(it);
  const next = counts.find((count) => count.name === name) ?? { name, wanted: 0, present: 0, available: 0, free: 0 };
  const goals = rollout(
    it.spec,
    next,
    counts.filter((count) => count.name !== name),
  );
  return {
    next: goals.next,
    scale: sets.flatMap(({ set }) => {
      const replicas = goals.old.get(set.metadata.name ?? "");
      return replicas === undefined ? [] : [{ set, replicas }];
    }),
    remove: forgotten(world),
  };
}

/** Recreate takes all old machines at once: not while it is not known of one whether it runs. */
export function heldBy({ it, sets }: World): readonly CaptMachine[] {
  if (it.spec.strategy?.type !== "Recreate") return [];
  return unknownIn(sets.filter((owned) => !isNew(owned, it) && wantedOf(owned.set) > 0));
}

export const isSelecting = ({ spec }: CaptMachineDeployment): boolean =>
  spec.selector === undefined || matchesSelector(spec.selector, spec.template.metadata?.labels);

/** Old sets without machines, beyond as many as are kept to go back to: the oldest first. */
function forgotten({ it, sets }: World): readonly CaptMachineSet[] {
  const empty = sets
    .filter((owned) => !isNew(owned, it) && owned.machines.length === 0 && owned.set.spec.replicas === 0)
    .map(({ set }) => set)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((a, b) => ageOf(a).localeCompare(ageOf(b)));
  return empty.slice(0, Math.max(0, empty.length - (it.spec.revisionHistoryLimit ?? 10)));
}

const ageOf = ({ metadata }: CaptMachineSet): string => `${metadata.creationTimestamp} ${metadata.name}`;
