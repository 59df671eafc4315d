// Which invariant a numbered rule of status stands for.

/** Rules by what breaks with them. What is not named here is a matter of what is declared: I21. */
const groups: Readonly<Record<string, readonly number[]>> = {
  I8: [25, 26, 27, 28, 29, 30],
  I10: [15, 17, 18, 20, 42],
  I11: [16],
  I12: [23, 63],
  I13: [60],
  I17: [45, 46, 47, 48, 49, 50],
  I19: [53, 55, 78, 82],
  I28: [7, 10, 70],
};

const byRule = new Map(Object.entries(groups).flatMap(([id, rules]) => rules.map((rule) => [rule, id] as const)));

/** How the words of a kind are chosen is not a matter of a run. */
const vocabulary: ReadonlySet<number> = new Set([2, 3, 36]);

export const isOfRuns = ({ rule }: { readonly rule: number }): boolean => !vocabulary.has(rule);

export const invariantOf = (rule: number): string => byRule.get(rule) ?? "I21";
