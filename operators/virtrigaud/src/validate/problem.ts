// What is wrong with a spec: the field, what it holds, what that breaks and how it is put right. Pure.
import { type SafeText, sanitize, text } from "@telltale/status";

export interface Problem {
  /** `spec.disks[1].name` */
  readonly field: string;
  /** What it holds, as far as that may be shown. */
  readonly value: string;
  /** `is used twice` */
  readonly wrong: string;
  /** `give each disk a name of its own` */
  readonly fix: string;
}

export const problem = (field: string, value: unknown, wrong: string, fix: string): Problem => ({
  field,
  value: shown(value),
  wrong,
  fix,
});

/** One problem where the test fails. */
export const unless = (isRight: boolean, ...rest: Parameters<typeof problem>): readonly Problem[] =>
  isRight ? [] : [problem(...rest)];

/** `spec.disks[1].name "data" is used twice: give each disk a name of its own` */
export function told({ field, value, wrong, fix }: Problem): SafeText {
  return value === "" ? text`${field} ${wrong}: ${fix}` : text`${field} ${value} ${wrong}: ${fix}`;
}

/** The first three problems, and how many more there are. Undefined: there is none. */
export function toldAll(problems: readonly Problem[]): SafeText | undefined {
  if (problems.length === 0) return undefined;
  const said = problems.slice(0, 3).map(told).join("; ");
  return problems.length > 3 ? text`${said}; and ${problems.length - 3} more` : text`${said}`;
}

/** A value in one short line, without what could not be seen in it. Nothing, and what is no plain value, is not shown. */
function shown(value: unknown): string {
  if (typeof value === "string") return sanitize(JSON.stringify(value), { max: 80 });
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Names that stand twice in a list of named things. */
export function twice(field: string, list: readonly { readonly name: string }[] | undefined, what: string): Problem[] {
  const seen = new Set<string>();
  const found: Problem[] = [];
  for (const [i, { name }] of (list ?? []).entries()) {
    if (seen.has(name)) {
      found.push(problem(`${field}[${i}].name`, name, "is used twice", `give each ${what} a name of its own`));
    }
    seen.add(name);
  }
  return found;
}
