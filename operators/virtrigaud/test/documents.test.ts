// The documents are made from the kinds, or checked against them. `npx vitest run operators/virtrigaud/test/documents.test.ts -u`
// brings those that are made up to date.
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { eventMeanings } from "../src/event-meanings.ts";
import { providerTypes, type VMNetworkAttachmentSpec, virtrigaudKinds } from "../src/kinds/index.ts";
import { ignoredBy } from "../src/vm-network-attachment/ignored.ts";
import { conditionTables, eventTable, kindTable, phaseTables } from "./guide.ts";
import { full } from "./specs.ts";
import { unused, unusedTable } from "./unused.ts";

const path = fileURLToPath(new URL("../README.md", import.meta.url));
const readme = readFileSync(path, "utf8");

/** The README with what stands between two marks made anew. */
function withTable(text: string, name: string, made: string): string {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->\n`];
  const [before = "", rest = ""] = text.split(start);
  return `${before}${start}\n${made}\n\n${rest.slice(rest.indexOf(end))}`;
}

test("the README has every kind, phase, condition and reason, with what to do", async () => {
  const tables = {
    kinds: kindTable(),
    phases: phaseTables(),
    conditions: conditionTables(),
    events: eventTable(),
    unused: unusedTable(),
  };
  const made = Object.entries(tables).reduce((text, [name, table]) => withTable(text, name, table), readme);
  await expect(made).toMatchFileSnapshot(path);
  for (const { kind, shortNames, conditions, phases } of virtrigaudKinds) {
    const types = Object.entries(conditions.types);
    const words = [
      kind,
      ...shortNames,
      ...(phases?.names ?? []),
      ...types.flatMap(([type, d]) => [type, ...Object.keys(d.reasons)]),
    ];
    expect(words.filter((word) => !made.includes(`\`${word}\``))).toEqual([]);
  }
});

test("every reason says what it means, and every one that is no good news what to do", () => {
  for (const { kind, conditions } of virtrigaudKinds) {
    for (const [type, { reasons, means }] of Object.entries(conditions.types)) {
      expect(means, `${kind} ${type}`).not.toBe("");
      for (const [name, reason] of Object.entries(reasons))
        expect([reason.means, reason.fix], `${kind} ${type} ${name}`).not.toContain("");
    }
  }
});

test("what a network names as ignored is what its fields say of themselves", () => {
  const spec = full("VMNetworkAttachment") as unknown as VMNetworkAttachmentSpec;
  const named = providerTypes.flatMap((type) => ignoredBy(spec, type));
  const said = unused.filter(({ kind, path }) => kind === "VMNetworkAttachment" && path.startsWith("spec."));
  const isSaid = (path: string) => said.some((row) => `spec.${path}`.startsWith(row.path));
  expect(named.filter((path) => !isSaid(path))).toEqual([]);
  const silent = said.filter(({ path }) => !named.some((it) => `spec.${it}`.startsWith(path)));
  expect(silent.map(({ path }) => path)).toEqual(["spec.metadata"]);
});

test("every event that is told has a meaning", () => {
  const folder = new URL("../src/", import.meta.url);
  const sources = globSync("**/*.ts", { cwd: folder }).map((file) => readFileSync(new URL(file, folder), "utf8"));
  const told = sources.flatMap((text) => [...text.matchAll(/\.event\(\s*"(?:Normal|Warning)",\s*"(\w+)"/g)]);
  expect(told.length).toBeGreaterThan(10);
  expect([...new Set(told.map(([, name = ""]) => name))].filter((name) => !(name in eventMeanings))).toEqual([]);
});

test("the links of the README lead somewhere", () => {
  const prose = readme.replace(/`[^`]*`/g, "");
  for (const [, target = ""] of prose.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g))
    expect(existsSync(new URL(`../${target}`, import.meta.url)), target).toBe(true);
});
