// A failure as a person reads it, and as a test file that can be committed.
import type { Fault, Plan } from "./fault.ts";
import { perturbationOf } from "./perturbations/index.ts";
import type { Outcome } from "./run.ts";

/** So much of what came before the first violation is shown. */
const before = 80;

/** What goes wrong in the plan, what breaks, and how it came about. `whole`: from the very beginning. */
export function story({ plan, violations, trace }: Outcome, options: { readonly whole?: boolean } = {}): string {
  const broken = violations.map(({ invariant, what }) => `  ${invariant}: ${what}`);
  const first = trace.steps.findIndex(({ who }) => who === "invariant");
  const from = options.whole === true || first < 0 ? 0 : Math.max(0, first - before);
  return [
    `plan ${JSON.stringify(plan)}`,
    ...plan.faults.map((fault) => `  ${inWords(fault)}`),
    "breaks",
    ...broken,
    "",
    trace.text(from),
  ].join("\n");
}

/** `P1 (write 3): crash after a write is applied, before its answer` */
const inWords = (fault: Fault): string => {
  const { p, ...detail } = fault;
  const where = Object.entries(detail).map(([name, value]) => `${name} ${value}`);
  return `${p}${where.length === 0 ? "" : ` (${where.join(", ")})`}: ${perturbationOf(fault).what}`;
};

export interface TestFileOptions {
  /** How the scenario is imported: `./shops.scenario.ts`. */
  readonly from: string;
  /** Its name there. */
  readonly scenario: string;
}

/** A test that fails until the bug is gone. */
export function testFile({ plan, violations }: Outcome, { from, scenario }: TestFileOptions): string {
  const [first] = violations;
  const name = `${first?.invariant ?? "?"} holds although ${described(plan)}`;
  return [
    `import { replay } from "@telltale/simulation";`,
    `import { expect, test } from "vitest";`,
    `import { ${scenario} } from ${JSON.stringify(from)};`,
    "",
    `// ${first?.what.replaceAll("\n", " ") ?? ""}`,
    `test(${JSON.stringify(name)}, async () => {`,
    `  const { violations } = await replay(${scenario}, ${JSON.stringify(plan)});`,
    "  expect(violations).toEqual([]);",
    "});",
    "",
  ].join("\n");
}

const described = ({ faults }: Plan): string => faults.map(inWords).join(" and ") || "nothing goes wrong";
