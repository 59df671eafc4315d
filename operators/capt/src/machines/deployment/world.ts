// What a pass knows of one CaptMachineDeployment.
import { canonicalJson, type Instant, type Ms, parseTime, plus, sha256Hex } from "@telltale/kinds";
import type { CaptMachine } from "../../kinds/capt-machine.ts";
import type { CaptMachineDeployment } from "../../kinds/capt-machine-deployment.ts";
import type { CaptMachineSet } from "../../kinds/capt-machine-set.ts";
import { isReady, isStaying, stateOf, wantedOf } from "../set/plan.ts";
import type { SetCount } from "./rollout.ts";

export interface World {
  readonly it: CaptMachineDeployment;
  readonly sets: readonly OwnedSet[];
  /** Whether somebody else has the name of the new set. */
  readonly isCrossed: boolean;
}

export interface OwnedSet {
  readonly set: CaptMachineSet;
  readonly machines: readonly CaptMachine[];
}

/** By it a set is told from those of other templates. Another try after somebody else had the name is another hash. */
export const hashOf = ({ spec, status }: CaptMachineDeployment): string =>
  sha256Hex(canonicalJson([spec.template, status?.collisionCount ?? 0]), 10);

export const setName = (it: CaptMachineDeployment): string => `${(it.metadata.name ?? "").slice(0, 230)}-${hashOf(it)}`;

export const isNew = ({ set }: OwnedSet, it: CaptMachineDeployment): boolean => set.metadata.name === setName(it);

export function countOf({ set, machines }: OwnedSet, it: CaptMachineDeployment, now: Instant): SetCount {
  return {
    name: set.metadata.name ?? "",
    wanted: wantedOf(set),
    present: machines.length,
    available: machines.filter((machine) => isAvailable(machine, it, now)).length,
    // What is known not to run, or is not there at all: only these are free to go.
    free: Math.max(0, wantedOf(set) - machines.filter((one) => isStaying(one) && stateOf(one) !== "down").length),
  };
}

/** Machines of which it is not known whether they run. */
export const unknownIn = (sets: readonly OwnedSet[]): readonly CaptMachine[] =>
  sets.flatMap(({ machines }) => machines.filter((one) => isStaying(one) && stateOf(one) === "unknown"));

const minReady = ({ spec }: CaptMachineDeployment): Ms => (spec.minReadySeconds ?? 0) * 1000;

/** Ready for long enough. */
export const isAvailable = (machine: CaptMachine, it: CaptMachineDeployment, now: Instant): boolean =>
  isStaying(machine) && isReady(machine) && availableAt(machine, it, now) <= now;

const availableAt = ({ status }: CaptMachine, it: CaptMachineDeployment, now: Instant): Instant =>
  plus(parseTime(status?.lastTransitionTime) ?? now, minReady(it));

/** When the next machine will have been ready for long enough. */
export function nextAvailable({ it, sets }: World, now: Instant): Instant | undefined {
  const times = sets
    .flatMap(({ machines }) => machines)
    .filter((machine) => isStaying(machine) && isReady(machine) && !isAvailable(machine, it, now))
    .map((machine) => availableAt(machine, it, now));
  return times.reduce<Instant | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
}
