// `telltale up`: a cluster in this process, with operators and samples, and a tree of them that lives.
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { repairStore } from "@telltale/apiserver";
import { sleep } from "@telltale/clock";
import { type KubeObject, type Ms, parseGoDuration } from "@telltale/kinds";
import { pinoLog, silentLog } from "@telltale/runtime";
import type { Operator } from "../operators/operator.ts";
import { chosen } from "../operators/table.ts";
import type { Call } from "../program/command.ts";
import { exit, misused } from "../program/problem.ts";
import { type EmbeddedCluster, problemOfStore, startCluster } from "../up/cluster.ts";
import { type Folder, openFolder, standardFolder } from "../up/folder.ts";
import { unsettled } from "../up/settled.ts";
import { span } from "../view/age.ts";
import { fitted, folded } from "../view/fold.ts";
import { live } from "../view/live.ts";
import { paintOf } from "../view/style.ts";
import { stateOf, treeLines } from "../view/tree.ts";
import { titleOf } from "../view/why.ts";
import { type Followed, follow } from "../world/follow.ts";
import { forest, nodesOf, type TreeNode, vocabularyOf } from "../world/forest.ts";
import { isShown } from "../world/roots.ts";

export async function run(call: Call): Promise<number> {
  const { values, flags, clock, random, signal, out, err, env } = call;
  const began = clock.uptime();
  const operators = await chosen(values["operators"]);
  const port = portIn(values["port"]);
  const patience = patienceIn(values["timeout"]);
  const settings = Object.fromEntries(operators.map((it) => [it.name, it.settings(env, call.settings[it.name] ?? {})]));
  const inMemory = flags.has("memory");
  if (inMemory && flags.has("repair"))
    throw misused("--repair and --memory exclude each other", "leave out one of them");
  const place = inMemory
    ? mkdtempSync(join(tmpdir(), "telltale-"))
    : (values["data"] ?? standardFolder(env, homedir()));
  const folder = openFolder(place);
  const log = flags.has("verbose") ? await pinoLog({ level: "info", clock, destination: 2 }) : silentLog;
  if (flags.has("repair")) await repair(folder, (line) => err.line(line));
  const isOnce = flags.has("once");
  const steps = flags.has("json") ? () => {} : (step: string) => err.line(`${stamp(clock.uptime() - began)}  ${step}`);
  const cluster = await startCluster({
    operators,
    folder,
    storage: inMemory ? "memory" : "disk",
    port,
    real: flags.has("real"),
    env,
    samples: !flags.has("no-samples"),
    settings,
    clock,
    random,
    log,
    onStep: steps,
  });
  try {
    if (!isOnce && !flags.has("json")) for (const line of welcome(folder.kubeconfig, operators)) out.line(line);
    return await watch(call, { cluster, operators, patience, isOnce });
  } finally {
    if (out.isLive && !isOnce) err.line("stopping…");
    await cluster.stop();
    if (inMemory) rmSync(place, { recursive: true, force: true });
    if (signal.aborted && !isOnce)
      err.line(inMemory ? "stopped" : `stopped; telltale up goes on where it was (${folder.path})`);
  }
}

async function repair(folder: Folder, report: (line: string) => void): Promise<void> {
  try {
    const found = await repairStore(folder.store);
    for (const line of found.length === 0 ? [`nothing in ${folder.store} is damaged`] : found) report(line);
  } catch (error) {
    throw problemOfStore(error, folder) ?? error;
  }
}

const stamp = (ms: Ms): string => `${(ms / 1000).toFixed(1)} s`.padStart(7);

interface Watching {
  readonly cluster: EmbeddedCluster;
  readonly operators: readonly Operator[];
  readonly patience: Ms;
  readonly isOnce: boolean;
}

/** Until everything has settled, or until somebody ends it. */
async function watch(call: Call, { cluster, operators, patience, isOnce }: Watching): Promise<number> {
  const { clock, random, signal, out } = call;
  const words = vocabularyOf(operators.flatMap(({ kinds }) => kinds));
  let dirty = true;
  const followed = await follow({ client: cluster.client, clock, random, onChange: () => (dirty = true) });
  const trees = () => forest(followed.objects(), words, clock.now()).filter(isShown);
  const settling: Settling = { samples: cluster.samples, operators, followed, trees };
  const screen = live(out);
  const draw = () => {
    const { shown, left } = fitted(trees(), out.rows - 2);
    const lines = treeLines(shown, { width: out.columns, paint: paintOf(out.hasColours), now: clock.now() });
    screen.draw(left === 0 ? lines : [...lines, `… and ${left} more: telltale tree`]);
    dirty = false;
  };
  try {
    if (isOnce) {
      const rest = await settle(call, settling, patience);
      report(call, trees(), rest);
      return rest.isSettled ? exit.well : exit.failed;
    }
    const isQuiet = !out.isLive;
    if (isQuiet) {
      const rest = await settle(call, settling, patience);
      if (!signal.aborted) report(call, trees(), rest);
    }
    for (let beat = 0; !signal.aborted; beat += 1) {
      if (!isQuiet && (dirty || beat % 4 === 0)) draw();
      await sleep(clock, 250, signal).catch(() => undefined);
    }
    if (!isQuiet) draw();
    return exit.well;
  } finally {
    await followed.stop();
  }
}

/** For so long nothing may happen before what is there counts. */
const quiet: Ms = 2_000;

interface Settling {
  readonly samples: readonly KubeObject[];
  readonly operators: readonly Operator[];
  readonly followed: Followed;
  readonly trees: () => readonly TreeNode[];
}

/** How it was when waiting ended. */
interface Rest {
  readonly isSettled: boolean;
  /** What is still on its way. */
  readonly left: readonly TreeNode[];
  readonly waited: Ms;
}

async function settle(
  { clock, signal }: Call,
  { samples, operators, followed, trees }: Settling,
  patience: Ms,
): Promise<Rest> {
  const begun = clock.uptime();
  let [since, seen] = [clock.uptime(), -1];
  for (;;) {
    const goingOn = followed.objects().filter((it) => operators.some(({ ground }) => ground.goesOn?.(it) === true));
    const left = unsettled(
      samples,
      trees().flatMap((tree) => [...nodesOf(tree)]),
      new Set(goingOn.map(({ metadata }) => metadata?.uid ?? "")),
    );
    if (followed.changes !== seen || left.length > 0) [since, seen] = [clock.uptime(), followed.changes];
    const waited = clock.uptime() - begun;
    if (clock.uptime() - since >= quiet) return { isSettled: true, left: [], waited };
    if (signal.aborted) return { isSettled: false, left, waited };
    // What changes all the time, and is all well, has settled as far as it ever will.
    if (waited > patience) return { isSettled: left.length === 0, left, waited: patience };
    await sleep(clock, 200, signal).catch(() => undefined);
  }
}

function report({ out, err, flags, clock }: Call, trees: readonly TreeNode[], { isSettled, left, waited }: Rest): void {
  if (flags.has("json")) out.line(JSON.stringify({ settled: isSettled, trees }, undefined, 2));
  else {
    const screen = { width: out.columns, paint: paintOf(out.hasColours), now: clock.now() };
    for (const line of treeLines(trees.map(folded), screen)) out.line(line);
  }
  for (const node of left) err.line(`not settled after ${span(waited)}: ${titleOf(node)} (${stateOf(node)})`);
}

function welcome(kubeconfig: string, operators: readonly Operator[]): readonly string[] {
  const kind = operators[0]?.kinds[0];
  const all = operators.map(({ kinds }) => kinds[0]?.plural).filter((it) => it !== undefined);
  return [
    "",
    `  export KUBECONFIG=${kubeconfig}`,
    `  kubectl get ${all.join(",")} --all-namespaces`,
    "  kubectl get pods --all-namespaces --watch",
    `  kubectl explain ${kind?.plural ?? "pods"}.status`,
    "  npx telltale why          # what is wrong, and what to do",
    "",
  ];
}

function portIn(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw misused(`--port ${text}: a port is a number from 0 to 65535`, "0 is a free one");
}

function patienceIn(text: string | undefined): Ms {
  const given = parseGoDuration(text ?? "2m");
  if (given !== undefined && given > 0) return given;
  throw misused(`--timeout ${text}: that is no duration`, "write one as in 90s or 2m");
}
