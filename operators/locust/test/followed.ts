// The whole operator in virtual time, with a stand-in behind each master pod: for what telemetry does to a status.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { formatTime, type Ms, toCrd } from "@telltale/kinds";
import { CoreEvent, Job, Namespace, type Pod, Pod as PodKind } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { type Config, standardConfig } from "../src/config.ts";
import { LocustTest, type LocustTestStatus } from "../src/kinds/locust-test.ts";
import { locustOperator } from "../src/operator.ts";
import { workerId } from "../src/stand-in/control.ts";
import { standInApi } from "../src/stand-in/in-process.ts";
import { type StandIn, type StandInOptions, startStandIn } from "../src/stand-in/stand-in.ts";
import type { Target } from "../src/telemetry/target.ts";
import { webApi } from "../src/telemetry/web-api.ts";

export const namespace = "perf";

export interface Followed {
  readonly clock: VirtualClock;
  readonly standIn: StandIn;
  readonly server: ApiServer;
  /** A user's. */
  readonly client: Client;
  /** All that was said to a log, and all that was sent to the server, as texts. */
  readonly said: readonly string[];
  /** How often the status was written. */
  readonly writes: () => number;
  /** Every target that was asked. */
  readonly asked: readonly Target[];
  readonly askedAt: readonly number[];
  /** The most requests that were under way at one time. */
  readonly most: () => number;
  pass(by?: Ms): Promise<void>;
  status(name?: string): Promise<LocustTestStatus>;
  says(type: string): Promise<string>;
  job(role: "master" | "worker", status: NonNullable<Job["status"]>, name?: string): Promise<void>;
  pod(name: string, status: NonNullable<Pod["status"]>, more?: Partial<NonNullable<Pod["metadata"]>>): Promise<void>;
  /** Other tests, made at once, with masters behind the same stand-in. */
  more(...names: readonly string[]): Promise<void>;
  /** Somebody deletes the test. */
  remove(): Promise<void>;
  /** Reasons of Events, in their order. */
  events(): Promise<readonly string[]>;
  /** How long the longest pass took. */
  readonly slowest: () => Ms;
  /** Another process takes over. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export interface FollowedOptions {
  readonly command?: string;
  readonly config?: Partial<Config["telemetry"]>;
  readonly standIn?: Partial<StandInOptions>;
  /** How long each answer takes. */
  readonly latency?: Ms;
  /** Whether workers have pods, too. */
  readonly workerPods?: boolean;
  /** Whether the real web API asks the server, and not the stand-in's. */
  readonly isReal?: boolean;
}

/** A test whose master and three workers run. */
export async function followed(options: FollowedOptions = {}): Promise<Followed> {
  const clock = new VirtualClock();
  const objects = [toCrd(LocustTest), { apiVersion: "v1", kind: Namespace.kind, metadata: { name: namespace } }];
  const authorization = "always-allow";
  const server = await startApiServer({ listen: false, clock, random: seededRandom(1), authorization, objects });
  const client = createClient({ transport: inProcessTransport(server.client), clock, random: seededRandom(2) });
  const standIn = await startStandIn({ clock, random: seededRandom(4), ...options.standIn });
  const telemetry = { ...standardConfig.telemetry, ...options.config };
  const config = { ...standardConfig, telemetry };
  const simulated = standInApi({ find: () => standIn, clock, maxBody: telemetry.maxBody });
  const api = options.isReal === true ? webApi(telemetry, inProcessTransport(server.client)) : simulated;
  const asked: Target[] = [];
  const askedAt: number[] = [];
  const said: string[] = [];
  let [writes, inFlight, most, slowest] = [0, 0, 0, 0];
  const pass = async (by: Ms = 0) => {
    for (let i = 0; i < 8; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 8; i += 1) await turn();
    await server.settle();
  };

  const start = () => {
    const way = inProcessTransport(server.client);
    const transport: typeof way = {
      send(request) {
        if (request.method !== "GET") said.push(`${request.path} ${request.body ?? ""}`);
        if (request.method === "PATCH" && request.path.includes("/status")) writes += 1;
        return way.send(request);
      },
      close: () => way.close(),
    };
    const watched: typeof api = {
      async read(target, signal) {
        asked.push(target);
        askedAt.push(clock.now());
        inFlight += 1;
        most = Math.max(most, inFlight);
        try {
          if (options.latency !== undefined) await new Promise<void>((go) => clock.after(options.latency ?? 0, go));
          return await api.read(target, signal);
        } finally {
          inFlight -= 1;
        }
      },
    };
    const stop = new AbortController();
    const note = (message: string, fields?: object) => void said.push(`${message} ${shown(fields)}`);
    const log = { debug: note, info: note, warn: note, error: note, with: () => log };
    const controllers = locustOperator({ config, transport, clock, api: watched });
    const run = manager({
      name: "locust",
      controllers,
      clock,
      random: seededRandom(3),
      strict: true,
      transport,
      log,
      events: "v1",
      sinks: [
        (sample) => {
          if (sample.is === "pass") slowest = Math.max(slowest, sample.took);
        },
      ],
    }).run(stop.signal);
    return async () => {
      stop.abort();
      let isOver = false;
      void run.finally(() => {
        isOver = true;
      });
      while (!isOver) await pass(1_000);
    };
  };

  const put = (role: "master" | "worker", status: NonNullable<Job["status"]>, name = "demo") =>
    client.status.patch(Job, { name: `${name}-${role}`, namespace }, { merge: { status } });
  const pod = async (of: string, name: string, status: NonNullable<Pod["status"]>, more: object = {}) => {
    const job = name.startsWith(`${of}-worker`) ? `${of}-worker` : `${of}-master`;
    const owner = await client.get(Job, job, { namespace });
    const reference = { apiVersion: "batch/v1", kind: "Job", name: job, uid: owner.metadata?.uid ?? "" };
    const metadata = { name, namespace, ownerReferences: [{ ...reference, controller: true }], ...more };
    const spec = { containers: [{ name: job, image: "locust" }], nodeName: "n" };
    const all = await client.list(PodKind, { namespace });
    const isNew = !all.items.some((it) => it.metadata?.name === name);
    if (isNew) await client.create(PodKind, { metadata, spec });
    await client.status.patch(PodKind, { name, namespace }, { merge: { status } });
  };
  const begin = async (...names: readonly string[]) => {
    const command = options.command ?? "--users 100 --run-time 5m";
    for (const name of names) {
      await client.create(LocustTest, {
        apiVersion: LocustTest.apiVersion,
        kind: LocustTest.kind,
        metadata: { name, namespace },
        spec: { image: "locustio/locust:2.46.3", master: { command }, worker: { command: "-f a.py", replicas: 3 } },
      });
    }
    await pass();
    const startTime = formatTime(clock.now());
    for (const name of names) await put("worker", { active: 3, ready: 3, startTime }, name);
    await pass();
    for (const name of names) await put("master", { active: 1, startTime }, name);
    await pass();
    for (const name of names) await pod(name, `${name}-master-x`, { phase: "Running", podIP: "10.0.0.1" });
    const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    const own = options.workerPods === true ? names.flatMap((name) => [0, 1, 2].map((i) => [name, i] as const)) : [];
    for (const [name, i] of own) await pod(name, `${name}-worker-${i}`, running);
    await pass();
  };

  let end = start();
  await pass();
  await begin("demo");
  const read = async (name = "demo") => (await client.get(LocustTest, name, { namespace })).status ?? {};
  return {
    clock,
    standIn,
    server,
    client,
    said,
    writes: () => writes,
    asked,
    askedAt,
    most: () => most,
    pass,
    status: read,
    async says(type) {
      const found = (await read()).conditions?.find((it) => it.type === type);
      return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
    },
    slowest: () => slowest,
    async job(role, status, name) {
      await put(role, status, name);
      await pass();
    },
    async pod(name, status, more) {
      await pod("demo", name, status, more);
      await pass();
    },
    more: begin,
    async remove() {
      await client.delete(LocustTest, { name: "demo", namespace }, { propagation: "Background" });
      await pass();
    },
    async events() {
      const { items } = await client.list(CoreEvent, { namespace });
      return items.map(({ reason = "" }) => reason);
    },
    async restart() {
      await end();
      end = start();
      await pass();
    },
    async end() {
      await end();
      await standIn.stop();
      await server.stop();
    },
  };
}

/** What a worker of the test calls itself. */
export const worker = (i: number): string => workerId(`demo-worker-${i}`);

const shown = (fields?: object): string =>
  JSON.stringify(fields, (_key, it: unknown) => (it instanceof Error ? `${it.message} ${it.stack}` : it)) ?? "";
