// Whether an Indexed Job has succeeded enough, by its successPolicy. Pure.
import type { Job } from "@telltale/kinds/builtin";
import { type Indexes, overlap, parseIndexes, total } from "./indexes.ts";

/** The first rule that is met, in the words of Kubernetes. */
export function successOf({ spec }: Job, completed: Indexes): string | undefined {
  const count = total(completed);
  if (count === 0) return undefined;
  const met = (spec?.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && count >= succeededCount;
    const asked = parseIndexes(succeededIndexes, spec?.completions ?? 0);
    return overlap(asked, completed) >= (succeededCount ?? total(asked));
  });
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}
