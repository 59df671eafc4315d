// How a CaptMachineDeployment moves machines from old sets to the new one (14.3). Pure.
import { resolveIntOrPercent } from "@telltale/kinds";
import type { CaptMachineDeployment } from "../../kinds/capt-machine-deployment.ts";

/** One set, in numbers. */
export interface SetCount {
  readonly name: string;
  /** How many it is to have. */
  readonly wanted: number;
  /** How many it has, those that go included. */
  readonly present: number;
  readonly available: number;
  /** How many of those wanted are known not to run: they may go without being missed. */
  readonly free: number;
}

export interface Rollout {
  /** How many the new set is to have. */
  readonly next: number;
  /** How many each old set is to have, by name: those that change. */
  readonly old: ReadonlyMap<string, number>;
}

type Spec = CaptMachineDeployment["spec"];

export function rollout(spec: Spec, next: SetCount, old: readonly SetCount[]): Rollout {
  const replicas = spec.replicas ?? 1;
  if (spec.strategy?.type === "Recreate") return recreated(replicas, old);
  const { surge, unavailable } = limitsOf(spec, replicas);
  return { next: grown(replicas, surge, next, old), old: shrunk(replicas - unavailable, next, old) };
}

/** Everything old is gone before anything new comes. */
function recreated(replicas: number, old: readonly SetCount[]): Rollout {
  const isGone = old.every(({ present, wanted }) => present === 0 && wanted === 0);
  return { next: isGone ? replicas : 0, old: zeroed(old) };
}

const zeroed = (old: readonly SetCount[]): ReadonlyMap<string, number> =>
  new Map(old.filter(({ wanted }) => wanted > 0).map(({ name }) => [name, 0]));

/** Both zero would be a standstill: then one may be missing. */
export function limitsOf(
  { strategy }: Spec,
  replicas: number,
): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge = 1, maxUnavailable = 0 } = strategy?.rollingUpdate ?? {};
  const surge = resolveIntOrPercent(numbered(maxSurge), replicas, "up") ?? 1;
  const unavailable = Math.min(resolveIntOrPercent(numbered(maxUnavailable), replicas, "down") ?? 0, replicas);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** `"2"` is a number to a person. */
const numbered = (value: number | string): number | string =>
  typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;

function grown(replicas: number, surge: number, next: SetCount, old: readonly SetCount[]): number {
  if (next.wanted >= replicas) return replicas;
  const total = sum([next, ...old], ({ wanted, present }) => Math.max(wanted, present));
  return Math.min(replicas, next.wanted + Math.max(0, replicas + surge - total));
}

/** First those that are known not to run, then as many as may be missing. What is unknown may run, and is not taken. */
function shrunk(least: number, next: SetCount, old: readonly SetCount[]): ReadonlyMap<string, number> {
  const goals = new Map(old.map(({ name, wanted }) => [name, wanted]));
  const lower = (name: string, by: number) => goals.set(name, (goals.get(name) ?? 0) - by);
  const total = sum([next, ...old], ({ wanted }) => wanted);
  let room = Math.max(0, total - least - Math.max(0, next.wanted - next.available));
  for (const { name, wanted, free } of old) {
    const by = Math.min(room, wanted, free);
    lower(name, by);
    room -= by;
  }
  let spare = Math.max(0, sum([next, ...old], ({ wanted, available }) => Math.min(wanted, available)) - least);
  for (const { name, wanted, available } of old) {
    const by = Math.min(room, spare, Math.min(wanted, available));
    lower(name, by);
    room -= by;
    spare -= by;
  }
  return new Map(
    old.filter(({ name, wanted }) => goals.get(name) !== wanted).map(({ name }) => [name, goals.get(name) ?? 0]),
  );
}

const sum = (all: readonly SetCount[], of: (it: SetCount) => number): number =>
  all.reduce((total, it) => total + of(it), 0);
