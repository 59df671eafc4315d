// `npm run usage`: runs the suites of the operators while recording what they use, and fails for each spec field and setting that no
// code reads, and each status field, reason and metric that nothing sets, unless a row of
// `exceptions/` has it.
// With TELLTALE_USAGE=FOLDER set, the suites are taken as run: `TELLTALE_USAGE=FOLDER npm test`, then this.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chosen } from "../../packages/telltale/src/operators/table.ts";
import { merged, unreadFields, unreadSettings, unusedReasons, unwrittenFields } from "./compare.ts";
import { bindy } from "./exceptions/bindy.ts";
import { capt } from "./exceptions/capt.ts";
import type { Exception } from "./exceptions/exception.ts";
import { locust } from "./exceptions/locust.ts";
import { virtrigaud } from "./exceptions/virtrigaud.ts";
import type { Usage } from "./record.ts";

const root = resolve(import.meta.dirname, "../..");
const given = process.env["TELLTALE_USAGE"];
const folder = given ?? mkdtempSync(join(tmpdir(), "telltale-usage-"));
if (given === undefined) {
  const suites = ["vitest", "run", "operators", "packages/telltale"];
  const { status } = spawnSync("npx", suites, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TELLTALE_USAGE: folder },
  });
  if (status !== 0) process.exit(status ?? 1);
}
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
if (files.length === 0) {
  console.error(`${folder} has no recordings; run TELLTALE_USAGE=${folder} npm test first`);
  process.exit(2);
}
const usage = merged(files.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Usage));
if (given === undefined) rmSync(folder, { recursive: true });

interface Unused {
  readonly operator: string;
  readonly what: string;
}

const exceptions: Readonly<Record<string, readonly Exception[]>> = { bindy, capt, locust, virtrigaud };
const found: Unused[] = [];
for (const { name: operator, kinds } of await chosen(undefined)) {
  for (const kind of kinds.filter(({ description }) => description !== "")) {
    const name = `${kind.group}/${kind.kind}`;
    const note = (part: string, paths: readonly string[]) =>
      found.push(...paths.map((path) => ({ operator, what: `${part} ${kind.kind} ${path}` })));
    note("spec", unreadFields(kind.schema.spec, usage.specs[name] ?? {}));
    if (kind.schema.status !== undefined)
      note("status", unwrittenFields(kind.schema.status, usage.statuses[name] ?? []));
  }
  const reasons = unusedReasons(kinds, ({ group, kind }) => usage.conditions[`${group}/${kind}`] ?? []);
  found.push(...reasons.map((at) => ({ operator, what: `reason ${at}` })));
  found.push(...unreadSettings(usage.settings[operator] ?? {}).map((path) => ({ operator, what: `setting ${path}` })));
  const metrics = Object.entries(usage.metrics).filter(([metric]) => metric.startsWith(`${operator}_`));
  found.push(
    ...metrics.filter(([, state]) => state === "declared").map(([metric]) => ({ operator, what: `metric ${metric}` })),
  );
}

const covers = (pattern: string, what: string) =>
  pattern.endsWith("*") ? what.startsWith(pattern.slice(0, -1)) : what === pattern;
const isCovered = ({ operator, what }: Unused) => exceptions[operator]?.some((row) => covers(row.what, what)) === true;
const problems = found
  .filter((row) => !isCovered(row))
  .map(({ operator, what }) => {
    const verb = /^(spec|setting) /.test(what) ? "is read by no code" : "is never set";
    return `${operator}: ${what} ${verb}; use it, remove it, or add a row to tools/usage/exceptions/${operator}.ts`;
  });
for (const [operator, rows] of Object.entries(exceptions)) {
  const pages = pagesOf(operator);
  for (const { what, told } of rows) {
    if (!found.some((row) => row.operator === operator && covers(what, row.what))) {
      problems.push(`${operator}: ${what} is used; remove its row from tools/usage/exceptions/${operator}.ts`);
    }
    if (!pages.includes(plain(told))) {
      problems.push(`${operator}: ${what}: no page of the operator says "${told}"; write it there, or correct the row`);
    }
  }
}
for (const problem of problems) console.error(problem);
const rows = Object.values(exceptions).flat().length;
console.log(
  `usage: ${files.length} recordings, ${found.length} unused, ${rows} rows of exceptions, ${problems.length} problems`,
);
if (problems.length > 0) process.exitCode = 1;

/** All that the operator's pages say, without line ends. */
function pagesOf(operator: string): string {
  const home = join(root, "operators", operator);
  const docs = readdirSync(join(home, "docs")).map((name) => join(home, "docs", name));
  return plain([join(home, "README.md"), ...docs].map((path) => readFileSync(path, "utf8")).join("\n"));
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
