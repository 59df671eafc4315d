// `telltale sim`: operators under every fault that is known, by a seed. What fails is printed, and replays.
import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Plan,
  replay,
  reportJson,
  reportText,
  type Scenario,
  simulate,
  story,
  type TestFileOptions,
} from "@telltale/simulation";
import type { Operator } from "../operators/operator.ts";
import { folderBeside } from "../operators/samples.ts";
import { chosen } from "../operators/table.ts";
import type { Call } from "../program/command.ts";
import { exit, misused, Problem } from "../program/problem.ts";

export async function run(call: Call): Promise<number> {
  const { words, values, flags, out, err } = call;
  const plans = wholeIn(call, "seeds", 200);
  const seed = wholeIn(call, "seed", 1);
  const files = words.length > 0 ? words.map((word) => resolve(word)) : await filesOf(await chosen(values["operator"]));
  const plan = planIn(values["plan"]);
  let failed = 0;
  for (const { from, scenario } of await scenariosIn(files, values["scenario"])) {
    if (plan !== undefined) {
      const outcome = await replay(scenario, plan);
      failed += outcome.violations.length;
      out.line(story(outcome, { whole: true }));
      continue;
    }
    const report = await simulate(scenario, {
      plans,
      seed,
      walks: flags.has("walks"),
      ...(values["only"] !== undefined && { only: values["only"].split(",") }),
      onProgress: (at) => err.line(`${at.scenario}: ${at.plans} of ${at.of} plans, ${at.perSecond} per second`),
    });
    if (report.failure !== undefined) failed += 1;
    out.line(flags.has("json") ? reportJson(report, from) : reportText(report, from));
    if (call.signal.aborted) break;
  }
  return failed === 0 ? exit.well : exit.failed;
}

interface Found {
  readonly from: TestFileOptions;
  readonly scenario: Scenario;
}

async function scenariosIn(files: readonly string[], only: string | undefined): Promise<readonly Found[]> {
  const all: Found[] = [];
  for (const file of files) {
    const exported = (await import(pathToFileURL(file).href).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new Problem(`${file} cannot be loaded: ${why}`, "name a module that exports scenarios");
    })) as Readonly<Record<string, unknown>>;
    const found = Object.entries(exported);
    // A test of what is found has its place beside them.
    const from = `./${basename(file)}`;
    for (const [name, value] of found)
      if (isScenario(value)) all.push({ from: { from, scenario: name }, scenario: value });
    const known = new Set(all.map(({ scenario }) => scenario));
    for (const [name, value] of found)
      for (const scenario of Array.isArray(value) ? value.filter(isScenario) : [])
        if (!known.has(scenario)) all.push({ from: { from, scenario: name, member: scenario.name }, scenario });
  }
  const isWanted = ({ from, scenario }: Found) => from.scenario === only || scenario.name === only;
  const wanted = only === undefined ? all : all.filter(isWanted);
  if (wanted.length > 0) return wanted;
  const names = all.map(({ scenario }) => scenario.name).sort();
  throw new Problem(
    only === undefined ? `no scenario is exported by ${files.join(", ")}` : `there is no scenario ${only}`,
    names.length === 0
      ? "export an object with kinds, apply and operator: see docs/simulate.md"
      : `choose from ${names.join(", ")}`,
  );
}

function isScenario(value: unknown): value is Scenario {
  const { kinds, apply, operator } = (typeof value === "object" && value !== null ? value : {}) as Partial<Scenario>;
  return Array.isArray(kinds) && Array.isArray(apply) && typeof operator === "function";
}

/** They are beside the tests of an operator, and so only in a checkout. */
async function filesOf(operators: readonly Operator[]): Promise<readonly string[]> {
  const found = await Promise.all(
    operators.map(async (operator) => {
      const folder = await folderBeside(operator, "test").catch(() => undefined);
      const files =
        folder === undefined ? [] : (await readdir(folder)).filter((file) => /^(.*\.)?scenarios\.ts$/.test(file));
      return files.sort().map((file) => join(folder ?? "", file));
    }),
  );
  if (found.flat().length > 0) return found.flat();
  throw new Problem(
    "the scenarios of operators are not here",
    "run it in a checkout of the repository, or name a file with scenarios",
  );
}

function planIn(text: string | undefined): Plan | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Plan;
  } catch {
    throw misused("--plan is no JSON", "copy it whole, in quotes, from what telltale sim printed");
  }
}

function wholeIn({ values }: Call, name: string, standard: number): number {
  const text = values[name] ?? String(standard);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw misused(`--${name} ${text}: that is no number`, "write a whole one");
}
