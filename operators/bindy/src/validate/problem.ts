// What is wrong with a spec: one field, one sentence. A text names fields, limits and words of ours, never a value of a person's:
// a value may be long, secret, or made to look like something else.
import { findMisfit, type Kind, type Resource, type SpecOf } from "@telltale/kinds";
import { type SafeText, sanitize, text } from "@telltale/status";
import { type Settled, settled } from "../kinds/maybe.ts";

export interface Problem {
  /** `spec.primary.allowTransfer[2]` */
  readonly path: string;
  /** `is not an IPv4 address` */
  readonly problem: SafeText;
}

/** A spec that may be used, or what keeps it from being. */
export type Checked<S> =
  | { readonly at: "valid"; readonly spec: S }
  | { readonly at: "invalid"; readonly path: string; readonly problem: SafeText };

/** The spec of an object by its schema, then by these rules. The first problem counts. */
export function checked<K extends Kind>(
  kind: K,
  object: Resource<K>,
  rules: (spec: Settled<SpecOf<K>>) => Iterable<Problem>,
): Checked<Settled<SpecOf<K>>> {
  // A spec that got past the server may be anything: it is held against the schema before anybody trusts its type.
  const spec: Settled<SpecOf<K>> = settled(kind, object.spec ?? {});
  const problem = misfits(kind, spec) ?? first(rules(spec));
  return problem === undefined ? { at: "valid", spec } : { at: "invalid", ...problem };
}

function misfits(kind: Kind, spec: unknown): Problem | undefined {
  const found = findMisfit(kind.schema.spec, spec, "spec", { unknown: "ignored" });
  if (found === undefined) return undefined;
  return { path: pathOf(found.at), problem: sanitize(found.problem, { max: 512 }) };
}

/** Keys of maps are a person's words: what is not a plain name ends the path there. */
const pathOf = (at: string): string => /^[A-Za-z0-9]+(\.[A-Za-z0-9]+(?=[.[]|$)|\[[0-9]+\])*/.exec(at)?.[0] ?? "spec";

export const first = <T>(all: Iterable<T>): T | undefined => all[Symbol.iterator]().next().value;

export const wrong = (path: string, problem: SafeText): Problem => ({ path, problem });

/** One problem where the test fails. */
export function* unless(isRight: boolean, path: string, problem: SafeText): Iterable<Problem> {
  if (!isRight) yield wrong(path, problem);
}

/** The same rule for each of a list. */
export function* each<T>(
  path: string,
  list: readonly T[] | undefined,
  rule: (item: T, path: string) => Iterable<Problem>,
): Iterable<Problem> {
  for (const [i, item] of (list ?? []).entries()) yield* rule(item, `${path}[${i}]`);
}

/** Two of a list that are the same; `what` says what they are. */
export function* twice(path: string, list: readonly string[], what: string): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    if (seen.has(item)) yield wrong(`${path}[${i}]`, text`is the same ${what} as one before it`);
    seen.add(item);
  }
}
