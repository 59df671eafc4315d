// Tries all mutants of a module. The module is instrumented as it is loaded, and a switch says which mutant is on; no file is changed.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createVitest, type Vitest } from "vitest/node";
import { type Line, type Order, orderVariable, type Place, readLog } from "./log.ts";
import { instrumented, type Mutant, mutantsOf } from "./mutate.ts";

export interface Tried {
  readonly mutant: Mutant;
  /** `unreached`: no test comes by. */
  readonly result: "killed" | "survived" | "unreached";
}

export const root = resolve(import.meta.dirname, "../..");

/** A test that says nothing for so long does not end. */
const patience = 60_000;

/** What an untouched test may take at least. */
const shortest = 2_000;

/** `until`: by then it gives up, and says undefined. */
export async function tryAll(
  module: string,
  tests: readonly string[],
  until: number = Number.POSITIVE_INFINITY,
): Promise<readonly Tried[] | undefined> {
  const mutants = mutantsOf(readFileSync(join(root, module), "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "telltale-mutants-"));
  const log = join(folder, "log");
  process.env[orderVariable] = join(folder, "order");
  let testTimeout = patience;
  const run = (order: Order) => {
    writeFileSync(log, "");
    writeFileSync(join(folder, "order"), JSON.stringify(order));
    return ran({ module, mutants, tests, testTimeout }, log, until);
  };
  try {
    const first = await run({ log, do: "look" });
    const seen = readLog(log);
    const red = seen.flatMap((it) => (it.is === "red" ? it.test : []));
    if (red.length > 0 || first !== "green")
      throw new Error(`${module}: without any mutant its tests fail: ${red.join("; ") || first}`);
    const reached = seen.filter((it) => it.is === "reached");
    if (reached.length === 0) throw new Error(`${module}: no test comes by; correct tools/mutants/modules.ts`);
    testTimeout = Math.min(patience / 2, shortest + 10 * Math.max(...reached.map(({ took }) => took)));
    const loaded = new Set(seen.flatMap((it) => (it.is === "loaded" ? it.places.map(([mutant]) => mutant) : [])));
    const killed = new Set<number>();
    const stuck = new Set<number>();
    for (;;) {
      const done = (mutant: number) => killed.has(mutant) || stuck.has(mutant);
      const places = Object.fromEntries(
        reached.map((it): [string, readonly Place[]] => [it.test, it.places.filter(([mutant]) => !done(mutant))]),
      );
      const end = await run({ log, do: "try", places });
      if (Date.now() > until) return undefined;
      const said = readLog(log);
      const doubtful = new Set(said.flatMap((it) => (it.is === "doubtful" ? it.test : [])));
      for (const it of said) if (it.is === "killed" && !doubtful.has(it.test)) killed.add(it.mutant);
      for (const it of said) if (it.is === "killed" && doubtful.has(it.test)) loaded.add(it.mutant);
      if (end !== "stuck") break;
      const last = said.findLast((it): it is Extract<Line, { is: "begun" }> => it.is === "begun");
      if (last === undefined) throw new Error(`${module}: its tests do not end`);
      killed.add(last.mutant);
      stuck.add(last.mutant);
    }
    for (const mutant of loaded) {
      if (killed.has(mutant)) continue;
      const end = await run({ log, do: "stay", mutant });
      if (Date.now() > until) return undefined;
      if (end !== "green" || readLog(log).some((it) => it.is === "killed")) killed.add(mutant);
    }
    const able = new Set([...loaded, ...reached.flatMap(({ places }) => places.map(([mutant]) => mutant))]);
    return mutants.map((mutant) => {
      const { index } = mutant;
      return { mutant, result: killed.has(index) ? "killed" : able.has(index) ? "survived" : "unreached" };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Work {
  readonly module: string;
  readonly mutants: readonly Mutant[];
  readonly tests: readonly string[];
  readonly testTimeout: number;
}

/** `broken`: not only tests failed, but what is around them. `stuck`: it did not end, and was ended. */
async function ran(work: Work, log: string, until: number): Promise<"green" | "broken" | "stuck"> {
  const vitest = await started(work);
  const end = new AbortController();
  try {
    const run = vitest.runTestSpecifications(await vitest.globTestSpecifications([...work.tests]));
    const over = run.then(({ unhandledErrors, testModules }) => {
      const isBroken = unhandledErrors.length > 0 || testModules.length === 0 || testModules.some((it) => !it.ok());
      return isBroken ? "broken" : "green";
    });
    return await Promise.race([over, silence(log, until, end.signal)]);
  } finally {
    end.abort();
    await Promise.race([vitest.close(), new Promise((wake) => setTimeout(wake, 10_000).unref())]);
  }
}

/** Ends when nothing was written to the log for too long. */
async function silence(log: string, until: number, signal: AbortSignal): Promise<"stuck"> {
  while (!signal.aborted && Date.now() - statSync(log).mtimeMs <= patience && Date.now() <= until) {
    await new Promise((wake) => setTimeout(wake, 1_000).unref());
  }
  return "stuck";
}

function started({ module, mutants, tests, testTimeout }: Work): Promise<Vitest> {
  const id = join(root, module);
  const name = "__telltaleMutant";
  const head = `const ${name} = (index) => globalThis[Symbol.for("telltale.mutant")](index);`;
  return createVitest(
    {
      root,
      config: false,
      watch: false,
      include: [...tests],
      runner: join(import.meta.dirname, "runner.ts"),
      reporters: [{}],
      pool: "threads",
      // What mutants make programs warn of is no news.
      execArgv: ["--no-warnings"],
      maxWorkers: 1,
      // What is instrumented here is nothing for other runs.
      fsModuleCache: false,
      testTimeout,
    },
    {
      plugins: [
        {
          name: "telltale-mutants",
          enforce: "pre",
          transform: (code: string, file: string) =>
            file.split("?")[0] === id ? `${head} ${instrumented(code, mutants, name)}` : undefined,
        },
      ],
    },
  );
}
