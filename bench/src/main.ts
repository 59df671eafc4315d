// `npm run bench [name]`: runs one or all measurements, prints a table, and JSON with `--json`. Ratios tell, not seconds.
// `runtime` has options of its own and takes long, so that it runs only when it is named.
import { parseArgs } from "node:util";
import { measureApiServer } from "./apiserver.ts";
import { measureBindy } from "./bindy.ts";
import { benchRuntime } from "./runtime/run.ts";
import { measureSimulation } from "./simulation.ts";
import { measureStatus } from "./status.ts";
import { printTable, type Result } from "./table.ts";
import { measureVMSet } from "./vmset.ts";
import { measureWorkloads } from "./workloads.ts";
import { measureWrites } from "./writes.ts";

const suites: Readonly<Record<string, () => Promise<Result[]>>> = {
  status: measureStatus,
  apiserver: measureApiServer,
  workloads: measureWorkloads,
  simulation: measureSimulation,
  bindy: measureBindy,
  vmset: measureVMSet,
  writes: measureWrites,
};

if (process.argv[2] === "runtime") await benchRuntime(process.argv.slice(3));
else await benchSuites();

async function benchSuites(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
  });

  if (values.help) {
    console.log(
      `usage: npm run bench -- [${Object.keys(suites).join("|")}] [--json]\n       npm run bench -- runtime --help`,
    );
  } else {
    const unknown = positionals.filter((name) => suites[name] === undefined);
    if (unknown.length > 0) {
      console.error(`there is no bench "${unknown.join(", ")}"; there are: ${Object.keys(suites).join(", ")}`);
      process.exitCode = 2;
    } else {
      const results: Result[] = [];
      for (const [name, measure] of Object.entries(suites)) {
        if (positionals.length === 0 || positionals.includes(name)) results.push(...(await measure()));
      }
      if (values.json) console.log(JSON.stringify(results, null, 2));
      else printTable(results);
    }
  }
}
