// The README is checked against the kinds, the bridge and the flags. `npx vitest run operators/capt/test/readme.test.ts -u` brings its tables
// up to date.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ConditionDeclaration, Kind } from "@telltale/kinds";
import { expect, test } from "vitest";
import { clusterReasons } from "../src/cluster-bridge/reasons.ts";
import { configFrom, standardConfig } from "../src/config.ts";
import {
  CAPTCluster,
  CAPTControlPlane,
  CaptMachine,
  CaptMachineDeployment,
  CaptMachineSet,
  Workspace,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";

const path = fileURLToPath(new URL("../README.md", import.meta.url));
const readme = readFileSync(path, "utf8");
const kinds: readonly Kind[] = [
  CAPTCluster,
  CAPTControlPlane,
  WorkspaceTemplateApply,
  WorkspaceTemplate,
  Workspace,
  CaptMachine,
  CaptMachineSet,
  CaptMachineDeployment,
];

test("the README has every condition and reason, with its meaning and what to do", async () => {
  const [start, end] = ["<!-- conditions -->\n", "<!-- end of conditions -->\n"];
  const [before, rest = ""] = readme.split(start);
  const after = rest.slice(rest.indexOf(end));
  await expect(`${before}${start}\n${tables()}\n${after}`).toMatchFileSnapshot(path);
  for (const kind of kinds) {
    const words = Object.entries(kind.conditions.types).flatMap(([type, d]) => [type, ...Object.keys(d.reasons)]);
    expect(words.filter((word) => !readme.includes(`\`${word}\``))).toEqual([]);
  }
});

test("the README has every phase", () => {
  for (const [phase, means] of Object.entries(CAPTControlPlane.phases?.means ?? {}))
    expect(readme).toContain(`| \`${phase}\` | ${means} |`);
});

test("the README has every flag, and no other", () => {
  const asked = configFrom({ "--unknown": "x" });
  const flags = "errors" in asked ? (asked.errors[0]?.match(/--[a-z-]+/g) ?? []).slice(1) : [];
  const told = [...readme.matchAll(/^\| `(--[a-z-]+)` \|/gm)].map(([, flag]) => flag);
  expect(flags.length).toBeGreaterThan(15);
  expect(told.sort()).toEqual(flags.sort());
});

test("the README has the defaults of flags: to set one of them changes nothing", () => {
  const told = [...readme.matchAll(/^\| `(--[a-z-]+)` \| `([^`]+)` \|/gm)].map(([, flag = "", value = ""]) => [
    flag,
    value,
  ]);
  expect(told.length).toBeGreaterThan(12);
  for (const it of told) expect([it, configFrom(Object.fromEntries([it]))]).toEqual([it, { config: standardConfig }]);
});

interface Entry {
  readonly type: string;
  readonly declared: ConditionDeclaration;
}

function tables(): string {
  const all = kinds.map((kind) => ({
    title: kind.kind,
    entries: Object.entries(kind.conditions.types).map(([type, declared]) => ({ type, declared })),
  }));
  const users = (declared: ConditionDeclaration) =>
    all.filter(({ entries }) => entries.some((it) => it.declared === declared));
  const common = new Map<ConditionDeclaration, Entry>();
  for (const { entries } of all)
    for (const entry of entries) if (users(entry.declared).length > 1) common.set(entry.declared, entry);
  const own = all.map(({ title, entries }) => ({
    title,
    entries: entries.filter(({ declared }) => !common.has(declared)),
  }));
  return [
    ...own.map(({ title, entries }) => section(title, entries)),
    section("Of several kinds", [...common.values()]),
    bridged(),
  ].join("\n");
}

/** What the bridge says in words of its own: the conditions of a Cluster belong to Cluster API, and have no closed list. */
function bridged(): string {
  const rows = Object.entries(clusterReasons).map(
    ([reason, { means, fix }]) => `| \`${reason}\` | ${means} | ${fix} |`,
  );
  const head = ["| Reason | Means | Do |", "|---|---|---|"];
  return ["### Cluster, where nobody else looks after it", "", ...head, ...rows, ""]
    .join("\n")
    .replaceAll(/ {2,}/g, " ");
}

function section(title: string, entries: readonly Entry[]): string {
  const told = new Map<string, string>();
  const rows = entries.flatMap(({ type, declared }) => rowsOf(type, declared, told));
  return [`### ${title}`, "", "| Condition | Reason | Of | Means | Do |", "|---|---|---|---|---|", ...rows, ""].join(
    "\n",
  );
}

/** What a condition before it says in the same words is not said again. */
function rowsOf(type: string, { reasons, means, form }: ConditionDeclaration, told: Map<string, string>): string[] {
  const rows: string[] = [];
  const repeated = new Map<string, string[]>();
  for (const [reason, { on, means: said, fix }] of Object.entries(reasons)) {
    const key = JSON.stringify([reason, said, fix]);
    const before = told.get(key);
    if (before === undefined) {
      told.set(key, type);
      rows.push(`\`${reason}\` | ${on.join(", ")} | ${said} | ${fix === "nothing to do" ? "" : fix}`);
    } else {
      const row = `${on.join(", ")} | as of \`${before}\` |`;
      repeated.set(row, [...(repeated.get(row) ?? []), `\`${reason}\``]);
    }
  }
  for (const [row, names] of repeated) rows.push(`${names.join(", ")} | ${row}`);
  if (form === "mirrored" && rows.length === 0) rows.push("any | | the Workspace's own | look at the Workspace");
  return [`| \`${type}\` | | | **${means}** | |`, ...rows.map((row) => `| | ${row} |`.replaceAll(/ {2,}/g, " "))];
}
