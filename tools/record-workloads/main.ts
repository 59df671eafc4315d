// `node tools/record-workloads/main.ts FOLDER [NAME...]`: performs the scenarios of packages/workloads on a real
// kube-apiserver and kube-controller-manager, and writes what was observed in the form of the stored recordings.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compare, said } from "../../packages/workloads/test/golden/compare.ts";
import { readRecording } from "../../packages/workloads/test/golden/recording.ts";
import { recordedLines, scenario, scenarioNames } from "../../packages/workloads/test/golden/scenario.ts";
import { buildAssets, findAssets, kubernetesVersion, startControlPlane } from "../envtest/envtest.ts";
import { combine } from "./combine.ts";
import { managerFlags, record } from "./record.ts";

const help = `node tools/record-workloads/main.ts [--runs N] FOLDER [NAME...]

Records the scenarios whose names begin with a NAME, or all, each N times (3), with kube-controller-manager
${kubernetesVersion()}. Writes FOLDER/NAME.jsonl, and says where that differs from what is stored. What is not there yet of
kube-apiserver, etcd and kube-controller-manager is built with Go. All scenarios take more than an hour: time is real here.`;

const say = (line: string) => console.error(`record-workloads: ${line}`);

async function main(folder: string, wanted: readonly string[], runs: number): Promise<void> {
  const names = scenarioNames().filter((name) => wanted.length === 0 || wanted.some((it) => name.startsWith(it)));
  if (names.length === 0) throw new Error(`no scenario begins with ${wanted.join(" or ")}`);
  mkdirSync(folder, { recursive: true });
  const more = ["kube-controller-manager"] as const;
  const assets = findAssets(process.env, more) ?? (await buildAssets(say, process.env, more));
  const plane = await startControlPlane({ assets, serviceAccounts: true, controllerManager: managerFlags });
  try {
    for (const name of names) {
      const it = scenario(name);
      const seen = [];
      for (let run = 1; run <= runs; run += 1) {
        say(`${name}, run ${run} of ${runs}`);
        seen.push(await record(plane, it));
      }
      const lines = combine(it, kubernetesVersion(), seen);
      writeFileSync(join(folder, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const differences = compare(it, readRecording(lines), readRecording(recordedLines(name)));
      say(differences.length === 0 ? `${name} is as stored` : `${name} is not as stored:`);
      for (const difference of differences) say(`  ${said(difference)}`);
    }
  } finally {
    await plane.stop();
  }
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { runs: { type: "string", default: "3" }, help: { type: "boolean" } },
  });
  const [folder, ...wanted] = positionals;
  const runs = Number(values.runs);
  if (values.help || folder === undefined || !Number.isInteger(runs) || runs < 1) console.log(help);
  else await main(folder, wanted, runs);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
