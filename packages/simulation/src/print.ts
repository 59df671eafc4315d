// A failure as a person reads it, and as a test file that can be committed.
import type { Plan } from "./fault.ts";
import type { Outcome } from "./run.ts";

export function story({ plan, violations, trace }: Outcome): string {
  const broken = violations.map(({ invariant, what }) => `  ${invariant}: ${what}`).join("\n");
  return `plan ${JSON.stringify(plan)}\nbreaks\n${broken}\n\n${trace.text()}`;
}

export interface TestFileOptions {
  /** How the scenario is imported: `import { shops } from "./shops.scenario.ts";` */
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

const described = ({ faults }: Plan): string =>
  faults
    .map(
      ({ p, ...detail }) =>
        `${p} ${Object.entries(detail)
          .map(([name, value]) => `${name} ${value}`)
          .join(" ")}`,
    )
    .join(" and ") || "nothing goes wrong";
