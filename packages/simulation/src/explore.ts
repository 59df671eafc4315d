// Which plans are tried, in which order: each fault alone at every place where it can matter; where the world is tiny, every pair
// and every triple of them; then random walks for as long as the budget lasts. What was tried least comes first.
import { type Random, seededRandom } from "@telltale/clock";
import { distinct, isHidden } from "./causality.ts";
import { type Coverage, stepOf } from "./coverage.ts";
import type { Fault, Plan } from "./fault.ts";
import { isNoise } from "./history.ts";
import type { Perturbation } from "./perturbation.ts";
import type { Reference } from "./reference.ts";

export type Strategy = "alone" | "pairs" | "triples" | "walks";

export interface Trial {
  readonly as: Strategy;
  readonly plan: Plan;
}

const mostFaults = 4;

export function* trials(
  reference: Reference,
  perturbations: readonly Perturbation[],
  seed: number,
  coverage: Coverage,
): Generator<Trial, void, undefined> {
  const alone = perturbations.map((it): readonly Fault[] => [
    ...inTurn<Fault>(bySteps([...it.plans(reference)], reference)),
  ]);
  for (const fault of inTurn<Fault>(alone)) yield { as: "alone", plan: { seed, faults: [fault] } };
  if (isTiny(reference)) {
    const kept = new Set(distinct(alone.flat(), reference));
    const families = alone
      .filter((_, i) => perturbations[i]?.alone !== true)
      .map((faults) => faults.filter((it) => kept.has(it)));
    for (const faults of inTurn(together(families, 2))) yield { as: "pairs", plan: { seed, faults } };
    for (const faults of inTurn(together(families, 3))) yield { as: "triples", plan: { seed, faults } };
  }
  yield* walks(reference, perturbations, seed, coverage);
}

/** At most two objects of the operator's own, and three writes. */
export function isTiny({ scenario: { apply }, writes }: Reference): boolean {
  return apply.length <= 2 && writes.filter(({ changes }) => changes.some(({ key }) => !isNoise(key))).length <= 3;
}

/** The faults of one perturbation by the step at which they act. */
function bySteps(faults: readonly Fault[], reference: Reference): readonly (readonly Fault[])[] {
  return [...Map.groupBy(faults, (fault) => stepOf(fault, reference)).values()];
}

/** One of each, again and again, until all have ended: a small budget has seen all kinds. */
function* inTurn<T>(sources: Iterable<Iterable<T>>): Iterable<T> {
  let open = Array.from(sources, (it) => it[Symbol.iterator]());
  while (open.length > 0) {
    const still: Iterator<T>[] = [];
    for (const source of open) {
      const next = source.next();
      if (next.done === true) continue;
      still.push(source);
      yield next.value;
    }
    open = still;
  }
}

/** For each so many families their faults together, without those of which one hides another. */
function* together(families: readonly (readonly Fault[])[], count: number): Iterable<Iterable<readonly Fault[]>> {
  for (const chosen of choices(families, count)) yield products(chosen);
}

/** Each choice of so many of a list, a member perhaps more than once. */
function* choices<T>(list: readonly T[], count: number): Iterable<readonly T[]> {
  if (count === 0) yield [];
  else
    for (const [i, first] of list.entries())
      for (const rest of choices(list.slice(i), count - 1)) yield [first, ...rest];
}

function* products(
  [family, ...rest]: readonly (readonly Fault[])[],
  chosen: readonly Fault[] = [],
): Iterable<readonly Fault[]> {
  if (family === undefined) {
    yield chosen;
    return;
  }
  // Two of one family: each pair once.
  const last = chosen.at(-1);
  const from = last === undefined ? 0 : family.indexOf(last) + 1;
  for (const fault of family.slice(from)) {
    if (!chosen.some((it) => isHidden(it, fault))) yield* products(rest, [...chosen, fault]);
  }
}

function* walks(
  reference: Reference,
  perturbations: readonly Perturbation[],
  seed: number,
  coverage: Coverage,
): Generator<Trial, void, undefined> {
  const known = new Map<Perturbation, readonly Fault[]>();
  const some = (it: Perturbation, random: Random): Fault | undefined => {
    const given = it.some?.(reference, random);
    if (given !== undefined) return given;
    const all = known.get(it) ?? [...it.plans(reference)];
    known.set(it, all);
    return all[Math.floor(random.next() * all.length)];
  };
  /** Of two that chance offers the one that was tried less. */
  const lesser = (random: Random): Fault | undefined => {
    const offered = [0, 1].map(() => perturbations[Math.floor(random.next() * perturbations.length)]);
    const [a, b] = offered.map((it) => (it === undefined ? undefined : some(it, random)));
    return a === undefined || (b !== undefined && coverage.of(b) < coverage.of(a)) ? b : a;
  };
  for (let n = 1; ; n += 1) {
    const random = seededRandom(seed * 1_000_003 + n);
    const count = 1 + Math.floor(random.next() * mostFaults);
    const found = Array.from({ length: count }, () => lesser(random)).filter((it) => it !== undefined);
    const lonely = found.find(({ p }) => perturbations.some(({ id, alone }) => id === p && alone === true));
    const faults = lonely === undefined ? found : [lonely];
    yield { as: "walks", plan: { seed: seed + n, latency: "random", faults } };
  }
}
