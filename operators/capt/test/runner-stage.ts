// A server, the workspace runner and time: what a person does to Workspaces, and what is there afterwards.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, isNotFound } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { type KubeObject, type Ms, toCrd } from "@telltale/kinds";
import { Event, Namespace, Secret } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { Workspace } from "../src/kinds/workspace.ts";
import { annotations, stateSecretName } from "../src/names.ts";
import { type WorkspaceRunner, type WorkspaceRunnerOptions, workspaceRunner } from "../src/runner/controller.ts";
import type { Engine } from "../src/runner/engine.ts";
import { fromSecrets, type Kept } from "../src/runner/record.ts";
import type { RunSample } from "../src/runner/runs.ts";
import { simulatedEngine } from "../src/runner/simulated/simulated-engine.ts";
import { hush } from "./hush.ts";

export const namespace = "t1";
export const operatorNamespace = "capt-system";

export interface RunnerStage {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  readonly client: Client;
  /** Runs that have ended, as `plan settled`. */
  readonly runs: string[];
  /** What the runner wrote since somebody last asked: `PATCH /apis/...`. */
  writes(): readonly string[];
  /** Everything that the runner has told anybody, at any time, in one text: its requests, its log, its Events. */
  readonly told: () => Promise<string>;
  pass(by?: Ms): Promise<void>;
  make(more?: MakeOptions): Promise<Workspace>;
  get(name?: string): Promise<Workspace>;
  isGone(name?: string): Promise<boolean>;
  /** `False ReconcileError ApplyFailed: it broke`. */
  says(type: string, name?: string): Promise<string>;
  annotate(notes: Readonly<Record<string, string | null>>, name?: string): Promise<void>;
  connection(name?: string): Promise<Readonly<Record<string, string>> | undefined>;
  kept(name?: string): Promise<Kept | undefined>;
  /** The names of all Secrets that there are. */
  secrets(): Promise<readonly string[]>;
  events(): Promise<readonly string[]>;
  remove(name?: string): Promise<void>;
  drain(): Promise<void>;
  /** The process is gone at once; another one takes over. */
  crash(engine?: Engine): Promise<void>;
  halt(): Promise<void>;
  /** Fails where the log has complained. */
  end(): Promise<void>;
}

export interface MakeOptions {
  readonly name?: string;
  readonly module?: string;
  readonly script?: object;
  readonly outputs?: object;
  readonly spec?: Partial<Workspace["spec"]>;
  readonly forProvider?: object;
  readonly notes?: Readonly<Record<string, string>>;
}

export const module = `
variable "name" { type = string }
resource "terraform_data" "vpc" { input = var.name }
output "vpc_id" { value = "vpc-1" }
output "azs" { value = ["a", "b"] }
output "admin_password" { value = "hush" }
output "certificate" {
  sensitive = true
  value     = "{}"
}
`;

/** What `Synced` and `Ready` say when all is well. */
export const good = "True ReconcileSuccess The last run went through";
export const ready = "True Simulated Nothing is real: the operator only pretends to run the module";
/** The same of a run that is not simulated. */
export const available = "True Available What the module describes exists";

export type StageOptions = Partial<Omit<WorkspaceRunnerOptions, "clock" | "random" | "namespace">> & {
  readonly objects?: readonly KubeObject[];
  /** What the log may say at warn and error; anything else fails the test. */
  readonly complains?: RegExp;
};

export async function runnerStage(options: StageOptions = {}): Promise<RunnerStage> {
  const clock = new VirtualClock();
  const named = (name: string) => ({ apiVersion: "v1", kind: Namespace.kind, metadata: { name } });
  const server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    authorization: "always-allow",
    objects: [...(options.objects ?? [toCrd(Workspace)]), named(namespace), named(operatorNamespace)],
  });
  const client = createClient({
    transport: inProcessTransport(server.client),
    clock,
    random: seededRandom(2),
    fieldManager: "person",
  });
  const complaints: string[] = [];
  const quiet = hush((line) => complaints.push(line));
  const runs: string[] = [];
  let sent: string[] = [];
  let seed = 3;
  let running: ReturnType<typeof start> | undefined;

  const pass = async (by: Ms = 0) => {
    for (let i = 0; i < 8; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 8; i += 1) await turn();
    await server.settle();
  };

  function start(engine: Engine = options.engine ?? simulatedEngine({ clock })) {
    const way = quiet.wrap(inProcessTransport(server.client));
    const stop = new AbortController();
    let isCut = false;
    const runner: WorkspaceRunner = workspaceRunner({
      ...options,
      engine,
      clock,
      random: seededRandom(seed++),
      namespace: operatorNamespace,
      onRun: ({ operation, result }: RunSample) => runs.push(`${operation} ${result}`),
    });
    const it = manager({
      name: "capt",
      controllers: [runner.controller],
      clock,
      random: seededRandom(seed++),
      strict: true,
      transport: {
        send(request) {
          if (isCut) return new Promise(() => {});
          const isNoise = request.method === "GET" || request.path.includes("/events");
          if (!isNoise) sent.push(`${request.method} ${request.path.split("?")[0]}`);
          return way.send(request);
        },
        close: () => way.close(),
      },
      log: quiet.log,
    });
    const run = it.run(stop.signal).catch((error: unknown) => {
      if (!isCut) complaints.push(String(error));
    });
    return {
      runner,
      cut() {
        isCut = true;
        stop.abort();
      },
      async stop() {
        stop.abort();
        let isOver = false;
        void run.finally(() => {
          isOver = true;
        });
        while (!isOver) await pass(1000);
      },
    };
  }

  running = start();
  await pass();
  const read = (name: string) => client.get(Workspace, name);
  const secret = (name: string, of: string) =>
    client.get(Secret, name, { namespace: of }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const events = async () =>
    (await client.list(Event)).items.map(({ type, reason, note }) => `${type} ${reason} ${note}`);

  return {
    clock,
    server,
    client,
    runs,
    pass,
    writes() {
      const all = sent;
      sent = [];
      return all;
    },
    told: async () => [...quiet.heard, ...(await events())].join("\n"),
    async make(more = {}) {
      const { name = "demo", script, outputs, notes = {} } = more;
      const made = await client.create(Workspace, {
        apiVersion: Workspace.apiVersion,
        kind: Workspace.kind,
        metadata: {
          name,
          annotations: {
            ...notes,
            ...(script === undefined ? {} : { [annotations.simScript]: JSON.stringify(script) }),
            ...(outputs === undefined ? {} : { [annotations.simOutputs]: JSON.stringify(outputs) }),
          },
        },
        spec: {
          writeConnectionSecretToRef: { name: `${name}-connection`, namespace },
          forProvider: {
            source: "Inline",
            module: more.module ?? module,
            vars: [{ key: "name", value: "net" }],
            ...more.forProvider,
          },
          ...more.spec,
        },
      } as Workspace);
      await pass();
      return made;
    },
    get: (name = "demo") => read(name),
    isGone: (name = "demo") =>
      read(name).then(
        () => false,
        (error: unknown) => isNotFound(error),
      ),
    async says(type, name = "demo") {
      const found = (await read(name)).status?.conditions?.find((it) => it.type === type);
      return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
    },
    async annotate(notes, name = "demo") {
      await client.patch(Workspace, { name }, { merge: { metadata: { annotations: notes } } });
      await pass();
    },
    async connection(name = "demo") {
      const data = (await secret(`${name}-connection`, namespace))?.data;
      if (data === undefined) return undefined;
      return Object.fromEntries(Object.entries(data).map(([key, it]) => [key, Buffer.from(it, "base64").toString()]));
    },
    async kept(name = "demo") {
      const { uid = "" } = (await read(name)).metadata;
      const found = await secret(stateSecretName(uid), operatorNamespace);
      return found === undefined ? undefined : fromSecrets(found as Parameters<typeof fromSecrets>[0], []);
    },
    secrets: async () => (await client.list(Secret)).items.map(({ metadata }) => metadata?.name ?? ""),
    events,
    async remove(name = "demo") {
      await client.delete(Workspace, { name }, { propagation: "Background" });
      await pass();
    },
    drain: async () => running?.runner.drain(),
    async crash(engine) {
      running?.cut();
      running = start(engine);
      await pass();
    },
    async halt() {
      await running?.stop();
      running = undefined;
    },
    async end() {
      const wrong = complaints.filter((line) => options.complains?.test(line) !== true);
      await running?.stop();
      await server.stop();
      if (wrong.length > 0) throw new Error(`the runner complained: ${wrong.join("; ")}`);
    },
  };
}
