// What a kubelet does with a process runtime, and no more: a sync whenever it is asked for one. Tests wait for reports.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, sleep, systemClock, systemRandom, uuid } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import type { ConfigMap, PersistentVolumeClaim, Pod, Secret } from "@telltale/kinds/builtin";
import type { LogOptions, PodEvent, PodReport, PodRuntime, References } from "../../src/kubelet/pod-runtime.ts";
import { type ProcessRuntimeOptions, processRuntime } from "../../src/process/index.ts";

type Container = NonNullable<Pod["spec"]>["containers"][number];
type Spec = Omit<NonNullable<Pod["spec"]>, "containers">;

export interface Driver {
  readonly runtime: PodRuntime;
  readonly root: string;
  readonly configMaps: Map<string, ConfigMap>;
  readonly secrets: Map<string, Secret>;
  readonly claims: Map<string, PersistentVolumeClaim>;
  readonly services: Record<string, string>;
  /** Tokens that were asked for. */
  readonly tokens: string[];
  /** Puts the pod on the node, or puts what it has become there. */
  apply(pod: Pod): Promise<PodReport>;
  /** Something that pods mount has changed. */
  syncAll(): Promise<void>;
  /** Resolves with the first report from now on that is as wanted. */
  until(pod: Pod, isWanted: (report: PodReport) => boolean): Promise<PodReport>;
  /** Until the containers are in these states: `running`, `terminated`, or the reason of waiting. */
  untilStates(pod: Pod, ...states: readonly string[]): Promise<PodReport>;
  delete(pod: Pod, graceSeconds?: number): Promise<PodReport>;
  events(pod: Pod): readonly PodEvent[];
  logs(pod: Pod, options?: Partial<LogOptions>): Promise<string>;
  stop(): Promise<void>;
}

export async function drive(options: ProcessRuntimeOptions = {}): Promise<Driver> {
  const clock: Clock = options.clock ?? systemClock;
  const root = options.root ?? mkdtempSync(join(tmpdir(), "telltale-test-"));
  const runtime = processRuntime({ shutdownGrace: 0, ...options, root, clock });
  const configMaps = new Map<string, ConfigMap>();
  const secrets = new Map<string, Secret>();
  const claims = new Map<string, PersistentVolumeClaim>();
  const services: Record<string, string> = {};
  const tokens: string[] = [];
  const pods = new Map<string, Pod>();
  const reports = new Map<string, PodReport>();
  const seen = new Map<string, PodEvent[]>();
  const waiters = new Set<() => void>();
  let isOver = false;
  const refers: References = {
    configMap: (name) => configMaps.get(name),
    secret: (name) => secrets.get(name),
    claim: (name) => claims.get(name),
    services: () => services,
    async token({ audience = "api", expirationSeconds = 3_600 }) {
      tokens.push(`token-${tokens.length + 1}-for-${audience}`);
      return { token: tokens.at(-1) ?? "", expires: instant(clock.now() + expirationSeconds * 1_000) };
    },
  };
  const sync = async (name: string): Promise<PodReport | undefined> => {
    const pod = pods.get(name);
    if (pod === undefined || isOver) return undefined;
    const report = await runtime.sync(pod, clock.now(), refers);
    reports.set(name, report);
    seen.set(name, [...(seen.get(name) ?? []), ...(report.events ?? [])]);
    if (report.wakeAt !== undefined) clock.after(report.wakeAt - clock.now(), () => void sync(name));
    for (const wait of [...waiters]) wait();
    return report;
  };
  await runtime.start({ wake: ({ name }) => void sync(name) });
  const driver: Driver = {
    runtime,
    root,
    configMaps,
    secrets,
    claims,
    services,
    tokens,
    async apply(pod) {
      pods.set(nameOf(pod), pod);
      const report = await sync(nameOf(pod));
      if (report === undefined) throw new Error(`${nameOf(pod)} was not synced`);
      return report;
    },
    async syncAll() {
      for (const name of pods.keys()) await sync(name);
    },
    until: (pod, isWanted) =>
      new Promise((resolve) => {
        const check = () => {
          const report = reports.get(nameOf(pod));
          if (report === undefined || !isWanted(report)) return;
          waiters.delete(check);
          resolve(report);
        };
        waiters.add(check);
        check();
      }),
    untilStates: (pod, ...states) => driver.until(pod, (report) => statesOf(report).join() === states.join()),
    delete: (pod, graceSeconds = 30) =>
      driver.apply({
        ...pod,
        metadata: {
          ...pod.metadata,
          deletionTimestamp: new Date(clock.now()).toISOString(),
          deletionGracePeriodSeconds: graceSeconds,
        },
      }),
    events: (pod) => seen.get(nameOf(pod)) ?? [],
    async logs(pod, options = {}) {
      const { signal } = new AbortController();
      const container = pod.spec?.containers[0]?.name ?? "";
      const full = { container, follow: false, previous: false, timestamps: false, signal, ...options };
      return textOf(await must(runtime.access).logs(pod, full));
    },
    async stop() {
      isOver = true;
      await runtime.stop();
    },
  };
  return driver;
}

function nameOf(pod: Pod): string {
  return pod.metadata?.name ?? "";
}

export function statesOf({ initContainers, containers }: PodReport): readonly string[] {
  return [...initContainers, ...containers].map(({ state }) => (state.is === "waiting" ? state.reason : state.is));
}

export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export function must<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error("it is not there");
  return value;
}

let pods = 0;

/** A pod with one container or more; each has a uid of its own. */
export function podOf(containers: readonly Partial<Container>[], spec: Partial<Spec> = {}): Pod {
  pods += 1;
  const names = containers.map((container, at) => ({
    image: "none",
    name: at === 0 ? "main" : `c${at}`,
    ...container,
  }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${pods}`, namespace: "default", uid: uuid(systemRandom) },
    spec: { ...spec, containers: names },
  };
}

/** A container that runs a script of the shell. */
export function script(text: string, more: Partial<Container> = {}): Partial<Container> {
  return { command: ["sh", "-c", text], ...more };
}

/** Looks until it is so. For what no report tells, such as a process that is gone. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(systemClock, 10);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A dead one that nobody has reaped counts as gone.
  return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, { encoding: "latin1", flag: "r" }));
}

/** Tests of processes end what they started, and leave no folder. */
export function driverPool(): {
  readonly drive: (options?: ProcessRuntimeOptions) => Promise<Driver>;
  readonly clean: () => Promise<void>;
} {
  const made: Driver[] = [];
  return {
    async drive(options) {
      const driver = await drive(options);
      made.push(driver);
      return driver;
    },
    async clean() {
      for (const { stop, root } of made.splice(0)) {
        await stop();
        rmSync(root, { recursive: true, force: true });
      }
    },
  };
}
