// What a campaign came to: for a person, and for a program.
import type { GuardReport } from "./guards.ts";
import { invariants } from "./invariants/index.ts";
import { perturbations } from "./perturbations/index.ts";
import { story, type TestFileOptions, testFile } from "./print.ts";
import type { Report } from "./simulate.ts";

/** `from`: where the scenario is, so that the test file can be printed with it. */
export function reportText(report: Report, from?: TestFileOptions): string {
  const { scenario, seed, plans, perSecond, hash, failure } = report;
  const head = `${scenario}: ${plans} plans, ${perSecond} per second; seed ${seed}, trace ${hash.slice(0, 12)}`;
  const parts = [`${head}\n${triedText(report)}`, coverageText(report)];
  if (report.guards.length > 0) parts.push(report.guards.map(guardText).join("\n"));
  if (failure !== undefined) {
    parts.push(foundText(report), story(failure));
    if (from !== undefined) parts.push(`As a test that fails until it is put right:\n\n${testFile(failure, from)}`);
  } else parts.push("Every invariant held.");
  return `${parts.join("\n\n")}\n`;
}

function triedText({ tried, exhausted }: Report): string {
  const names = { alone: "one fault alone", pairs: "pairs", triples: "triples", walks: "random walks" } as const;
  return [...Object.entries(names)]
    .map(([as, name]) => ({ as: as as keyof typeof names, name }))
    .filter(({ as }) => tried[as] > 0)
    .map(({ as, name }) => `${name} ${tried[as]}${exhausted.includes(as) ? " (all)" : ""}`)
    .join(", ");
}

function guardText({ name, plans, noticed }: GuardReport): string {
  if (noticed === undefined) return `without "${name}": nothing broke in ${plans} plans`;
  const { violation, plan } = noticed;
  return `without "${name}": ${violation.invariant} broke after ${plans} plans (${JSON.stringify(plan)})`;
}

/** What went wrong how often, and at which step. */
function coverageText({ coverage }: Report): string {
  const width = Math.max(...perturbations.map(({ what }) => what.length));
  const all = perturbations.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
  const rows = all
    .filter(({ id }) => coverage[id] !== undefined)
    .map(({ id, what }) => {
      const steps = Object.entries(coverage[id] ?? {}).toSorted(([, a], [, b]) => b - a);
      const sum = steps.reduce((all, [, count]) => all + count, 0);
      return `${id.padEnd(4)}${what.padEnd(width)} ${String(sum).padStart(6)}  ${steps.map(([step, count]) => `${step} ${count}`).join(", ")}`;
    });
  const none = all.filter(({ id }) => coverage[id] === undefined).map(({ id }) => id);
  return [...rows, ...(none.length === 0 ? [] : [`not tried: ${none.join(", ")}`])].join("\n");
}

function foundText({ found, failure }: Report): string {
  const broken = new Set(failure?.violations.map(({ invariant }) => invariant));
  const meant = [...broken].map((id) => `${id}: ${invariants.find((it) => it.id === id)?.what ?? "see below"}`);
  const larger = found !== undefined && found.faults.length > (failure?.plan.faults.length ?? 0);
  return [
    `Broken: ${meant.join("; ")}.`,
    ...(larger ? [`Found as ${JSON.stringify(found)}; the smallest plan that breaks it is:`] : []),
  ].join("\n");
}

/** The same as JSON, with the whole trace of what failed. */
export function reportJson(report: Report, from?: TestFileOptions): string {
  const { failure, ...rest } = report;
  const told =
    failure === undefined
      ? {}
      : {
          failure: {
            plan: failure.plan,
            violations: failure.violations,
            trace: failure.trace.steps.map(({ at, who, what }) => ({ at, who, what })),
            ...(from === undefined ? {} : { test: testFile(failure, from) }),
          },
        };
  return JSON.stringify({ ...rest, ...told }, undefined, 2);
}
