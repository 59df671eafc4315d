// `npm run mutants`: changes the modules that decide in one place at a time, and sees whether a test notices.
import { readFileSync, writeFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { parseArgs } from "node:util";
import { equivalents } from "./equivalents.ts";
import { modules } from "./modules.ts";
import { root, tryAll } from "./run.ts";
import { goal, hashOf, type Score, type Scores, scoreOf, shareOf, unused } from "./scores.ts";

const help = `npm run mutants -- [--module GLOB] [--changed] [--json]

Changes the modules of tools/mutants/modules.ts in one place at a time, runs their tests, and writes what the tests found to
tools/mutants/scores.json. Fails where tests find less than ${100 * goal} % of the mutants of a module.

  --module GLOB   only the modules whose path matches
  --changed       only modules that have changed since scores.json was written, or whose tests have; for five minutes at most, and
                  writes nothing
  --json          the scores as JSON on standard output
  --help          print this`;

/** For all modules together, with --changed. */
const longest = 300_000;

const { values } = parseArgs({
  options: {
    module: { type: "string", default: "**" },
    changed: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) console.log(help);
else process.exitCode = await run(values);
// A test that does not end keeps its thread.
process.exit();

async function run(asked: typeof values): Promise<number> {
  const file = new URL("scores.json", import.meta.url);
  const known = JSON.parse(readFileSync(file, "utf8")) as Scores;
  const named = modules.filter(({ module }) => matchesGlob(module, asked.module));
  if (named.length === 0) {
    console.error(`no module matches ${asked.module}; tools/mutants/modules.ts has them all`);
    return 2;
  }
  const todo = asked.changed ? named.filter((it) => known[it.module]?.hash !== hashOf(root, it)) : named;
  const began = Date.now();
  const until = asked.changed ? began + longest : Number.POSITIVE_INFINITY;
  const say = asked.json ? console.error : console.log;
  const scores: Record<string, Score> = {};
  const left: string[] = [];
  const problems: string[] = [];
  for (const decider of todo) {
    const { module } = decider;
    const start = Date.now();
    const tried = start > until ? undefined : await tryAll(module, decider.tests, until);
    if (tried === undefined) {
      left.push(module);
      continue;
    }
    const seconds = Math.round((Date.now() - start) / 1_000);
    const score = scoreOf(decider, hashOf(root, decider), tried, equivalents, seconds);
    scores[module] = score;
    say(`${percent(score).padStart(5)}  ${score.killed}/${score.mutants} in ${seconds} s  ${module}`);
    for (const survivor of score.survivors) say(`         ${survivor}`);
    for (const { from, to } of unused(decider, tried, equivalents))
      problems.push(
        `${module}: ${from} → ${to} is killed, or is no mutant; remove its row from tools/mutants/equivalents.ts`,
      );
    // Half of what could not be done at once is better than nothing: one that is below the goal already may stay there.
    const least = Math.min(goal, asked.changed && known[module] !== undefined ? shareOf(known[module]) : goal);
    if (shareOf(score) < least)
      problems.push(
        `${module}: tests find ${percent(score)} of its mutants, and ${percent(least)} are wanted; test what survived`,
      );
    if (!asked.changed) writeFileSync(file, `${JSON.stringify(merged(known, scores), null, 2)}\n`);
  }
  for (const module of left) say(` left  ${module}: there was no time`);
  const all = Object.values(asked.changed ? scores : merged(known, scores));
  const sum = (of: (score: Score) => number) => all.reduce((total, it) => total + of(it), 0);
  const total = { killed: sum((it) => it.killed), mutants: sum((it) => it.mutants) };
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  say(
    `mutants: ${Object.keys(scores).length} modules tried in ${minutes} min, ${named.length - todo.length} unchanged, ${left.length} left; ` +
      `${total.killed} of ${total.mutants} found${total.mutants === 0 ? "" : `, ${percent(total)}`}`,
  );
  if (asked.json) console.log(JSON.stringify(scores, null, 2));
  for (const problem of problems) console.error(problem);
  return problems.length > 0 ? 1 : 0;
}

/** In the order of the list, and of nothing else. */
function merged(known: Scores, scores: Scores): Scores {
  const all = { ...known, ...scores };
  return Object.fromEntries(
    modules.flatMap(({ module }) => (all[module] === undefined ? [] : [[module, all[module]]])),
  );
}

function percent(of: number | Pick<Score, "killed" | "mutants">): string {
  return `${Math.floor(100 * (typeof of === "number" ? of : shareOf(of)))} %`;
}
