// A server, controllers of ours on it, and time; and what others do: people, and whoever runs Workspaces.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, isNotFound, type Transport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { type Condition, formatTime, type Kind, type KindRef, type KubeObject, type Ms, toCrd } from "@telltale/kinds";
import { Event, Secret } from "@telltale/kinds/builtin";
import { type Controller, type Log, type Manager, type ManagerOptions, manager, type Sample } from "@telltale/runtime";
import * as kinds from "../src/kinds/index.ts";
import { secretTypes } from "../src/names.ts";
import { type ServerKinds, standardKinds } from "../src/server.ts";

export interface Stage {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  /** A person's. */
  readonly client: Client;
  readonly kinds: ServerKinds;
  /** Warnings and errors in the log. */
  readonly complaints: string[];
  readonly samples: Sample[];
  /** What our controllers wrote since the last time that somebody asked. */
  writes(): readonly Write[];
  /** Lets everything happen, and so much time pass. */
  pass(by?: Ms): Promise<void>;
  make<T extends KubeObject>(kind: KindRef<T>, object: object): Promise<T>;
  get<T extends KubeObject>(kind: KindRef<T>, name: string, namespace?: string): Promise<T | undefined>;
  list<T extends KubeObject>(kind: KindRef<T>): Promise<readonly T[]>;
  remove(kind: KindRef, name: string, namespace?: string): Promise<void>;
  /** What a condition says: `False WaitingForSecrets ...`. */
  says(kind: KindRef, name: string, type: string): Promise<string>;
  /** What whoever runs a Workspace says of it. */
  runs(name: string, told: Told): Promise<void>;
  /** Reasons of the Events about a kind, in their order. */
  events(kind: KindRef): Promise<readonly string[]>;
  /** What `/metrics` answers. */
  scrape(): Promise<string>;
  /** Nobody works until `restart`. */
  halt(): Promise<void>;
  /** Another process takes over; `crash`: the one before ends where it is. */
  restart(how?: "stop" | "crash"): Promise<void>;
  end(): Promise<void>;
}

export interface Write {
  readonly method: string;
  readonly path: string;
  readonly manager: string;
}

/** `ready: undefined`: nothing is said of it. */
export interface Told {
  readonly synced?: boolean;
  readonly ready?: boolean;
  readonly reason?: string;
  readonly message?: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Written to the connection Secret. Default: none. */
  readonly secret?: Readonly<Record<string, string>>;
}

export interface StageOptions {
  readonly kinds?: Partial<ServerKinds>;
  readonly controllers: (around: Around) => readonly Controller[];
  readonly objects?: readonly object[];
  /** Hears everything that is logged. Default: warnings and errors become complaints. */
  readonly log?: Log;
  /** Metrics of the operator's own: then there is something to scrape. */
  readonly metrics?: ManagerOptions["metrics"];
  /** Between our controllers and the server. */
  readonly wrap?: (transport: Transport) => Transport;
}

export interface Around {
  readonly clock: VirtualClock;
  readonly transport: Transport;
  readonly kinds: ServerKinds;
}

export const namespace = "t1";
const ours = Object.values(kinds).filter(
  (it) => it.kind !== "Cluster" && it.kind !== "Workspace",
) as unknown as readonly Kind[];

export async function stage(options: StageOptions): Promise<Stage> {
  const clock = new VirtualClock();
  const served: ServerKinds = { ...standardKinds, ...options.kinds };
  const all: readonly Kind[] = [...ours, served.Cluster as unknown as Kind, served.Workspace as unknown as Kind];
  const namespaces = [namespace, "t2", "platform"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
  const server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    authorization: "always-allow",
    objects: [...all.map((kind) => toCrd(kind)), ...namespaces, ...(options.objects ?? [])],
  });
  const transport = () => inProcessTransport(server.client);
  const client = createClient({ transport: transport(), clock, random: seededRandom(2), fieldManager: "person" });
  const complaints: string[] = [];
  const samples: Sample[] = [];
  const sent: Write[] = [];
  const pass = async (by: Ms = 0) => {
    for (let i = 0; i < 8; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 8; i += 1) await turn();
    await server.settle();
  };
  const start = () => {
    let isDead = false;
    const way = recorded(options.wrap?.(transport()) ?? transport(), sent, () => isDead);
    const stop = new AbortController();
    const it: Manager = manager({
      name: "capt",
      controllers: options.controllers({ clock, transport: way, kinds: served }),
      clock,
      random: seededRandom(3),
      strict: true,
      transport: way,
      log: options.log ?? complaining(complaints),
      sinks: [(sample) => samples.push(sample)],
      ...(options.metrics !== undefined && {
        metrics: options.metrics,
        probes: { host: "127.0.0.1", port: 0 },
      }),
    });
    const run = it.run(stop.signal).catch((error: unknown) => complaints.push(String(error)));
    return {
      async scrape() {
        const { port } = it.probes() ?? {};
        return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      },
      async started() {
        // A port is opened in real time.
        while (options.metrics !== undefined && it.probes() === undefined) await turn();
      },
      async stop(how: "stop" | "crash") {
        isDead = how === "crash";
        stop.abort();
        let isOver = false;
        void run.finally(() => {
          isOver = true;
        });
        while (!isOver) await pass(1000);
      },
    };
  };
  let running: ReturnType<typeof start> | undefined = start();
  await running.started();
  await pass();
  const get: Stage["get"] = async (kind, name, of = namespace) => {
    try {
      return await client.get(kind, name, kind.scope === "Cluster" ? {} : { namespace: of });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  return {
    clock,
    server,
    client,
    kinds: served,
    complaints,
    samples,
    pass,
    get,
    writes() {
      const all = [...sent];
      sent.length = 0;
      return all;
    },
    async make(kind, object) {
      const { metadata, ...rest } = object as KubeObject;
      const place = kind.scope === "Cluster" ? {} : { namespace };
      const { apiVersion, kind: name } = kind;
      const made = await client.create(kind, {
        apiVersion,
        kind: name,
        metadata: { ...place, ...metadata },
        ...rest,
      } as never);
      await pass();
      return made;
    },
    list: async (kind) => (await client.list(kind)).items,
    async remove(kind, name, of = namespace) {
      const ref = kind.scope === "Cluster" ? { name } : { name, namespace: of };
      await client.delete(kind, ref, { propagation: "Background" });
      await pass();
    },
    async says(kind, name, type) {
      const { status } = ((await get(kind, name)) ?? {}) as { status?: { conditions?: readonly Condition[] } };
      const found = status?.conditions?.find((it) => it.type === type);
      return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
    },
    async runs(name, told) {
      const place = served.Workspace.scope === "Cluster" ? { name } : { name, namespace };
      const workspace = await client.get(
        served.Workspace,
        name,
        served.Workspace.scope === "Cluster" ? {} : { namespace },
      );
      const target = workspace.spec.writeConnectionSecretToRef;
      if (told.secret !== undefined && target !== undefined) {
        const metadata = { name: target.name, namespace: target.namespace };
        const object = {
          metadata,
          type: secretTypes.connection,
          stringData: told.secret,
        };
        await client.apply(Secret, object, { fieldManager: "provider", force: true });
      }
      const status = statusOf(told, formatTime(clock.now()), workspace.status);
      await client.status.patch(served.Workspace, place, { merge: { status } });
      await pass();
    },
    async events(kind) {
      const { items } = await client.list(Event, {});
      const about = items.filter(({ regarding }) => regarding?.kind === kind.kind);
      return about.map(({ reason = "" }) => reason);
    },
    scrape: async () => (await running?.scrape()) ?? "",
    async halt() {
      await running?.stop("stop");
      running = undefined;
    },
    async restart(how = "stop") {
      await running?.stop(how);
      running = start();
      await pass();
    },
    async end() {
      await running?.stop("stop");
      await server.stop();
    },
  };
}

function statusOf(told: Told, at: string, before: kinds.WorkspaceStatus | undefined): object {
  const { synced, ready, reason, message = "", outputs } = told;
  const kept = (before?.conditions ?? []).filter(
    ({ type }) => !((type === "Synced" && synced !== undefined) || (type === "Ready" && ready !== undefined)),
  );
  const said = (type: string, status: boolean, why: string) => {
    const old = before?.conditions?.find((it) => it.type === type);
    const word = status ? "True" : "False";
    const lastTransitionTime = old?.status === word ? old.lastTransitionTime : at;
    return { type, status: word, reason: why, message, lastTransitionTime };
  };
  return {
    conditions: [
      ...kept,
      ...(synced === undefined
        ? []
        : [said("Synced", synced, reason ?? (synced ? "ReconcileSuccess" : "ReconcileError"))]),
      ...(ready === undefined ? [] : [said("Ready", ready, ready ? "Available" : (reason ?? "Creating"))]),
    ],
    ...(outputs === undefined ? {} : { atProvider: { outputs } }),
  };
}

/** Notes every write but Events. What is dead reaches nobody. */
function recorded(way: Transport, sent: Write[], isDead: () => boolean): Transport {
  return {
    send(request) {
      if (isDead()) return Promise.reject(new Error("the process is gone"));
      const [path = "", query = ""] = request.path.split("?");
      const manager = new URLSearchParams(query).get("fieldManager") ?? "";
      if (request.method !== "GET" && !path.includes("/events")) sent.push({ method: request.method, path, manager });
      return way.send(request);
    },
    close: () => way.close(),
  };
}

function complaining(lines: string[]): NonNullable<Parameters<typeof manager>[0]["log"]> {
  const none = () => {};
  const note = (message: string, fields?: object) =>
    lines.push(`${message} ${JSON.stringify(fields, (_key, it) => (it instanceof Error ? it.message : it))}`);
  const log = { debug: none, info: none, warn: note, error: note, with: () => log };
  return log;
}
