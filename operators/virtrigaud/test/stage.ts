// A server with our kinds in virtual time, the given controllers under a manager, and simulated hosts behind the links. Nothing of
// pods: a Provider is put there ready, with its status written by hand, unless its own controller is among those given.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, type Request, type Transport } from "@telltale/client";
import { type Random, seededRandom, turn, VirtualClock } from "@telltale/clock";
import { type Condition, type Kind, type KindRef, type KubeObject, type Ms, toCrd } from "@telltale/kinds";
import { CoreEvent, Namespace } from "@telltale/kinds/builtin";
import { type Controller, type ManagerOptions, manager } from "@telltale/runtime";
import * as kinds from "../src/kinds/index.ts";
import { Provider } from "../src/kinds/index.ts";
import type { CallSample } from "../src/link/calls.ts";
import { Links } from "../src/link/links.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import { type HostOptions, SimulatedHost } from "../src/simulated/host.ts";
import { Staging } from "../src/simulated/staging.ts";
import type { Target } from "../src/wire/wire.ts";
import { complaining, refusal } from "./stage-edges.ts";

export const namespace = "demo";

/** What controllers are made of here. */
export interface Tools {
  readonly links: Links;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly transport: Transport;
}

export interface StageOptions {
  readonly controllers: (tools: Tools) => readonly Controller[];
  readonly namespaces?: readonly string[];
  /** More kinds than ours: their definitions. */
  readonly definitions?: readonly object[];
  /** Answers a request of an operator in the server's place, with this code. */
  readonly refuse?: (request: Request) => number | undefined;
  /** Whether the operator works from the start. Default: yes. */
  readonly idle?: boolean;
  /** Whether unclean rules of status end the run. Default: yes. */
  readonly strict?: boolean;
  /** What its manager is given besides. */
  readonly managing?: Pick<ManagerOptions, "log" | "sinks">;
}

export interface Sent {
  readonly at: number;
  readonly line: string;
  readonly by: string;
  readonly body: string;
}

export interface ProviderOptions extends Partial<Omit<HostOptions, "clock" | "random">> {
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Fields of its spec that are otherwise. */
  readonly spec?: Partial<Provider["spec"]>;
  /** Fields of its status that are otherwise. */
  readonly status?: Partial<NonNullable<Provider["status"]>>;
}

export type Stage = Awaited<ReturnType<typeof stage>>;

export async function stage(options: StageOptions) {
  const clock = new VirtualClock();
  const ours = Object.values<unknown>(kinds).filter(isKind);
  const server: ApiServer = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    objects: [
      ...ours.map((kind) => toCrd(kind)),
      ...(options.definitions ?? []),
      ...[namespace, ...(options.namespaces ?? [])].map((name) => ({
        apiVersion: "v1",
        kind: Namespace.kind,
        metadata: { name },
      })),
    ],
  });
  const way = () => inProcessTransport(server.client);
  const client: Client = createClient({ transport: way(), clock, random: seededRandom(2), fieldManager: "person" });
  const hosts = new Map<string, SimulatedHost>();
  const staging = new Staging();
  const dialled: Target[] = [];
  const samples: CallSample[] = [];
  const complaints: string[] = [];
  let sent: Sent[] = [];

  const pass = async (by: Ms = 0) => {
    for (let i = 0; i < 6; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 6; i += 1) await turn();
    await server.settle();
  };

  /** A process of the operator, beside those that there are. */
  const start = (identity = "first") => {
    const random = seededRandom(identity.length);
    const inner = way();
    let isDead = false;
    const transport: Transport = {
      async send(request) {
        if (isDead) throw new Error("the process is gone");
        const line = `${request.method} ${request.path.split("?")[0]}`;
        const isWrite = request.method !== "GET" && !line.includes("/events");
        if (isWrite) sent.push({ at: clock.now(), line, by: identity, body: String(request.body ?? "") });
        const code = options.refuse?.(request);
        return code === undefined ? inner.send(request) : refusal(code);
      },
      close: () => inner.close(),
    };
    const dial = simulatedDial({ clock, find: (endpoint) => hosts.get(endpoint), onDial: (to) => dialled.push(to) });
    const links = new Links({ dial, clock, onCall: (sample) => samples.push(sample) });
    const stop = new AbortController();
    const it = manager({
      name: "virtrigaud",
      controllers: options.controllers({ links, clock, random, transport }),
      clock,
      random,
      events: "v1",
      strict: options.strict ?? true,
      transport,
      replicas: { as: "one" },
      log: complaining(complaints),
      ...options.managing,
    });
    let isOver = false;
    const run = it
      .run(stop.signal)
      .catch((error: unknown) => complaints.push(String(error)))
      .finally(() => {
        isOver = true;
      });
    return {
      links,
      async stop() {
        stop.abort();
        while (!isOver) await pass(1_000);
        await run;
      },
      /** As by kill -9: nothing of it reaches the server any more. */
      kill() {
        isDead = true;
        stop.abort();
      },
    };
  };
  await pass(1_000);
  let operator = options.idle === true ? undefined : start();
  await pass(1_000);

  const it = {
    clock,
    server,
    /** A person's. */
    client,
    staging,
    /** What the operator has complained of. */
    complaints,
    /** Wires that were opened, oldest first. */
    dialled,
    /** What the links told of calls. */
    samples,
    pass,
    start,

    /** The operator's process dies, and another takes its place. */
    async restart() {
      operator?.kill();
      await pass();
      operator = start("second");
      await pass();
    },

    /** What operators wrote since somebody last asked. */
    writes(): readonly Sent[] {
      const all = sent;
      sent = [];
      return all;
    },

    /** A Provider that is ready, without its controller, and the host behind it. */
    async provider(name: string, more: ProviderOptions = {}): Promise<SimulatedHost> {
      const { namespace: home = namespace, annotations, spec, status, ...how } = more;
      const endpoint = `virtrigaud-provider-${home}-${name}.${home}.svc:9443`;
      const host = new SimulatedHost({ clock, random: seededRandom(name.length + hosts.size), staging, ...how });
      hosts.set(endpoint, host);
      const metadata = { name, namespace: home, ...(annotations && { annotations: { ...annotations } }) };
      const { apiVersion, kind } = Provider;
      await client.create(Provider, { apiVersion, kind, metadata, spec: { ...providerSpec, ...spec } });
      await it.status(Provider, name, { ...readyStatus, runtime: { phase: "Running", endpoint }, ...status }, home);
      return host;
    },

    /** The host that listens at an endpoint. */
    listen(endpoint: string, host: SimulatedHost): void {
      hosts.set(endpoint, host);
    },

    /** Makes an object, or brings it to this. Fields that are not named stay. */
    async apply<T extends KubeObject>(
      kind: KindRef<T>,
      name: string,
      spec: object,
      metadata: object = {},
      home = namespace,
    ) {
      const { apiVersion } = kind;
      await client.apply(
        kind,
        { apiVersion, kind: kind.kind, metadata: { ...metadata, name, namespace: home }, spec } as never,
        { force: true },
      );
      await pass();
    },

    /** Changes an object by a merge patch. */
    async patch<T extends KubeObject>(kind: KindRef<T>, name: string, merge: object, home = namespace) {
      await client.patch(kind, { name, namespace: home }, { merge });
      await pass();
    },

    /** Says something in an object's status, as its controller would. */
    async status<T extends KubeObject>(kind: KindRef<T>, name: string, status: object, home = namespace) {
      await client.status.patch(kind, { name, namespace: home }, { merge: { status } });
      await pass();
    },

    async remove<T extends KubeObject>(kind: KindRef<T>, name: string, home = namespace) {
      await client.delete(kind, { name, namespace: home }, { propagation: "Background" });
      await pass();
    },

    /** Undefined: it is not there. */
    async get<T extends KubeObject>(kind: KindRef<T>, name: string, home = namespace): Promise<T | undefined> {
      const { items } = await client.list(kind, { namespace: home });
      return items.find(({ metadata }) => metadata?.name === name);
    },

    /** `True Reason message` of a condition; empty where there is none. */
    async says<T extends KubeObject>(
      kind: KindRef<T>,
      name: string,
      type = "Ready",
      home = namespace,
    ): Promise<string> {
      const found = (await conditions(kind, name, home)).find((one) => one.type === type);
      return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
    },

    /** Until it is true, a second at a time. Says how long it took. */
    async until(what: () => boolean | Promise<boolean>, limit: Ms): Promise<Ms> {
      const began = clock.now();
      while (!(await what())) {
        if (clock.now() - began >= limit) throw new Error(`it did not happen within ${limit / 1_000} s`);
        await pass(1_000);
      }
      return clock.now() - began;
    },

    /** Events about objects of a kind: `Normal Created message`. */
    async events(about: KindRef): Promise<readonly string[]> {
      const { items } = await client.list(CoreEvent, {});
      return items
        .filter(({ involvedObject }) => involvedObject.kind === about.kind)
        .map(({ type = "", reason = "", message = "" }) => `${type} ${reason} ${message}`);
    },

    async end() {
      await operator?.stop();
      await server.stop();
    },
  };

  const conditions = async <T extends KubeObject>(kind: KindRef<T>, name: string, home: string) => {
    const found: (KubeObject & { readonly status?: unknown }) | undefined = await it.get(kind, name, home);
    const status = found?.status;
    const list = typeof status === "object" && status !== null && "conditions" in status ? status.conditions : [];
    return list as readonly Condition[];
  };
  return it;
}

const isKind = (value: unknown): value is Kind => typeof value === "object" && value !== null && "plural" in value;

export const providerSpec: Provider["spec"] = {
  type: "qemu",
  endpoint: "tcp://127.0.0.1:9443",
  credentialSecretRef: { name: "box-creds" },
  runtime: { image: "example/qemu-provider:dev", service: { tls: { enabled: false } } },
};

/** What the controller of Providers says of one that answers, or does not. */
export function connected(status: "True" | "False") {
  const said = {
    True: ["Connected", "The provider answers"],
    False: ["ConnectionFailed", "connection refused"],
  } as const;
  const [reason, message] = said[status];
  return {
    conditions: [{ type: "Connected", status, reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" }],
  };
}

const readyStatus = { healthy: true, observedGeneration: 1, ...connected("True") };
