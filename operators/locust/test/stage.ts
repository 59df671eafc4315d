// A server, the operator and time, and what others do to a test: the Job controller, the kubelet, the master.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { formatTime, type KubeObject, type Ms, toCrd } from "@telltale/kinds";
import { CoreEvent, Job, Namespace, type Pod, Pod as PodKind, Service } from "@telltale/kinds/builtin";
import { type Manager, manager, type PolicyRule } from "@telltale/runtime";
import { type Config, standardConfig } from "../src/config.ts";
import { LocustTest, type LocustTestStatus } from "../src/kinds/locust-test.ts";
import { locustTests } from "../src/locust-test/controller.ts";
import { Memory } from "../src/locust-test/memory.ts";
import { objectOf, type World } from "../src/locust-test/world.ts";
import type { TelemetryView } from "../src/telemetry/view.ts";

export const namespace = "perf";

export interface Stage {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  /** A person's. */
  readonly client: Client;
  /** What the operator wrote since the last time that somebody asked: `PATCH .../status`. */
  writes(): readonly string[];
  /** All that it sent about one object or one namespace, reads included. */
  requests(): readonly string[];
  readonly complaints: readonly string[];
  /** What the operator logged, in words. */
  readonly log: readonly string[];
  /** How many passes there were since the last time that somebody asked. */
  passes(): number;
  /** Lets everything happen, and so much time pass. */
  pass(by?: Ms): Promise<void>;
  make(more?: Partial<LocustTest["spec"]>, name?: string): Promise<void>;
  status(name?: string): Promise<LocustTestStatus>;
  test(name?: string): Promise<LocustTest>;
  /** What a condition says: `False ResourcesCreating Creating resources`. */
  says(type: string, name?: string): Promise<string>;
  /** A Job says so, and has as many pods as it says are active. They run. */
  job(role: "master" | "worker", status: NonNullable<Job["status"]>, name?: string): Promise<void>;
  /** A Job says so, whatever pods there are. */
  jobAlone(role: "master" | "worker", status: NonNullable<Job["status"]>, name?: string): Promise<void>;
  jobs(): Promise<readonly Job[]>;
  services(): Promise<readonly Service[]>;
  /** A pod of a Job, in a state. */
  pod(role: "master" | "worker", name: string, status: NonNullable<Pod["status"]>, spec?: object): Promise<void>;
  /** What the master's web API tells from now on. Undefined: nothing yet. */
  tell(view: Partial<TelemetryView> | undefined): void;
  /** Reasons of Events, in their order. */
  events(): Promise<readonly string[]>;
  /** What Events with a reason say. */
  told(reason: string): Promise<readonly string[]>;
  /** A pass for whatever reason: somebody else's annotation. */
  poke(by?: Ms): Promise<void>;
  /** Nobody works until `restart`. */
  halt(): Promise<void>;
  /** Another process takes over. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export interface StageOptions {
  readonly config?: Partial<Config>;
  readonly invalid?: (test: LocustTest) => readonly string[];
  /** What the operator may do. Default: everything. */
  readonly rights?: readonly PolicyRule[];
  /** Waited for before the server hears of one of the operator's requests. */
  readonly hold?: (line: string) => Promise<void> | undefined;
}

export async function stage({
  config = {},
  invalid = () => [],
  rights,
  hold = () => undefined,
}: StageOptions = {}): Promise<Stage> {
  const clock = new VirtualClock();
  const server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    authorization: rights === undefined ? "always-allow" : "rbac",
    objects: [
      toCrd(LocustTest),
      { apiVersion: "v1", kind: Namespace.kind, metadata: { name: namespace } },
      ...(rights === undefined ? [] : roleOf(rights)),
    ],
  });
  const transport = () => inProcessTransport(server.client);
  const client = createClient({ transport: transport(), clock, random: seededRandom(2), fieldManager: "person" });
  const complaints: string[] = [];
  const log: string[] = [];
  let [sent, requests]: [string[], string[]] = [[], []];
  let [passes, pokes] = [0, 0];
  let told: Partial<TelemetryView> | undefined;
  let running: { manager: Manager; stop(): Promise<void> } | undefined;
  const pass = async (by: Ms = 0) => {
    for (let i = 0; i < 8; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 8; i += 1) await turn();
    await server.settle();
  };
  const start = () => {
    const memory = new Memory();
    const operator = locustTests({
      config: { ...standardConfig, ...config },
      memory,
      invalid,
      telemetry: (seen) => ({ ...untold(seen), ...told }),
    });
    const way = inProcessTransport((request) => server.client({ ...request, user: operatorUser }));
    const stop = new AbortController();
    const it = manager({
      name: "locust",
      controllers: [operator],
      clock,
      random: seededRandom(3),
      events: "v1",
      strict: true,
      transport: {
        async send(request) {
          const line = `${request.method} ${request.path.split("?")[0]}`;
          const isEvent = request.method !== "GET" && request.path.includes("/events");
          // The cache looks at all namespaces now and then, whether there is a test or not.
          if (!isEvent && line.includes("/namespaces/")) requests.push(line);
          if (!isEvent && request.method !== "GET") sent.push(line);
          await hold(line);
          return way.send(request);
        },
        close: () => way.close(),
      },
      log: complaining(complaints, log),
      sinks: [
        ({ is }) => {
          if (is === "pass") passes += 1;
        },
      ],
    });
    const run = it.run(stop.signal).catch((error: unknown) => complaints.push(String(error)));
    return {
      manager: it,
      async stop() {
        stop.abort();
        let isOver = false;
        void run.finally(() => {
          isOver = true;
        });
        while (!isOver) await pass(1000);
      },
    };
  };
  running = start();
  await pass();
  async function jobAlone(role: string, status: NonNullable<Job["status"]>, name = "demo"): Promise<void> {
    await client.status.patch(Job, { name: `${name}-${role}`, namespace }, { merge: { status } });
    await pass();
  }
  const hasPod = async (name: string) =>
    (await client.list(PodKind, { namespace })).items.some(({ metadata }) => metadata?.name === name);
  async function createPod(
    jobName: string,
    name: string,
    status: NonNullable<Pod["status"]>,
    spec = {},
  ): Promise<void> {
    const job = await client.get(Job, jobName, { namespace });
    const uid = job.metadata?.uid ?? "";
    const owner = { apiVersion: "batch/v1", kind: "Job", name: jobName, uid, controller: true };
    if (!(await hasPod(name))) {
      const body = {
        metadata: { name, namespace, ownerReferences: [owner] },
        spec: { containers: [{ name: jobName, image: "locust" }], nodeName: "n", ...spec },
      };
      await client.create(PodKind, body as Pod);
    }
    await client.status.patch(PodKind, { name, namespace }, { merge: { status } });
  }
  const read = (name: string) => client.get(LocustTest, name, { namespace });
  return {
    clock,
    server,
    client,
    complaints,
    log,
    passes() {
      const all = passes;
      passes = 0;
      return all;
    },
    pass,
    writes() {
      const all = sent;
      sent = [];
      return all;
    },
    requests() {
      const all = requests;
      requests = [];
      return all;
    },
    async make(more = {}, name = "demo") {
      await client.create(LocustTest, { ...demo, metadata: { name, namespace }, spec: { ...demo.spec, ...more } });
      await pass();
    },
    test: (name = "demo") => read(name),
    status: async (name = "demo") => (await read(name)).status ?? {},
    async says(type, name = "demo") {
      const found = (await read(name)).status?.conditions?.find((it) => it.type === type);
      return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
    },
    async job(role, status, name = "demo") {
      for (let i = 0; i < (status.active ?? 0); i += 1) {
        const pod = `${name}-${role}-${i}`;
        if (!(await hasPod(pod))) await createPod(`${name}-${role}`, pod, { phase: "Running" });
      }
      await jobAlone(role, status, name);
    },
    jobAlone,
    jobs: async () => (await client.list(Job, { namespace })).items,
    services: async () => (await client.list(Service, { namespace })).items,
    async pod(role, name, status, spec = {}) {
      await createPod(`demo-${role}`, name, status, spec);
      await pass();
    },
    tell(view) {
      told = view;
    },
    events: async () => (await eventsIn(client)).map(({ reason = "" }) => reason),
    told: async (of) =>
      (await eventsIn(client)).filter(({ reason }) => reason === of).map(({ message = "" }) => message),
    async poke(by = 2100) {
      pokes += 1;
      const { items } = await client.list(LocustTest, { namespace });
      for (const { metadata } of items) {
        const ref = { name: metadata.name ?? "", namespace };
        await client.patch(LocustTest, ref, { merge: { metadata: { annotations: { poke: String(pokes) } } } });
      }
      await pass(by);
    },
    async halt() {
      await running?.stop();
      running = undefined;
    },
    async restart() {
      await running?.stop();
      running = start();
      await pass();
    },
    async end() {
      await running?.stop();
      await server.stop();
    },
  };
}

async function eventsIn(client: Client): Promise<readonly CoreEvent[]> {
  const { items } = await client.list(CoreEvent, { namespace });
  return items.filter(({ involvedObject }) => involvedObject.kind === "LocustTest");
}

const operatorUser = { username: "locust-operator", uid: "", groups: ["system:authenticated"], extra: {} };

/** A role with these rights, bound to the operator. */
function roleOf(rules: readonly PolicyRule[]): readonly KubeObject[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { name: "locust" };
  const apiGroup = "rbac.authorization.k8s.io";
  const role = { apiVersion, kind: "ClusterRole", metadata, rules };
  const roleRef = { apiGroup, kind: "ClusterRole", name: "locust" };
  const subjects = [{ apiGroup, kind: "User", name: operatorUser.username }];
  const binding = { apiVersion, kind: "ClusterRoleBinding", metadata, roleRef, subjects };
  return [role, binding];
}

/** Without a master's word the Job counts. */
function untold(seen: Omit<World, "telemetry" | "making">): TelemetryView {
  const worker = objectOf(seen.worker)?.status;
  const ready = (worker as { ready?: number } | undefined)?.ready;
  return {
    connectedWorkers: ready ?? worker?.active ?? 0,
    workersSource: "JobStatus",
    condition: { status: "Unknown", reason: "WaitingForMaster", message: "Master pod is not running yet" },
    isLoaded: (worker?.active ?? 0) > 0,
    isFrozen: false,
    endedEarly: false,
    loadLength: "unknown",
    missingPods: [],
    testResult: seen.test.status?.testResult,
    progress: seen.test.status?.progress,
  };
}

const demo: LocustTest = {
  apiVersion: LocustTest.apiVersion,
  kind: LocustTest.kind,
  metadata: { name: "demo", namespace },
  spec: {
    image: "locustio/locust:2.46.3",
    master: {
      command: "--locustfile /lotest/src/test.py --host https://shop.example --users 100 --spawn-rate 10 --run-time 5m",
      autoquit: { enabled: true, timeout: 30 },
    },
    worker: { command: "--locustfile /lotest/src/test.py", replicas: 3 },
    testFiles: { configMapRef: "demo-scripts" },
  },
};

/** What a Job says when it has ended. */
export const ended = (type: "Complete" | "Failed", at: number, reason?: string): NonNullable<Job["status"]> => {
  const time = formatTime(at as never);
  return {
    active: 0,
    ...(type === "Complete" ? { succeeded: 1, completionTime: time } : { failed: 1 }),
    conditions: [{ type, status: "True", lastTransitionTime: time, ...(reason === undefined ? {} : { reason }) }],
  };
};

function complaining(complaints: string[], all: string[]): NonNullable<Parameters<typeof manager>[0]["log"]> {
  const worded = (message: string, fields?: object) =>
    `${message} ${JSON.stringify(fields, (_key, it) => (it instanceof Error ? it.message : it))}`;
  const note = (message: string, fields?: object) => void all.push(worded(message, fields));
  const complain = (message: string, fields?: object) => {
    note(message, fields);
    complaints.push(worded(message, fields));
  };
  const log = { debug: note, info: note, warn: complain, error: complain, with: () => log };
  return log;
}
