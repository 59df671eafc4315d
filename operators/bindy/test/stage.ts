// A server, what makes pods run on it, a Bindcar in each pod, the operator and time.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, type Request } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { type Condition, type Ms, toCrd } from "@telltale/kinds";
import { CoreEvent, Namespace, Pod } from "@telltale/kinds/builtin";
import { manager, type Replicas } from "@telltale/runtime";
import { type SimulatedRuntime, simulatedRuntime, workloads } from "@telltale/workloads";
import { bindcarClient } from "../src/bindcar/client.ts";
import { fixedToken } from "../src/bindcar/token.ts";
import { SimulatedBindcar } from "../src/bindcar-simulated/bindcar.ts";
import { simulatedWire } from "../src/bindcar-simulated/wire.ts";
import { type Config, standardConfig } from "../src/config.ts";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance, DNSZone, recordKinds } from "../src/kinds/index.ts";
import { bindyOperator } from "../src/operator.ts";
import { endpointOf } from "../src/prober/index.ts";

export const namespace = "dns-system";

export interface Sent {
  readonly line: string;
  readonly by: string;
  readonly body: string;
}

export interface Stage {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  /** A person's. */
  readonly client: Client;
  readonly runtime: SimulatedRuntime;
  readonly complaints: readonly string[];
  /** What operators wrote since the last time that somebody asked. */
  writes(): readonly Sent[];
  /** Reads of one object. */
  reads(): readonly string[];
  /** How often objects were looked at, by controller, since the last time that somebody asked. */
  passes(): ReadonlyMap<string, number>;
  pass(by?: Ms): Promise<void>;
  /** Until it is true, a second at a time. Says how long it took. */
  until(what: () => Promise<boolean>, limit: Ms): Promise<Ms>;
  cluster(name: string, primary: number, secondary: number, more?: object): Promise<void>;
  scale(name: string, primary: number, secondary: number): Promise<void>;
  conditions(of: "b9" | "b9c" | "b9gc", name: string): Promise<readonly Condition[]>;
  says(of: "b9" | "b9c" | "b9gc", name: string, type?: string): Promise<string>;
  pods(instance?: string): Promise<readonly Pod[]>;
  /** The Bindcar of a pod. */
  bindcar(pod: string): Promise<SimulatedBindcar>;
  events(kind: string): Promise<readonly string[]>;
  /** Another process beside the first. */
  start(identity?: string): { stop(): Promise<void>; kill(): void };
  operator: { stop(): Promise<void>; kill(): void };
  end(): Promise<void>;
}

export interface StageOptions {
  readonly config?: Partial<Config>;
  /** Who of several processes works. Default: there is one. */
  readonly replicas?: Replicas;
  readonly namespaces?: readonly string[];
  /** How long a pod takes to be ready. Default: at once. */
  readonly ready?: Ms;
  /** Answers a request of an operator in the server's place. */
  readonly refuse?: (request: Request) => number | undefined;
  /** Whether the operator works from the start. Default: yes. */
  readonly idle?: boolean;
}

export async function stage(options: StageOptions = {}): Promise<Stage> {
  const clock = new VirtualClock();
  const process = { ...standardConfig.process, replicas: options.replicas ?? { as: "one" as const } };
  const config = { ...standardConfig, zoneReadinessGate: false, process, ...options.config };
  const kinds = [Bind9GlobalCluster, Bind9Cluster, Bind9Instance, DNSZone, ...recordKinds];
  const server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    objects: [
      ...kinds.map((kind) => toCrd(kind)),
      ...[namespace, config.operatorNamespace, ...(options.namespaces ?? [])].map((name) => ({
        apiVersion: "v1",
        kind: Namespace.kind,
        metadata: { name },
      })),
    ],
  });
  const runtime = simulatedRuntime(options.ready === undefined ? {} : { behaviour: { ready: options.ready } });
  const way = () => inProcessTransport(server.client);
  const client = createClient({ transport: way(), clock, random: seededRandom(2), fieldManager: "person" });
  const stopCluster = new AbortController();
  const cluster = workloads({ transport: way(), clock, random: seededRandom(3), runtime }).run(stopCluster.signal);
  const bindcars = new Map<string, SimulatedBindcar>();
  const find = (endpoint: string) => {
    const known = bindcars.get(endpoint) ?? new SimulatedBindcar({ clock, random: seededRandom(7) });
    bindcars.set(endpoint, known);
    return known;
  };
  const complaints: string[] = [];
  let sent: Sent[] = [];
  let reads: string[] = [];
  let passes = new Map<string, number>();

  const pass = async (by: Ms = 0) => {
    for (let i = 0; i < 6; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 6; i += 1) await turn();
    await server.settle();
  };

  const start = (identity = "first") => {
    const random = seededRandom(identity.length);
    let isDead = false;
    const inner = way();
    const transport = {
      async send(request: Request) {
        if (isDead) throw new Error("the process is gone");
        const line = `${request.method} ${request.path.split("?")[0]}`;
        const isEvent = line.includes("/events");
        if (request.method !== "GET" && !isEvent) sent.push({ line, by: identity, body: String(request.body ?? "") });
        // Lists are the caches' business: they look now and then whether they have missed anything.
        if (request.method === "GET" && /\/namespaces\/[^/]+\/[^/]+\/[^/]+/.test(line)) reads.push(line);
        const code = options.refuse?.(request);
        if (code === undefined) return inner.send(request);
        const status = { apiVersion: "v1", kind: "Status", status: "Failure", code, reason: "Refused", message: "no" };
        return {
          status: code,
          headers: { "content-type": "application/json" },
          text: async () => JSON.stringify(status),
          async *chunks() {
            yield JSON.stringify(status);
          },
        };
      },
      close: () => inner.close(),
    };
    const bindcar = bindcarClient({ wire: simulatedWire({ find, clock }), token: fixedToken("t"), clock, random });
    const stop = new AbortController();
    const it = manager({
      name: "bindy",
      controllers: bindyOperator({ config, transport, clock, random, bindcar }),
      clock,
      random,
      events: "v1",
      strict: true,
      sinks: [
        (sample) => {
          if (sample.is === "pass") passes.set(sample.controller, (passes.get(sample.controller) ?? 0) + 1);
        },
      ],
      transport,
      replicas: config.process.replicas.as === "lease" ? { ...config.process.replicas, identity } : { as: "one" },
      log: complaining(complaints),
    });
    let isOver = false;
    const run = it
      .run(stop.signal)
      .catch((error: unknown) => complaints.push(String(error)))
      .finally(() => {
        isOver = true;
      });
    return {
      async stop() {
        stop.abort();
        while (!isOver) await pass(1000);
        await run;
      },
      kill() {
        isDead = true;
        stop.abort();
      },
    };
  };
  await pass(1_000);
  const idle = { async stop() {}, kill() {} };
  const operator = options.idle === true ? idle : start();
  await pass(1_000);

  const kindOf = { b9: Bind9Instance, b9c: Bind9Cluster, b9gc: Bind9GlobalCluster };
  const conditions = async (of: keyof typeof kindOf, name: string): Promise<readonly Condition[]> => {
    const kind = kindOf[of];
    const read: { readonly status?: { readonly conditions?: readonly Condition[] } } =
      of === "b9gc"
        ? await client.get(Bind9GlobalCluster, name)
        : await client.get(kind as typeof Bind9Cluster, name.split("/").at(-1) ?? "", {
            namespace: name.includes("/") ? (name.split("/")[0] ?? "") : namespace,
          });
    return read.status?.conditions ?? [];
  };
  const pods = async (instance?: string) => {
    const { items } = await client.list(Pod, { namespace });
    const live = items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    return live.filter(({ metadata }) => instance === undefined || metadata?.labels?.["instance"] === instance);
  };
  const it: Stage = {
    clock,
    server,
    client,
    runtime,
    complaints,
    writes() {
      const all = sent;
      sent = [];
      return all;
    },
    reads() {
      const all = reads;
      reads = [];
      return all;
    },
    passes() {
      const all = passes;
      passes = new Map();
      return all;
    },
    pass,
    async until(what, limit) {
      const began = clock.now();
      while (!(await what())) {
        if (clock.now() - began >= limit) throw new Error(`it did not happen within ${limit / 1000} s`);
        await pass(1_000);
      }
      return clock.now() - began;
    },
    async cluster(name, primary, secondary, more = {}) {
      const spec = { primary: { replicas: primary }, secondary: { replicas: secondary }, ...more };
      const { apiVersion, kind } = Bind9Cluster;
      await client.create(Bind9Cluster, { apiVersion, kind, metadata: { name, namespace }, spec });
      await pass();
    },
    async scale(name, primary, secondary) {
      const spec = { primary: { replicas: primary }, secondary: { replicas: secondary } };
      await client.patch(Bind9Cluster, { name, namespace }, { merge: { spec } });
      await pass();
    },
    conditions,
    async says(of, name, type = "Ready") {
      const found = (await conditions(of, name)).find((one) => one.type === type);
      return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
    },
    pods,
    async bindcar(pod) {
      const found = (await pods()).find(({ metadata }) => metadata?.name === pod);
      return find((found === undefined ? undefined : endpointOf(found)) ?? "");
    },
    async events(kind) {
      const { items } = await client.list(CoreEvent, {});
      return items
        .filter(({ involvedObject }) => involvedObject.kind === kind)
        .map(({ type = "", reason = "", message = "" }) => `${type} ${reason} ${message}`);
    },
    start,
    operator,
    async end() {
      await it.operator.stop();
      stopCluster.abort();
      let isOver = false;
      void cluster.finally(() => {
        isOver = true;
      });
      while (!isOver) await pass(1000);
      await server.stop();
    },
  };
  return it;
}

function complaining(complaints: string[]): NonNullable<Parameters<typeof manager>[0]["log"]> {
  const quiet = () => {};
  const complain = (message: string, fields?: object) =>
    void complaints.push(
      `${message} ${JSON.stringify(fields, (_key, one) => (one instanceof Error ? one.message : one))}`,
    );
  const log = { debug: quiet, info: quiet, warn: complain, error: complain, with: () => log };
  return log;
}
