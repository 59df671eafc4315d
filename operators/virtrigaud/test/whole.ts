// The whole operator on a stage with pods: what runs a Provider's Deployment is simulated, and behind each Service is a simulated host
// of its own. Everything that is said outside is kept: logs, metrics, events, statuses.
import { inProcessTransport, type Request } from "@telltale/client";
import { seededRandom } from "@telltale/clock";
import type { Condition, KindRef, KubeObject, Ms } from "@telltale/kinds";
import { CoreEvent } from "@telltale/kinds/builtin";
import type { Log } from "@telltale/runtime";
import { prometheus } from "@telltale/runtime/prometheus";
import { simulatedRuntime, workloads } from "@telltale/workloads";
import { type Config, standardConfig } from "../src/config.ts";
import { PowerOp } from "../src/contract/contract.ts";
import { virtrigaudKinds } from "../src/kinds/index.ts";
import { virtrigaudMetrics } from "../src/metrics.ts";
import { virtrigaudOperator } from "../src/operator.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import { type HostOptions, SimulatedHost } from "../src/simulated/host.ts";
import { namespace, stage, type Tools } from "./stage.ts";

export interface WholeOptions {
  readonly config?: Partial<Config>;
  readonly refuse?: (request: Request) => number | undefined;
}

/** A line about one object: `VMSet pool True AllReady`. */
export type Verdict = string;

export type Whole = Awaited<ReturnType<typeof whole>>;

export async function whole({ config, refuse }: WholeOptions = {}) {
  const hosts = new Map<string, SimulatedHost>();
  const lines: string[] = [];
  const seen = prometheus();
  const metrics = virtrigaudMetrics({ version: "0.1.0", node: "v24" });
  const log = keeping(lines);
  const controllers = ({ clock, random }: Tools) =>
    virtrigaudOperator({
      config: { ...standardConfig, ...config },
      clock,
      random,
      log,
      dial: simulatedDial({ clock, find: (endpoint) => hosts.get(endpoint.split(".")[0] ?? "") }),
      lookup: async () => ["192.0.2.10"],
      onCall: metrics.onCall,
      onAddress: metrics.onAddress,
    });
  const managing = { log, sinks: [seen.sink, metrics.into(seen.meter)] };
  const it = await stage({ controllers, managing, ...(refuse && { refuse }) });
  const stop = new AbortController();
  const { clock, server } = it;
  const transport = inProcessTransport(server.client);
  const pods = workloads({ transport, clock, random: seededRandom(4), runtime: simulatedRuntime() }).run(stop.signal);
  await it.pass(1_000);

  const all = async () => {
    const found: (KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } })[] = [];
    for (const kind of worked) found.push(...(await it.client.list(kind, {})).items);
    return found;
  };

  return {
    ...it,
    /** Every line of the log. */
    lines,
    metrics: () => seen.text(),
    all,

    /** The host behind a Provider, which listens from now on. */
    host(provider: string, durations: HostOptions["durations"] = {}): SimulatedHost {
      const random = seededRandom(provider.length);
      const host = new SimulatedHost({ clock, random, staging: it.staging, durations });
      hosts.set(`virtrigaud-provider-${namespace}-${provider}`, host);
      return host;
    },

    /** A machine that is on a host before anybody knows of it. */
    async place(host: SimulatedHost, name: string): Promise<void> {
      const target = { endpoint: "", serverName: "", connectTimeout: 1_000 };
      const { ask } = simulatedDial({ clock, find: () => host })(target);
      const classJson = JSON.stringify({ CPU: 2, MemoryMiB: 2048 });
      const imageJson = JSON.stringify({ TemplateName: "t" });
      const made = ask("create", { name, classJson, imageJson }, { deadline: 60_000 });
      await it.pass(5_000);
      const { id } = await made;
      const on = ask("power", { id, op: PowerOp.ON }, { deadline: 60_000 });
      await it.pass(5_000);
      await on;
    },

    /** Makes what a file has, as a person does with kubectl. */
    async create(text: string): Promise<void> {
      for (const document of text.split(/^---$/m)) {
        const { status, body } = await server.client({
          method: "POST",
          path: pathOf(/^kind: (\S+)$/m.exec(document)?.[1] ?? ""),
          headers: { "content-type": "application/yaml", accept: "application/json" },
          body: document,
        });
        if (status !== 201) throw new Error(body);
      }
      await it.pass();
    },

    /** How every object is: kind, name, and what Ready says. */
    async verdicts(): Promise<readonly Verdict[]> {
      return (await all()).map(({ kind, metadata, status }) => {
        const ready = status?.conditions?.find(({ type }) => type === "Ready");
        return `${kind} ${metadata?.name} ${ready?.status ?? "-"} ${ready?.reason ?? ""}`;
      });
    },

    /** Until every object but these is Ready. */
    async ready(limit: Ms, but: readonly string[] = []): Promise<void> {
      const open = async () =>
        (await this.verdicts()).filter((one) => {
          const [kind, name, ready] = one.split(" ");
          return ready !== "True" && !but.includes(`${kind} ${name}`);
        });
      const began = clock.now();
      while ((await open()).length > 0) {
        if (clock.now() - began > limit) throw new Error(`not ready: ${(await open()).join(", ")}`);
        await it.pass(2_000);
      }
    },

    /** Everything that could be read from outside: whatever objects ever said, the same now, events, logs, metrics. */
    async outside() {
      const events = (await it.client.list(CoreEvent, {})).items;
      const patches = it.writes().filter(({ line }) => line.startsWith("PATCH "));
      return {
        said: patches.map(({ body }) => body).join("\n"),
        status: JSON.stringify((await all()).map(({ metadata, status }) => [metadata?.annotations, status])),
        events: JSON.stringify(events),
        logs: [...lines, ...it.complaints].join("\n"),
        metrics: await seen.text(),
      };
    },

    async end() {
      stop.abort();
      await it.pass(1_000);
      await it.end();
      await pods;
    },
  };
}

/** The kinds that have a controller. */
const controlled = new Set(virtrigaudOperator({ config: standardConfig }).map(({ kind }) => kind.kind));
export const worked: readonly KindRef[] = virtrigaudKinds.filter(({ kind }) => controlled.has(kind));

function pathOf(name: string): string {
  const kind = virtrigaudKinds.find((one) => one.kind === name);
  if (kind === undefined) return `/api/v1/namespaces/${namespace}/${name.toLowerCase()}s`;
  return `/apis/${kind.group}/${kind.version}/namespaces/${namespace}/${kind.plural}`;
}

/** A log that keeps every line of every level, with all of its fields. */
function keeping(lines: string[], bound: object = {}): Log {
  const keep = (message: string, fields: object = {}) =>
    void lines.push(`${message} ${JSON.stringify({ ...bound, ...fields }, (_key, value) => wordsOf(value))}`);
  return {
    debug: keep,
    info: keep,
    warn: keep,
    error: keep,
    with: (fields) => keeping(lines, { ...bound, ...fields }),
  };
}

const wordsOf = (value: unknown): unknown =>
  value instanceof Error ? { ...value, message: value.message, stack: value.stack, cause: value.cause } : value;
