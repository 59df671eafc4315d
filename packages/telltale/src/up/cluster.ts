// A whole cluster in this process: the API server, what makes pods run, and operators with backends that pretend.
import { writeFileSync } from "node:fs";
import { type ApiServer, type StoreRemedy, StoreUnusable, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { type Env, type Log, type Manager, manager } from "@telltale/runtime";
import { workloads } from "@telltale/workloads";
import { applyAll } from "../install/apply.ts";
import type { EmbeddedParts, Operator } from "../operators/operator.ts";
import { type Sample, samplesOf } from "../operators/samples.ts";
import { Problem } from "../program/problem.ts";
import type { Folder } from "./folder.ts";
import { embeddedPods } from "./pods.ts";

export interface ClusterOptions {
  readonly operators: readonly Operator[];
  readonly folder: Folder;
  readonly storage: "disk" | "memory";
  /** 0: a free one. */
  readonly port: number;
  readonly real: boolean;
  readonly env: Env;
  readonly samples: boolean;
  /** By operator, in its own names. */
  readonly settings: Readonly<Record<string, Env>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What has just been reached. */
  readonly onStep?: (step: string) => void;
}

export interface EmbeddedCluster {
  readonly url: string;
  readonly client: Client;
  /** What each operator works with, by its name. */
  readonly backends: ReadonlyMap<string, string>;
  /** All that were ever applied here, of these operators. */
  readonly samples: readonly KubeObject[];
  stop(): Promise<void>;
}

/** Pods that run nothing need no room: there is always enough. */
const nodes = [{ name: "embedded-node", capacity: { cpu: "1k", memory: "4Ti" } }];

export async function startCluster(options: ClusterOptions): Promise<EmbeddedCluster> {
  const { operators, clock, random, folder, onStep = () => {} } = options;
  const hooks = new Map<string, EmbeddedParts["hooks"]>();
  const runtime = embeddedPods();
  const server = await serve(options, runtime.access, (place, path) => hooks.get(place)?.local(path));
  const way = () => inProcessTransport(server.client);
  const client = createClient({ transport: way(), clock, random, fieldManager: "telltale" });
  onStep(`Kubernetes API at ${server.url}`);
  writeFileSync(folder.kubeconfig, server.kubeconfig(), { mode: 0o600 });

  const stop = new AbortController();
  const drains: (() => Promise<void>)[] = [];
  const running: Promise<void>[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(drains.map((drain) => drain()));
    stop.abort();
    await Promise.all(running);
    await server.stop();
  };
  try {
    const { log, env } = options;
    await applyAll(operators.flatMap(groundOf), { client, clock });
    const backends = new Map<string, string>();
    const adapts = new Map<string, EmbeddedParts["adapt"]>();
    const managers: Manager[] = [];
    for (const operator of operators) {
      const { name, namespace } = operator;
      const transport = way();
      const own = log.with({ operator: name });
      const settings = options.settings[name] ?? {};
      const around = { transport, client, clock, random, log: own, namespace, settings, env, pods: runtime.pods };
      const { real } = options;
      const parts = await operator.embed({ ...around, real, folder: folder.path, kubeconfig: folder.kubeconfig });
      if (parts.behave !== undefined) runtime.behave(parts.behave);
      if (parts.pods !== undefined) runtime.add(parts.pods);
      if (parts.drain !== undefined) drains.push(parts.drain);
      if (parts.beside !== undefined) running.push(parts.beside(stop.signal));
      hooks.set(namespace, parts.hooks);
      backends.set(name, parts.backend);
      adapts.set(name, parts.adapt);
      const { controllers, options: more } = parts;
      managers.push(manager({ name, transport, controllers, clock, random, log: own, ...more }));
    }
    const cluster = workloads({ transport: way(), clock, random, runtime, rootCertificate: server.ca(), log, nodes });
    for (const it of [cluster, ...managers]) running.push(it.run(stop.signal));
    onStep(`operators: ${[...backends].map(([name, backend]) => `${name} (${backend})`).join(", ")}`);
    const samples = options.samples ? await applySamples(options, client, { adapts, backends }) : [];
    return { url: server.url ?? "", client, backends, samples, stop: end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function serve(
  { storage, folder, port, clock, random, log }: ClusterOptions,
  pods: NonNullable<Parameters<typeof startApiServer>[0]>["pods"] & object,
  hookAt: (namespace: string, path: string) => ((review: object) => Promise<object>) | undefined,
): Promise<ApiServer> {
  try {
    return await startApiServer({
      listen: { port },
      clock,
      random,
      serviceAccounts: true,
      pods,
      storage: storage === "memory" ? { kind: "memory" } : { kind: "disk", dir: folder.store },
      // The rest of a webhook's review is the server's own type of JSON, which nobody else has a name for.
      webhookResolver: ({ namespace, path }) => hookAt(namespace, path) as never,
      log: (line) => log.info(line),
    });
  } catch (error) {
    throw problemOfServer(error, port, folder);
  }
}

function problemOfServer(error: unknown, port: number, folder: Folder): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return new Problem(`port ${port} is taken`, "choose another with --port, or leave --port out for a free one");
  }
  if (code === "EACCES") return new Problem(`port ${port} may not be listened on`, "choose one above 1023 with --port");
  return problemOfStore(error, folder) ?? error;
}

/** A folder that cannot be opened, and the way out. */
export function problemOfStore(error: unknown, folder: Folder): Problem | undefined {
  return error instanceof StoreUnusable ? new Problem(error.problem, remedyOf(error.remedy, folder)) : undefined;
}

function remedyOf(remedy: StoreRemedy, folder: Folder): string {
  const other = "choose another folder with --data";
  if (remedy === "stop") return `stop that telltale first, or ${other}`;
  const copy = `bring back a copy of ${folder.path}, remove it to start from nothing, or ${other}`;
  return remedy === "copy"
    ? copy
    : `start with --repair, which keeps damaged files beside the new ones and goes on without what is lost; or ${copy}`;
}

/** What is there before an operator works. */
function groundOf(operator: Operator): readonly KubeObject[] {
  const { namespace, ground } = operator;
  const options = { namespace, settings: {}, webhooks: true };
  const own = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  return [own, ...ground.given, ...operator.crds(options), ...(operator.foreign ?? []), ...operator.extras(options)];
}

interface Embedded {
  readonly adapts: ReadonlyMap<string, EmbeddedParts["adapt"]>;
  readonly backends: ReadonlyMap<string, string>;
}

/** Once for each operator and folder, and for backends that want them otherwise: what somebody deleted stays away. */
async function applySamples(
  { operators, folder, clock, onStep }: ClusterOptions,
  client: Client,
  { adapts, backends }: Embedded,
): Promise<readonly KubeObject[]> {
  const all = await Promise.all(
    operators.map(async (operator) => {
      const { name, ground } = operator;
      const own = adapts.get(name);
      const samples: readonly Sample[] = await samplesOf(operator);
      return {
        as: own === undefined ? name : `${name} on ${backends.get(name)}`,
        objects: samples.flatMap(({ object }) => (own ?? ground.adapt)(object) ?? []),
      };
    }),
  );
  const wanted = all.filter(({ as }) => !folder.sampled.includes(as));
  if (wanted.length > 0) onStep?.(`samples: ${wanted.reduce((sum, { objects }) => sum + objects.length, 0)} objects`);
  for (const { as, objects } of wanted) {
    await applyAll(objects, { client, clock, namespace: "default" });
    folder.sampledNow([as]);
  }
  return all.flatMap(({ objects }) => objects);
}
