// `docs/simulation-exceptions.md` names what the scenarios of the operators leave out, all of it and nothing else.
import { readdirSync, readFileSync } from "node:fs";
import type { Scenario } from "@telltale/simulation";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/simulation-exceptions.md", root), "utf8");
const operators = ["bindy", "capt", "locust", "virtrigaud"];

type Excuses = Map<string, Set<string>>;

const isScenario = (it: object): it is Scenario => "kinds" in it && "operator" in it && "apply" in it;

/** Those that a module exports, also in lists and tables. */
function scenariosIn(it: unknown): readonly Scenario[] {
  if (typeof it !== "object" || it === null) return [];
  if (isScenario(it)) return [it];
  const isTable = Array.isArray(it) || Object.getPrototypeOf(it) === Object.prototype;
  return isTable ? Object.values(it).flatMap(scenariosIn) : [];
}

function excusesOf(all: readonly Scenario[]): Excuses {
  const found: Excuses = new Map();
  const add = (field: string, what: readonly string[]) => {
    if (what.length > 0) found.set(field, new Set([...(found.get(field) ?? []), ...what]));
  };
  for (const scenario of all) {
    for (const field of ["free", "unsuited", "leaves", "restamps"] as const) add(field, scenario[field] ?? []);
    for (const { except } of scenario.safety ?? []) add("except", except ?? []);
    if (scenario.outlives !== undefined) add("outlives", ["*"]);
    // The perturbations that a rule names itself; one that goes on to others, or names none, is there as a whole.
    const rule = scenario.differs?.toString() ?? "";
    add("differs", rule.match(/P\d+/g) ?? (rule === "" ? [] : ["*"]));
  }
  return found;
}

/** By the field in the first column, what the second one names. */
function rowsOf(operator: string): Excuses {
  const section = page.split(`\n## ${operator}\n`)[1]?.split("\n## ")[0] ?? "";
  const found: Excuses = new Map();
  for (const [, field = "", what = "", why = "", effect = ""] of section.matchAll(
    /^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$/gm,
  )) {
    expect(Math.min(why.length, effect.length)).toBeGreaterThan(3);
    const names = [...what.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    found.set(field, new Set([...(found.get(field) ?? []), ...names]));
  }
  return found;
}

const sorted = (excuses: Excuses) =>
  Object.fromEntries(
    [...excuses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([field, what]) => [field, [...what].sort()]),
  );

describe("what simulations do not ask", () => {
  it.each(operators)("of %s is in the table, and nothing else is", async (operator) => {
    const folder = new URL(`operators/${operator}/test/`, root);
    const files = readdirSync(folder).filter((file) => /scenarios\.ts$/.test(file));
    const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href) as Promise<object>));
    const scenarios = modules.flatMap((it) => scenariosIn({ ...it }));
    expect(scenarios.length).toBeGreaterThan(5);
    expect(sorted(rowsOf(operator))).toEqual(sorted(excusesOf(scenarios)));
  });
});
