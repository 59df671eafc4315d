// `npm run usage`: runs the suites of the operators while recording what they use, and fails for each spec field and setting that no
// code reads, and each status field, reason and metric that nothing sets, unless a row of exceptions.ts has it.
// With TELLTALE_USAGE=FOLDER set, the suites are taken as run: `TELLTALE_USAGE=FOLDER npm test`, then this.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chosen } from "../../packages/telltale/src/operators/table.ts";
import { merged, unreadFields, unreadSettings, unusedReasons, unwrittenFields } from "./compare.ts";
import { exceptions } from "./exceptions.ts";
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

const found: { readonly operator: string; readonly what: string }[] = [];
for (const { name: operator, kinds } of await chosen(undefined)) {
  for (const kind of kinds.filter(({ description }) => description !== "")) {
    const name = `${kind.group}/${kind.kind}`;
    const note = (part: string, paths: readonly string[]) =>
      found.push(...paths.map((path) => ({ operator, what: `${part} ${kind.kind} ${path}` })));
    note("spec", unreadFields(kind.schema.spec, usage.specs[name] ?? {}));
    if (kind.schema.status !== undefined)
      note("status", unwrittenFields(kind.schema.status, usage.statuses[name] ?? []));
    note("reason", unusedReasons(kind, usage.conditions[name] ?? []));
  }
  found.push(...unreadSettings(usage.settings[operator] ?? {}).map((path) => ({ operator, what: `setting ${path}` })));
  const metrics = Object.entries(usage.metrics).filter(([metric]) => metric.startsWith(`${operator}_`));
  found.push(
    ...metrics.filter(([, state]) => state === "declared").map(([metric]) => ({ operator, what: `metric ${metric}` })),
  );
}

const covers = (pattern: string, what: string) =>
  pattern.endsWith("*") ? what.startsWith(pattern.slice(0, -1)) : what === pattern;
const unexcused = found.filter(
  ({ operator, what }) => !exceptions.some((row) => row.operator === operator && covers(row.what, what)),
);
const idle = exceptions.filter(
  (row) => !found.some(({ operator, what }) => row.operator === operator && covers(row.what, what)),
);
for (const { operator, what } of unexcused) {
  const verb = /^(spec|setting) /.test(what) ? "is read by no code" : "is never set";
  console.error(`${operator}: ${what} ${verb}; use it, remove it, or add a row to tools/usage/exceptions.ts`);
}
for (const { operator, what } of idle)
  console.error(`${operator}: ${what} is used; remove its row from tools/usage/exceptions.ts`);
console.log(`usage: ${files.length} recordings, ${found.length} unused, ${exceptions.length} rows of exceptions`);
if (unexcused.length + idle.length > 0) process.exitCode = 1;
