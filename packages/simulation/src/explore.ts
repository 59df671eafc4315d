// Which plans are tried, in which order: each fault alone at every place where it can matter, all perturbations in turn;
// pairs of faults where the world is tiny; then random walks for as long as the budget lasts.
import { type Random, seededRandom } from "@telltale/clock";
import type { Fault, Plan } from "./fault.ts";
import type { Perturbation } from "./perturbation.ts";
import type { Reference } from "./reference.ts";

/** With so few places every pair is tried. */
const tiny = 40;
const mostFaults = 4;

export function* plansFor(
  reference: Reference,
  perturbations: readonly Perturbation[],
  seed: number,
): Generator<Plan, void, undefined> {
  const alone = [...inTurn(perturbations.map((it) => it.plans(reference)[Symbol.iterator]()))];
  for (const fault of alone) yield { seed, faults: [fault] };
  if (alone.length <= tiny) yield* pairs(alone, seed);
  yield* walks(reference, perturbations, seed);
}

/** One of each, again and again, until all have ended: a small budget has seen all kinds. */
function* inTurn<T>(sources: readonly Iterator<T>[]): Iterable<T> {
  let open = sources;
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

function* pairs(faults: readonly Fault[], seed: number): Iterable<Plan> {
  for (const [i, first] of faults.entries()) {
    for (const second of faults.slice(i + 1)) yield { seed, faults: [first, second] };
  }
}

function* walks(
  reference: Reference,
  perturbations: readonly Perturbation[],
  seed: number,
): Generator<Plan, void, undefined> {
  const known = new Map<Perturbation, readonly Fault[]>();
  const some = (it: Perturbation, random: Random): Fault | undefined => {
    const given = it.some?.(reference, random);
    if (given !== undefined) return given;
    const all = known.get(it) ?? [...it.plans(reference)];
    known.set(it, all);
    return all[Math.floor(random.next() * all.length)];
  };
  for (let n = 1; ; n += 1) {
    const random = seededRandom(seed * 1_000_003 + n);
    const count = 1 + Math.floor(random.next() * mostFaults);
    const any = () => perturbations[Math.floor(random.next() * perturbations.length)];
    const faults = Array.from({ length: count }, any).map((it) => (it === undefined ? undefined : some(it, random)));
    yield { seed: seed + n, latency: "random", faults: faults.filter((it) => it !== undefined) };
  }
}
