// Pages about several kinds, for people: what each is, and what their reasons say. Everything comes from the declarations.
import type { Kind } from "./kind.ts";
import { code, markdownTable } from "./markdown.ts";
import { referenceOf, written } from "./reference.ts";

/** References of several kinds, to stand on one page below a title of its own. */
export const referencesOf = (kinds: readonly Kind[], leaveOut?: RegExp): readonly string[] =>
  kinds.map((kind) => deeper(leaveOut === undefined ? referenceOf(kind) : without(leaveOut, referenceOf(kind))));

/** Fields that somebody else describes are not described again: their paths match. */
const without = (paths: RegExp, page: string): string =>
  page
    .split("\n")
    .filter((line) => !paths.test(/^\| `([^`]*)`/.exec(line)?.[1] ?? ""))
    .join("\n");

const deeper = (page: string): string => page.replace(/^#/gm, "##");

/** What there is to do about reasons, as a table in the order of their names. Those that ask for nothing are left out. */
export function troublesOf(kinds: readonly Kind[]): string {
  const rows = new Map<string, Trouble>();
  for (const { kind, conditions } of kinds) {
    for (const [type, declared] of Object.entries(conditions.types)) {
      for (const [name, { means, fix }] of Object.entries(declared.reasons)) {
        if (fix === "nothing to do") continue;
        const key = [name, means, fix].join("\n");
        const row = rows.get(key) ?? { name, means, fix, types: new Set(), kinds: new Set() };
        row.types.add(written(type, declared));
        row.kinds.add(kind);
        rows.set(key, row);
      }
    }
  }
  const sorted = [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return markdownTable(
    ["Reason", "Condition", "Of", "Means", "Do"],
    sorted.map(({ name, means, fix, types, kinds: of }) => [
      code(name),
      [...types].join(", "),
      [...of].join(", "),
      means,
      fix,
    ]),
  );
}

interface Trouble {
  readonly name: string;
  readonly means: string;
  readonly fix: string;
  readonly types: Set<string>;
  readonly kinds: Set<string>;
}
