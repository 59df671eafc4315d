// What was tried so far: which perturbation, at which step of reconciling.
import type { Fault } from "./fault.ts";
import { type Change, isNoise } from "./history.ts";
import type { Reference } from "./reference.ts";

/** How often each perturbation was tried, by step: `P1` -> `act: PATCH configmaps` -> 12. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

export class Coverage {
  readonly #reference: Reference;
  readonly #counts: Record<string, Record<string, number>> = {};

  constructor(reference: Reference) {
    this.#reference = reference;
  }

  get counts(): Counts {
    return this.#counts;
  }

  add(fault: Fault): void {
    const step = stepOf(fault, this.#reference);
    const of = this.#counts[fault.p] ?? {};
    of[step] = (of[step] ?? 0) + 1;
    this.#counts[fault.p] = of;
  }

  /** How often the like was tried. */
  of(fault: Fault): number {
    return this.#counts[fault.p]?.[stepOf(fault, this.#reference)] ?? 0;
  }
}

/**
 * Where in the straight line a fault acts: `observe: configmaps` (an event on its way, or what somebody else writes), `finalizer`,
 * `act: PATCH services`, `status`, `ending`, `pass`, or `any time`.
 */
export function stepOf(fault: Fault, reference: Reference): string {
  const { write, change, kind, event, pass } = fault;
  if (typeof event === "number") return `observe: ${String(kind).split("/").at(-1)}`;
  if (typeof pass === "number") return "pass";
  if (typeof write === "number") return steps(reference).byWrite.get(write) ?? "any time";
  return typeof change === "number" ? (steps(reference).byChange[change - 1] ?? "any time") : "any time";
}

interface Steps {
  readonly byWrite: ReadonlyMap<number, string>;
  /** In the order of all changes that count. */
  readonly byChange: readonly string[];
}

const known = new WeakMap<Reference, Steps>();

function steps(reference: Reference): Steps {
  const there = known.get(reference);
  if (there !== undefined) return there;
  const { writes, changes } = reference;
  const made: Steps = {
    byWrite: new Map(writes.map(({ write, changes: [first] }) => [write, stepOfChange(first)] as const)),
    byChange: changes.filter(({ key }) => !isNoise(key)).map(stepOfChange),
  };
  known.set(reference, made);
  return made;
}

function stepOfChange(change: Change | undefined): string {
  if (change === undefined) return "any time";
  const { author, sent, before, after, key, type } = change;
  if (author === undefined || sent === undefined) return `observe: ${key.split("/")[2] ?? ""}`;
  if (sent.target.subresource === "status") return "status";
  const [had, has] = [before, after].map((it) => it?.metadata?.finalizers?.length ?? 0);
  if (before?.metadata?.deletionTimestamp !== undefined && (type === "DELETED" || has !== had)) return "ending";
  return type === "MODIFIED" && has !== had ? "finalizer" : `act: ${sent.method} ${sent.target.resource}`;
}
