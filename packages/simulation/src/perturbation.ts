// A way in which the world goes wrong: where it can be tried, given a run in which nothing did, and how it is brought about.
import type { Random } from "@telltale/clock";
import type { Fault } from "./fault.ts";
import type { Reference } from "./reference.ts";
import type { Scenario } from "./scenario.ts";
import type { World } from "./world.ts";

/**
 * What the end is: `same` as without it (default); `gone`: what it deleted is not there, all else the same; `own`: another
 * one, which the invariants judge without the run that had no faults.
 */
export type Expectation = "same" | "gone" | "own";

export interface Perturbation {
  readonly id: string;
  readonly what: string;
  readonly expects?: Expectation | ((fault: Fault, scenario: Scenario) => Expectation);
  /** What may end differently because of it, as in `Scenario.free`. */
  free?(fault: Fault, scenario: Scenario): readonly string[];
  /** It takes away what others build on, so that nobody can say what both together should come to: never with another one. */
  readonly alone?: true;
  /** How many processes have to stand for election, where the scenario has fewer. */
  readonly replicas?: 2;
  /** Every place at which it can make a difference, by the run without faults. */
  plans(reference: Reference): Iterable<Fault>;
  /** Some place, for random walks. Default: one of `plans`. */
  some?(reference: Reference, random: Random): Fault | undefined;
  /** Called before the world starts. */
  arm(fault: Fault, world: World): void;
}

/** A number in a fault. */
export function numberIn(fault: Fault, name: string): number {
  const value = fault[name];
  if (typeof value !== "number") throw new TypeError(`fault ${fault.p}: ${name} is ${String(value)}; give a number`);
  return value;
}

export function textIn(fault: Fault, name: string): string {
  const value = fault[name];
  if (typeof value !== "string") throw new TypeError(`fault ${fault.p}: ${name} is ${String(value)}; give a text`);
  return value;
}
