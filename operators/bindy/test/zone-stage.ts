// Servers with zones on them: the operator as it is, simulated pods, and in each a named in memory that transfers zones from the
// others. What a resolver would see is asked of them.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, isNotFound, type Request } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { type Condition, type KindRef, type KubeObject, type Ms, toCrd } from "@telltale/kinds";
import { CoreEvent, Namespace, Pod, Service } from "@telltale/kinds/builtin";
import { type Manager, manager, type Replicas } from "@telltale/runtime";
import { simulatedRuntime, workloads } from "@telltale/workloads";
import { bindcarClient } from "../src/bindcar/client.ts";
import type { RRset } from "../src/bindcar/contract.ts";
import { fixedToken } from "../src/bindcar/token.ts";
import { SimulatedBindcar } from "../src/bindcar-simulated/bindcar.ts";
import { simulatedUpdates } from "../src/bindcar-simulated/updates.ts";
import type { Upstream } from "../src/bindcar-simulated/upstream.ts";
import { simulatedWire } from "../src/bindcar-simulated/wire.ts";
import { standardConfig } from "../src/config.ts";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance, DNSZone, recordKinds } from "../src/kinds/index.ts";
import { bindyOperator } from "../src/operator.ts";

export const namespace = "dns";

export interface ZoneStage {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  readonly client: Client;
  readonly complaints: readonly string[];
  /** What the operator wrote to the API server since the last time that somebody asked. */
  writes(): readonly string[];
  pass(by?: Ms): Promise<void>;
  cluster(name: string, primary: number, secondary: number, in_?: string): Promise<void>;
  make(kind: KindRef, name: string, spec: object, metadata?: object): Promise<void>;
  edit(kind: KindRef, name: string, merge: object, in_?: string): Promise<void>;
  remove(kind: KindRef, name: string, in_?: string): Promise<void>;
  get<T extends KubeObject>(kind: KindRef<T>, name: string, in_?: string): Promise<T | undefined>;
  says(kind: KindRef, name: string, type?: string, in_?: string): Promise<string>;
  pods(instance?: string): Promise<readonly Pod[]>;
  /** The Bindcar of the first pod of an instance. */
  bindcar(instance: string): Promise<SimulatedBindcar>;
  /** What each server answers, by instance. */
  answers(name: string, type: string): Promise<Readonly<Record<string, string>>>;
  serials(): Promise<readonly (number | undefined)[]>;
  /** What was asked of all servers since the last time that somebody asked: `PUT /zones/example.com/rrsets`. */
  asked(): readonly string[];
  events(kind: string): Promise<readonly string[]>;
  restart(how: "stop" | "crash"): Promise<void>;
  /** So long the operator does not reach the API server; `meanwhile` others do. */
  apart(by: Ms, meanwhile?: () => Promise<unknown>): Promise<void>;
  /** Ends what makes pods run: nobody tells of them any more. */
  stopKubelets(): Promise<void>;
  end(): Promise<void>;
}

export interface ZoneStageOptions {
  readonly gate?: boolean;
  readonly ready?: Ms;
  /** Who of several processes works. Default: there is one. */
  readonly replicas?: Replicas;
  /** Whose Bindcar is in the pods. Default: ours. */
  readonly upstream?: Upstream;
}

export async function zoneStage(options: ZoneStageOptions = {}): Promise<ZoneStage> {
  const clock = new VirtualClock();
  const kinds = [Bind9GlobalCluster, Bind9Cluster, Bind9Instance, DNSZone, ...recordKinds];
  const namespaces = [namespace, "t", "platform"].map((name) => ({
    apiVersion: "v1",
    kind: Namespace.kind,
    metadata: { name },
  }));
  const objects = [...kinds.map((kind) => toCrd(kind)), ...namespaces];
  const server = await startApiServer({ listen: false, clock, random: seededRandom(1), objects });
  const way = () => inProcessTransport(server.client);
  const client = createClient({ transport: way(), clock, random: seededRandom(2), fieldManager: "person" });
  const runtime = simulatedRuntime(options.ready === undefined ? {} : { behaviour: { ready: options.ready } });
  const stopPods = new AbortController();
  const running = workloads({ transport: way(), clock, random: seededRandom(3), runtime }).run(stopPods.signal);

  const bindcars = new Map<string, SimulatedBindcar>();
  /** Each at its own address: what comes to another port of it is DNS. */
  /** By the address of a Service, that of a pod behind it. */
  let services = new Map<string, string>();
  const at = (address: string): SimulatedBindcar => {
    const serverAt = (endpoint: string) => {
      const [to = ""] = endpoint.split(":");
      return bindcars.get(services.get(to) ?? to)?.nameserver;
    };
    const { upstream } = options;
    const more = { address, serverAt, ...(upstream !== undefined && { upstream }) };
    const it = bindcars.get(address) ?? new SimulatedBindcar({ clock, random: seededRandom(7), ...more });
    bindcars.set(address, it);
    return it;
  };
  const find = (endpoint: string) => at(endpoint.split(":")[0] ?? "");
  const complaints: string[] = [];
  let sent: string[] = [];
  let isApart = false;
  const config = { ...standardConfig, zoneReadinessGate: options.gate ?? false };

  const pods = async (instance?: string) => {
    const { items } = await client.list(Pod, {});
    const live = items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    return live.filter(({ metadata }) => instance === undefined || metadata?.labels?.["instance"] === instance);
  };
  const pass = async (by: Ms = 0) => {
    for (let i = 0; i < 6; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 6; i += 1) await turn();
    await server.settle();
    if (options.upstream === undefined) return;
    const { items } = await client.list(Service, {});
    const live = await pods();
    services = new Map(
      items.flatMap(({ metadata, spec }) => {
        const pod = live.find((it) => it.metadata?.labels?.["instance"] === metadata?.name);
        return [[spec?.clusterIP ?? "", pod?.status?.podIP ?? ""]];
      }),
    );
  };
  const start = () => {
    let isDead = false;
    const inner = way();
    const transport = {
      async send(request: Request) {
        if (isDead) throw new Error("the process is gone");
        if (isApart) throw new Error("the server cannot be reached");
        const line = `${request.method} ${request.path.split("?")[0]}`;
        if (request.method !== "GET" && !line.includes("/events")) sent.push(line);
        return inner.send(request);
      },
      close: () => inner.close(),
    };
    const random = seededRandom(5);
    const bindcar = bindcarClient({ wire: simulatedWire({ find, clock }), token: fixedToken("t"), clock, random });
    const updates = simulatedUpdates({ find, clock });
    const controllers = bindyOperator({ config, transport, clock, random, bindcar, updates });
    const log = complaining(complaints);
    const it: Manager = manager({
      name: "bindy",
      controllers,
      clock,
      random,
      events: "v1",
      strict: true,
      transport,
      log,
      ...(options.replicas !== undefined && { replicas: options.replicas }),
    });
    const stop = new AbortController();
    let isOver = false;
    void it
      .run(stop.signal)
      .catch((error: unknown) => complaints.push(String(error)))
      .finally(() => {
        isOver = true;
      });
    return async (how: "stop" | "crash") => {
      isDead = how === "crash";
      stop.abort();
      while (!isOver) await pass(1000);
    };
  };
  await pass(1_000);
  let stopOperator = start();
  await pass(1_000);

  const get: ZoneStage["get"] = async (kind, name, of = namespace) => {
    try {
      return await client.get(kind, name, kind.scope === "Cluster" ? {} : { namespace: of });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const stopKubelets = async () => {
    stopPods.abort();
    let isOver = false;
    void running.finally(() => {
      isOver = true;
    });
    while (!isOver) await pass(1000);
  };
  const bindcarOf = ({ status }: Pod) => at(status?.podIP ?? "");
  return {
    clock,
    server,
    client,
    complaints,
    writes() {
      const all = sent;
      sent = [];
      return all;
    },
    pass,
    async cluster(name, primary, secondary, of = namespace) {
      const spec = { primary: { replicas: primary }, secondary: { replicas: secondary } };
      const { apiVersion, kind } = Bind9Cluster;
      await client.create(Bind9Cluster, { apiVersion, kind, metadata: { name, namespace: of }, spec });
      await pass(30_000);
    },
    async make(kind, name, spec, metadata = {}) {
      const { apiVersion, kind: named } = kind;
      const labels = { zone: "example.com" };
      const object = { apiVersion, kind: named, metadata: { name, namespace, labels, ...metadata }, spec };
      await client.create(kind, object as never);
      await pass();
    },
    async edit(kind, name, merge, of = namespace) {
      await client.patch(kind, { name, namespace: of }, { merge });
      await pass();
    },
    async remove(kind, name, of = namespace) {
      await client.delete(kind, { name, namespace: of }, { propagation: "Background" });
      await pass();
    },
    get,
    async says(kind, name, type = "Ready", of = namespace) {
      const { status } = ((await get(kind, name, of)) ?? {}) as { status?: { conditions?: readonly Condition[] } };
      const found = status?.conditions?.find((it) => it.type === type);
      return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
    },
    pods,
    async bindcar(instance) {
      const [pod] = await pods(instance);
      if (pod === undefined) throw new Error(`${instance} has no pod`);
      return bindcarOf(pod);
    },
    async answers(name, type) {
      const all = await pods();
      const entries = all.map((pod) => {
        const answer = bindcarOf(pod).nameserver.answer(name, type);
        return [pod.metadata?.labels?.["instance"] ?? "", typeof answer === "string" ? answer : shown(answer)] as const;
      });
      return Object.fromEntries(entries);
    },
    async serials() {
      const all = (await pods()).map(async (pod) => {
        const text = await bindcarOf(pod)
          .nameserver.zoneStatus("example.com")
          .catch(() => "");
        const serial = /^serial: (\d+)$/m.exec(text)?.[1];
        return serial === undefined ? undefined : Number(serial);
      });
      return Promise.all(all);
    },
    asked() {
      const all = [...bindcars.values()].flatMap((it) => it.requests.filter((one) => !seen.has(one)));
      for (const one of all) seen.add(one);
      return all.map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`);
    },
    async events(kind) {
      const { items } = await client.list(CoreEvent, {});
      return items
        .filter(({ involvedObject }) => involvedObject.kind === kind)
        .map(({ type = "", reason = "" }) => `${type} ${reason}`);
    },
    async restart(how) {
      await stopOperator(how);
      stopOperator = start();
      await pass();
    },
    async apart(by, meanwhile) {
      isApart = true;
      await pass(by);
      await meanwhile?.();
      isApart = false;
    },
    stopKubelets,
    async end() {
      await stopOperator("stop");
      await stopKubelets();
      await server.stop();
    },
  };
}

const seen = new WeakSet<object>();

const shown = (rrsets: readonly RRset[]): string =>
  rrsets.length === 0
    ? "NODATA"
    : rrsets.map(({ type, ttl, values }) => `${ttl} ${type} ${values.toSorted().join(" | ")}`).join(", ");

function complaining(complaints: string[]): NonNullable<Parameters<typeof manager>[0]["log"]> {
  const quiet = () => {};
  const complain = (message: string, fields?: object) =>
    void complaints.push(
      `${message} ${JSON.stringify(fields, (_key, one) => (one instanceof Error ? one.message : one))}`,
    );
  const log = { debug: quiet, info: quiet, warn: complain, error: complain, with: () => log };
  return log;
}
