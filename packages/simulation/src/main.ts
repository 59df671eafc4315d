// `npx node packages/simulation/src/main.ts FILE`: tries the scenarios that a module exports, and prints what it came to.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Plan } from "./fault.ts";
import { story } from "./print.ts";
import { reportJson, reportText } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { type Progress, replay, simulate } from "./simulate.ts";

const usage = `usage: main.ts FILE [--plans N] [--seed S] [--only P1,P7] [--walks] [--json]
       main.ts FILE --plan '{"seed":1,"faults":[...]}'    tries that one, and shows all of it`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    plans: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
    plan: { type: "string" },
    walks: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const [file] = positionals;
if (file === undefined) {
  console.error(usage);
  process.exit(2);
}
const exported = (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>;
const scenarios = Object.entries(exported).filter((it): it is [string, Scenario] => isScenario(it[1]));
if (scenarios.length === 0) {
  console.error(`${file} exports no scenario: an object with kinds, apply and operator\n${usage}`);
  process.exit(2);
}
let failed = 0;
for (const [scenario, it] of scenarios) {
  if (values.plan !== undefined) {
    const outcome = await replay(it, JSON.parse(values.plan) as Plan);
    failed += outcome.violations.length;
    console.log(story(outcome, { whole: true }));
    continue;
  }
  const report = await simulate(it, {
    ...(values.plans === undefined ? {} : { plans: Number(values.plans) }),
    ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
    ...(values.only === undefined ? {} : { only: values.only.split(",") }),
    walks: values.walks,
    onProgress: tell,
  });
  if (report.failure !== undefined) failed += 1;
  const from = { from: `./${file.split("/").at(-1)}`, scenario };
  console.log(values.json ? reportJson(report, from) : reportText(report, from));
}
process.exit(failed === 0 ? 0 : 1);

function tell({ scenario, plans, of, perSecond }: Progress): void {
  console.error(`${scenario}: ${plans} of ${of} plans, ${perSecond} per second`);
}

function isScenario(value: unknown): boolean {
  const { kinds, apply, operator } = (typeof value === "object" && value !== null ? value : {}) as Partial<Scenario>;
  return Array.isArray(kinds) && Array.isArray(apply) && typeof operator === "function";
}
