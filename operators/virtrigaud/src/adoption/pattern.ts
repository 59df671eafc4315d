// Patterns for names that people write, matched in linear time: all ways through a pattern are followed at once, so that no name
// and no pattern make it slow. The syntax is that of RE2, without Unicode classes.
import { parsePattern, type Tree } from "./pattern-syntax.ts";

export interface Pattern {
  /** Whether it matches anywhere in a text. */
  test(text: string): boolean;
}

/** Longer ones are refused, and so are those that become longer by their counts. */
export const longestPattern = 256;
const longestProgram = 1_000;

export function compilePattern(source: string): Pattern | { readonly problem: string } {
  if (source.length > longestPattern) return { problem: `it is longer than ${longestPattern} characters` };
  const parsed = parsePattern(source);
  if ("problem" in parsed) return parsed;
  const program: Step[] = [];
  if (!emit(parsed.tree, program)) return { problem: "its counts make it too long" };
  program.push({ is: "match" });
  return { test: (text) => run(program, [...text].map(codeOf)) };
}

type Step =
  | { readonly is: "one"; readonly of: (code: number) => boolean }
  | { is: "fork"; a: number; b: number }
  | { readonly is: "edge"; readonly at: Edge }
  | { readonly is: "match" };

type Edge = (before: number | undefined, after: number | undefined) => boolean;

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

/** Writes the steps of a tree. False: there are too many. */
function emit(tree: Tree, into: Step[]): boolean {
  if (into.length > longestProgram) return false;
  switch (tree.is) {
    case "one":
    case "edge":
      into.push(tree);
      return true;
    case "all":
      return tree.of.every((part) => emit(part, into));
    case "any":
      return emitChoice(tree.of, into);
    case "repeat":
      return emitRepeat(tree, into);
  }
}

function emitChoice(trees: readonly Tree[], into: Step[]): boolean {
  const [first, ...rest] = trees;
  if (first === undefined) return true;
  if (rest.length === 0) return emit(first, into);
  const fork = pushFork(into);
  if (!emit(first, into)) return false;
  const out = pushFork(into);
  fork.b = into.length;
  if (!emitChoice(rest, into)) return false;
  out.a = into.length;
  out.b = into.length;
  return true;
}

function emitRepeat({ of, least, most }: Extract<Tree, { is: "repeat" }>, into: Step[]): boolean {
  for (let i = 0; i < least; i += 1) if (!emit(of, into)) return false;
  if (most === Number.POSITIVE_INFINITY) {
    const begin = into.length;
    const fork = pushFork(into);
    if (!emit(of, into)) return false;
    into.push({ is: "fork", a: begin, b: begin });
    fork.b = into.length;
    return true;
  }
  const forks: { b: number }[] = [];
  for (let i = least; i < most; i += 1) {
    forks.push(pushFork(into));
    if (!emit(of, into)) return false;
  }
  for (const fork of forks) fork.b = into.length;
  return true;
}

/** Goes on with the next step, and also with one that is set later. */
function pushFork(into: Step[]): { is: "fork"; a: number; b: number } {
  const fork: { is: "fork"; a: number; b: number } = { is: "fork", a: into.length + 1, b: into.length + 1 };
  into.push(fork);
  return fork;
}

function run(program: readonly Step[], codes: readonly number[]): boolean {
  let here = new Set<number>();
  for (let at = 0; at <= codes.length; at += 1) {
    // A match may begin anywhere.
    if (reach(program, 0, here, codes[at - 1], codes[at])) return true;
    const code = codes[at];
    if (code === undefined) return false;
    const next = new Set<number>();
    for (const i of here) {
      const step = program[i];
      if (step?.is !== "one" || !step.of(code)) continue;
      if (reach(program, i + 1, next, code, codes[at + 1])) return true;
    }
    here = next;
  }
  return false;
}

/** Follows all that needs no character. True: the end is among it. */
function reach(
  program: readonly Step[],
  from: number,
  seen: Set<number>,
  before: number | undefined,
  after: number | undefined,
): boolean {
  const open = [from];
  for (let i = open.pop(); i !== undefined; i = open.pop()) {
    if (seen.has(i)) continue;
    seen.add(i);
    const step = program[i];
    if (step === undefined || step.is === "match") return true;
    if (step.is === "fork") open.push(step.b, step.a);
    else if (step.is === "edge" && step.at(before, after)) open.push(i + 1);
  }
  return false;
}
