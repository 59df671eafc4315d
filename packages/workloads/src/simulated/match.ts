// Which pods a rule is for.
import { matchesSelector } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { nameOf } from "../pods/facts.ts";

/** Everything that is given has to fit. Texts are globs: `*` is any text, `?` any character. */
export interface Match {
  readonly namespace?: string | RegExp;
  readonly name?: string | RegExp;
  readonly labels?: Readonly<Record<string, string>>;
}

export function isMatch(match: Match, pod: Pod): boolean {
  const { namespace, name, labels } = match;
  return (
    fits(namespace, pod.metadata?.namespace ?? "") &&
    fits(name, nameOf(pod)) &&
    (labels === undefined || matchesSelector({ matchLabels: labels }, pod.metadata?.labels))
  );
}

function fits(pattern: string | RegExp | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  if (typeof pattern === "string") return isLike(pattern, text);
  pattern.lastIndex = 0; // one that remembers where it was would fit every other time only
  return pattern.test(text);
}

/** Whether a text is like a glob. In a time that grows with the length of both, whatever they are. */
export function isLike(glob: string, text: string): boolean {
  let [g, t] = [0, 0];
  let [star, mark] = [-1, 0];
  while (t < text.length) {
    if (glob[g] === "*") {
      star = g;
      mark = t;
      g += 1;
    } else if (glob[g] === "?" || glob[g] === text[t]) {
      g += 1;
      t += 1;
    } else if (star >= 0) {
      // What the last star stands for grows by one.
      g = star + 1;
      mark += 1;
      t = mark;
    } else return false;
  }
  while (glob[g] === "*") g += 1;
  return g === glob.length;
}
