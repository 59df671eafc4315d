// `npm run bench -- runtime`: every operator through every workload, in turn, then the table.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { findAssets } from "../../../tools/envtest/envtest.ts";
import { Fleet } from "./fleet.ts";
import type { Operator } from "./operator.ts";
import { help, type Options, readOptions, type Workload } from "./options.ts";
import { type Peer, prepare } from "./peers.ts";
import { pin, shareOut } from "./proc.ts";
import { type Measured, printReport, toJson } from "./report.ts";
import { type Figures, Scene } from "./scene.ts";
import { raise, type Seed, seed } from "./stage.ts";
import { Turns } from "./turns.ts";
import { verifyShelves, verifyWidgets } from "./verify.ts";
import { burst, closedLoop, openLoop, warmUp } from "./workloads/churn.ts";
import { coldStart, steady } from "./workloads/cold.ts";
import { idle } from "./workloads/idle.ts";
import { outages } from "./workloads/outage.ts";
import { childFlips } from "./workloads/shelves.ts";
import { starts } from "./workloads/start.ts";

export async function benchRuntime(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options === "help") return console.log(help);
  if ("problem" in options) {
    console.error(options.problem);
    process.exitCode = 2;
    return;
  }
  const assets = findAssets();
  if (assets === undefined) {
    throw new Error("this bench needs kube-apiserver and etcd; run: npm run envtest, or set KUBEBUILDER_ASSETS");
  }
  const folder = mkdtempSync(join(tmpdir(), "telltale-bench-"));
  try {
    await all(options, assets, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function all(options: Options, assets: string, folder: string): Promise<void> {
  const load = loadavg()[0] ?? Number.NaN;
  const peers: Peer[] = [];
  for (const name of options.peers) peers.push(await prepare(name, say));
  const cores = shareOut();
  if (cores !== undefined) pin(process.pid, cores.driver);
  say(`making ${options.objects} objects`);
  const from = await seed(assets, folder, options.objects, say);
  const measured: Measured[] = [];
  const digests = new Map<string, string>();
  try {
    for (let repeat = 0; repeat < options.repeat; repeat += 1) {
      // Another one is first each time: whatever changes on the machine in the meantime hits all of them.
      const order = peers.map((_, i) => peers[(i + repeat) % peers.length] as Peer);
      const turns = new Turns();
      const ends = await Promise.allSettled(
        order.map((peer) => {
          const act = actOf(peer, repeat, measured, digests);
          return turns.hold(() => perform(peer, { options, assets, folder, from, turns, ...act }));
        }),
      );
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    }
  } finally {
    // Also after a failure: what was measured until then is told, and the failure after it.
    const facts = { options, seed: from, cores, digests: Object.fromEntries(digests), load };
    printReport(measured, facts);
    if (options.json !== undefined) writeFileSync(options.json, toJson(measured, facts));
  }
}

function actOf(peer: Peer, repeat: number, measured: Measured[], digests: Map<string, string>) {
  return {
    told: (line: string) => say(`${peer.name}, round ${repeat + 1}: ${line}`),
    report: (section: string, figures: Figures) => {
      measured.push({ peer: peer.name, repeat, section, figures });
    },
    agree: (what: string, digest: string) => {
      const other = digests.get(what) ?? digest;
      if (other !== digest) throw new Error(`${peer.name} left other ${what} than the operators before it`);
      digests.set(what, digest);
    },
  };
}

interface Act {
  readonly options: Options;
  readonly assets: string;
  readonly folder: string;
  readonly from: Seed;
  readonly turns: Turns;
  told(line: string): void;
  report(section: string, figures: Figures): void;
  agree(what: string, digest: string): void;
}

/** One operator, from a fresh control plane to its end. */
async function perform(peer: Peer, { options, assets, folder, from, turns, told, report, agree }: Act): Promise<void> {
  const wanted = (...names: Workload[]) => names.some((name) => options.only.includes(name));
  told("starting the control plane");
  const cores = shareOut();
  const stage = await raise(assets, folder, from, cores);
  try {
    const scene = new Scene({ peer, stage, fleet: await Fleet.read(stage.api), options, cores, say: told });
    told("W11: starts");
    const started = await starts(scene, wanted("W11") ? 5 : 1);
    if (wanted("W11")) report("W11", started);

    if (wanted("W1", "W2", "W3", "W4", "W8")) {
      told("W1: cold start");
      const { operator, figures } = await coldStart(scene, started["files"] ?? Number.NaN);
      try {
        report("W1", figures);
        if (wanted("W2")) report("W2", await steady(scene, operator, started["rss"] ?? Number.NaN));
        if (wanted("W8")) {
          told(`W8: idle for ${options.idle} s, after a minute`);
          report("W8", await idle(scene, operator));
        }
        if (wanted("W3")) {
          told("W3: getting warm");
          await warmUp(scene, operator);
          for (let window = 1; window <= options.windows; window += 1) {
            for (const [name, drive] of churn(scene, operator)) {
              await turns.pass();
              told(`W3: ${name}, window ${window} of ${options.windows}`);
              report(`W3 ${name}`, await drive());
            }
          }
          await turns.pass();
        }
        if (wanted("W4")) {
          told(`W4: ${options.burst} changes at once`);
          report("W4", await burst(scene, operator));
        }
        agree("widgets", await verifyWidgets(stage.api));
      } finally {
        await operator.stop();
      }
    }
    if (wanted("W9")) {
      told("W9: outages");
      for (const [name, figures] of Object.entries(await outages(scene))) report(`W9 ${name}`, figures);
      agree("widgets after outages", await verifyWidgets(stage.api));
    }
    if (wanted("W5")) {
      told(`W5: ${options.flips} children change`);
      report("W5", await childFlips(scene));
      agree("shelves", await verifyShelves(stage.api));
    }
  } finally {
    await stage.stop();
  }
}

/** The parts of W3. */
function churn(scene: Scene, operator: Operator): readonly (readonly [string, () => Promise<Figures>])[] {
  const { rates, changes } = scene.options;
  return [
    ...rates.map((rate) => [`${rate}/s`, () => openLoop(scene, operator, rate)] as const),
    ["1 writer", () => closedLoop(scene, operator, 1, Math.ceil(changes / 3))],
    ["8 writers", () => closedLoop(scene, operator, 8, changes)],
  ];
}

const begun = performance.now();

function say(line: string): void {
  process.stderr.write(`bench: ${Math.round((performance.now() - begun) / 1_000)} s: ${line}\n`);
}
