// What mutants came to, as it is kept in scores.json: a hash of what was tried, so that a module that has changed since is known.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Equivalent } from "./equivalents.ts";
import type { Decider } from "./modules.ts";
import type { Tried } from "./run.ts";

export interface Score {
  /** Of the module and its tests. */
  readonly hash: string;
  /** Without those that are equivalent. */
  readonly mutants: number;
  readonly killed: number;
  readonly equivalent: number;
  readonly seconds: number;
  readonly survivors: readonly string[];
}

export type Scores = Readonly<Record<string, Score>>;

/** The share of mutants that tests have to find. */
export const goal = 0.9;

export function hashOf(root: string, { module, tests }: Decider): string {
  const hash = createHash("sha256");
  for (const path of [module, ...tests])
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

export function scoreOf(
  decider: Decider,
  hash: string,
  tried: readonly Tried[],
  equivalents: readonly Equivalent[],
  seconds: number,
): Score {
  const own = equivalents.filter(({ module }) => module === decider.module);
  const isEquivalent = ({ mutant }: Tried) => own.some(({ from, to }) => from === mutant.from && to === mutant.to);
  const alive = tried.filter(({ result }) => result !== "killed");
  const survivors = alive.filter((it) => !isEquivalent(it));
  const equivalent = alive.length - survivors.length;
  return {
    hash,
    mutants: tried.length - equivalent,
    killed: tried.length - alive.length,
    equivalent,
    seconds,
    survivors: survivors.map(lineOf),
  };
}

export const shareOf = ({ killed, mutants }: Pick<Score, "killed" | "mutants">): number =>
  mutants === 0 ? 1 : killed / mutants;

/** Rows of the table that none of the survivors is. */
export function unused(
  decider: Decider,
  tried: readonly Tried[],
  equivalents: readonly Equivalent[],
): readonly Equivalent[] {
  const alive = tried.filter(({ result }) => result !== "killed").map(({ mutant }) => mutant);
  return equivalents.filter(
    ({ module, from, to }) =>
      module === decider.module && !alive.some((mutant) => mutant.from === from && mutant.to === to),
  );
}

function lineOf({ mutant: { line, from, to }, result }: Tried): string {
  const note = result === "unreached" ? " (no test comes by)" : "";
  return `${line}: ${short(from)} → ${short(to)}${note}`;
}

function short(text: string): string {
  const plain = text.replaceAll(/\s+/g, " ");
  return plain.length <= 100 ? plain : `${plain.slice(0, 99)}…`;
}
