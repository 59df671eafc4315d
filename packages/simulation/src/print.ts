// A failure as a person reads it, and as a test file that can be committed.
import type { Fault } from "./fault.ts";
import { perturbationOf } from "./perturbations/index.ts";
import type { Outcome } from "./run.ts";
import type { Step } from "./trace.ts";

/** So much of what came before the first violation is shown. */
const before = 80;

/** What goes wrong in the plan, what breaks, and how it came about. `whole`: from the very beginning to the end. */
export function story({ plan, violations, trace }: Outcome, options: { readonly whole?: boolean } = {}): string {
  const broken = violations.map(({ invariant, what }) => `  ${invariant}: ${what}`);
  const isBreak = ({ who }: Step) => who === "invariant";
  const isWhole = options.whole === true || !trace.steps.some(isBreak);
  const from = isWhole ? 0 : Math.max(0, trace.steps.findIndex(isBreak) - before);
  const to = isWhole ? undefined : trace.steps.findLastIndex(isBreak) + 1;
  return [
    `plan ${JSON.stringify(plan)}`,
    ...plan.faults.map((fault) => `  ${inWords(fault)}`),
    "breaks",
    ...broken,
    "",
    trace.text(from, to),
  ].join("\n");
}

/** `P1 (write 3): crash after a write is applied, before its answer` */
const inWords = (fault: Fault): string => `${placed(fault)}: ${perturbationOf(fault).what}`;

function placed({ p, ...detail }: Fault): string {
  const where = Object.entries(detail).map(([name, value]) => `${name} ${value}`);
  return `${p}${where.length === 0 ? "" : ` (${where.join(", ")})`}`;
}

export interface TestFileOptions {
  /** How the scenario is imported: `./shops.scenario.ts`. */
  readonly from: string;
  /** Its name there, or that of a list that it is in. */
  readonly scenario: string;
  /** Its own name in that list. */
  readonly member?: string;
}

/** A test that fails until the bug is gone. */
export function testFile({ plan, violations }: Outcome, { from, scenario, member }: TestFileOptions): string {
  const [first] = violations;
  const name = `${first?.invariant ?? "?"} holds in spite of ${plan.faults.map(placed).join(" and ") || "nothing"}`;
  return [
    `import { replay } from "@telltale/simulation";`,
    `import { expect, test } from "vitest";`,
    `import { ${scenario} } from ${JSON.stringify(from)};`,
    "",
    ...plan.faults.map((fault) => `// ${inWords(fault)}`),
    `// ${first?.invariant}: ${first?.what.replaceAll("\n", " ") ?? ""}`,
    member === undefined
      ? `test(${JSON.stringify(name)}, async () => {`
      : `test.each(${scenario}.filter(({ name }) => name === ${JSON.stringify(member)}))(${JSON.stringify(name)}, async (it) => {`,
    `  const { violations } = await replay(${member === undefined ? scenario : "it"}, ${JSON.stringify(plan)});`,
    "  expect(violations).toEqual([]);",
    "});",
    "",
  ].join("\n");
}
