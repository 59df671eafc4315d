// Locust that only pretends: how long its simulated pods live, and what the web API of a master says meanwhile. Both follow from
// the arguments of the pod, as with the real one.
import type { Clock, Random } from "@telltale/clock";
import { type KubeObject, type Ms, parseGoDuration } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { type StandIn, standInApi, startStandIn, type WebApi } from "@telltale/locust";

/** Samples run for as long as a person watches. */
const longest: Ms = 20_000;

/** A LocustTest of either version, with a run time that somebody can wait for. */
export function shortened(sample: KubeObject): KubeObject {
  if (sample.kind !== "LocustTest") return sample;
  return JSON.parse(JSON.stringify(sample), (key, value: unknown) =>
    typeof value === "string" && (key === "command" || key === "masterCommandSeed") ? soon(value) : value,
  ) as KubeObject;
}

const soon = (command: string): string =>
  command.replace(/(--run-time[= ]|-t )(\S+)/, (all, flag: string, span: string) =>
    (spanOf(span) ?? 0) > longest ? `${flag}${longest / 1000}s` : all,
  );

const testLabel = "performance-test-name";
const podLabel = "performance-test-pod-name";
const isMaster = (pod: Pod): boolean => pod.metadata?.labels?.[podLabel]?.endsWith("-master") ?? false;

/** From the end of the load to the end of the process. */
const goodbye: Ms = 4_000;

/** Masters and workers end with the load; without a run time they go on. Other pods are none of Locust's. */
export function simulatedLife(pod: Pod): Readonly<Record<string, string>> | undefined {
  const test = pod.metadata?.labels?.[testLabel];
  if (test === undefined) return undefined;
  const runTime = runTimeOf(pod);
  // A worker is told to quit by its master, which a simulated one cannot hear: it stays until the operator takes it away.
  if (runTime === undefined || !isMaster(pod)) return { "sim.telltale.dev/exit-after": "87600h" };
  return { "sim.telltale.dev/exit-after": `${Math.ceil((runTime + goodbye) / 1000)}s` };
}

export interface PretendOptions {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly clock: Clock;
  readonly random: Random;
  readonly maxBody: number;
}

export interface PretendMasters {
  readonly api: WebApi;
  stop(): Promise<void>;
}

/** The web API of masters whose pods run here. */
export function pretendMasters({ pods, clock, random, maxBody }: PretendOptions): PretendMasters {
  const masters = new Map<string, Promise<StandIn>>();
  const masterOf = (uid: string, pod: Pod): Promise<StandIn> => {
    const known = masters.get(uid) ?? startStandIn({ clock, random, run: runOf(pod), load: loadOf(pod) });
    masters.set(uid, known);
    return known;
  };
  const end = async (uid: string): Promise<void> => {
    const known = masters.get(uid);
    masters.delete(uid);
    await (await known)?.stop();
  };
  const api: WebApi = {
    async read(target, signal) {
      for (const uid of [...masters.keys()]) if (!pods.has(uid)) await end(uid);
      const pod = pods.get(target.master.uid);
      const found = pod === undefined ? undefined : await masterOf(target.master.uid, pod);
      if (pod !== undefined && found !== undefined) join(found, pod, pods.values());
      return standInApi({ find: () => found, clock, maxBody }).read(target, signal);
    },
  };
  return {
    api,
    async stop() {
      await Promise.all([...masters.keys()].map(end));
    },
  };
}

/** The workers of the same test that run are there. */
function join({ runner }: StandIn, master: Pod, pods: Iterable<Pod>): void {
  const { namespace, labels = {} } = master.metadata ?? {};
  const known = new Set(runner.workers.map(({ id }) => id));
  for (const pod of pods) {
    const { name = "", namespace: place, labels: its = {} } = pod.metadata ?? {};
    if (place !== namespace || its[testLabel] !== labels[testLabel] || isMaster(pod)) continue;
    if (pod.status?.phase === "Running" && !known.has(name)) runner.join(name);
  }
}

function runOf(pod: Pod) {
  const users = numberOf(pod, "--users", "-u");
  const spawnRate = numberOf(pod, "--spawn-rate", "-r");
  const runTime = runTimeOf(pod);
  return {
    autostart: true,
    expectWorkers: numberOf(pod, "--expect-workers") ?? 1,
    ...(users !== undefined && { users }),
    ...(spawnRate !== undefined && { spawnRate }),
    ...(runTime !== undefined && { runTime }),
  };
}

/** One that will end badly has failed requests to tell of. */
const loadOf = ({ metadata }: Pod) => ({
  failRatio: Number(metadata?.annotations?.["sim.telltale.dev/exit-code"] ?? 0) > 0 ? 0.1 : 0,
});

const runTimeOf = (pod: Pod): Ms | undefined => spanOf(textOf(pod, "--run-time", "-t") ?? "");

/** `90`, `45s`, `1h20m` */
const spanOf = (span: string): Ms | undefined => (/^\d+$/.test(span) ? Number(span) * 1000 : parseGoDuration(span));

function numberOf(pod: Pod, ...flags: readonly string[]): number | undefined {
  const value = Number(textOf(pod, ...flags));
  return value > 0 ? value : undefined;
}

function textOf({ spec }: Pod, ...flags: readonly string[]): string | undefined {
  const words = (spec?.containers ?? []).flatMap(({ args = [] }) => args.flatMap((arg) => arg.split(/[\s=]+/)));
  const at = words.findIndex((word) => flags.includes(word));
  return at < 0 ? undefined : words[at + 1];
}
