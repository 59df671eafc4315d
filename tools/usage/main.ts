// `npm run usage`: runs the suites of the operators while recording what they use, and fails for each spec field and setting that no
// code reads, and each status field, reason and metric that nothing sets, unless a row of
// `exceptions/` has it. `--help` has the options.
// With TELLTALE_USAGE=FOLDER set, the suites are taken as run: `TELLTALE_USAGE=FOLDER npm test`, then this.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chosen, operators } from "../../packages/telltale/src/operators/table.ts";
import { merged } from "./compare.ts";
import { bindy } from "./exceptions/bindy.ts";
import { capt } from "./exceptions/capt.ts";
import type { Exception } from "./exceptions/exception.ts";
import { locust } from "./exceptions/locust.ts";
import { virtrigaud } from "./exceptions/virtrigaud.ts";
import { judge, plain } from "./judge.ts";
import { help, optionsOf } from "./options.ts";
import type { Usage } from "./record.ts";

const root = resolve(import.meta.dirname, "../..");
const all = operators.map(({ name }) => name);
const asked = optionsOf(process.argv.slice(2), all);
if (asked.as === "help") {
  console.log(help);
  process.exit(0);
}
if (asked.as === "refused") {
  console.error(asked.message);
  process.exit(2);
}
const { names } = asked;
const given = process.env["TELLTALE_USAGE"];
const folder = given ?? mkdtempSync(join(tmpdir(), "telltale-usage-"));
if (given === undefined) {
  const suites = names.length === all.length ? ["operators"] : names.map((name) => `operators/${name}`);
  const { status } = spawnSync("npx", ["vitest", "run", ...suites, "packages/telltale"], {
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

const exceptions: Readonly<Record<string, readonly Exception[]>> = { bindy, capt, locust, virtrigaud };
const judged = (await chosen(names.join())).map(({ name, kinds }) => {
  return { name, kinds, exceptions: exceptions[name] ?? [], pages: pagesOf(name) };
});
const { problems, unused, exceptions: rows } = judge(judged, usage);
for (const problem of problems) console.error(problem);
console.log(
  `usage of ${names.join(", ")}: ${files.length} recordings, ${unused} unused, ${rows} rows of exceptions, ${problems.length} problems`,
);
if (problems.length > 0) process.exitCode = 1;

function pagesOf(operator: string): string {
  const home = join(root, "operators", operator);
  const docs = readdirSync(join(home, "docs")).map((name) => join(home, "docs", name));
  return plain([join(home, "README.md"), ...docs].map((path) => readFileSync(path, "utf8")).join("\n"));
}
