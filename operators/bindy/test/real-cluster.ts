// The operator and pods of real nameservers on the embedded server (10.6), as a person with kubectl and dig would meet them.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { type Condition, type KindRef, type KubeObject, toCrd } from "@telltale/kinds";
import { CoreEvent, Namespace, Pod } from "@telltale/kinds/builtin";
import { type Log, manager } from "@telltale/runtime";
import { processRuntime, workloads } from "@telltale/workloads";
import { type Bindcar, bindcarClient } from "../src/bindcar/client.ts";
import { httpWire } from "../src/bindcar/http-wire.ts";
import { fixedToken } from "../src/bindcar/token.ts";
import type { Wire } from "../src/bindcar/wire.ts";
import { bindyMetrics, bindyOperator, standardConfig } from "../src/index.ts";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance, DNSZone, recordKinds } from "../src/kinds/index.ts";
import { annotateEndpoints } from "../src/local-pods/endpoints.ts";
import { localPods } from "../src/local-pods/local-pods.ts";
import { annotations } from "../src/names.ts";

const run = promisify(execFile);

export const namespace = "dns";
export const token = "a-token-of-the-end-to-end-suite";

export interface RealCluster {
  readonly client: Client;
  readonly bindcar: Bindcar;
  /** What the operator asked of Bindcars: `DELETE /zones/example.com`. */
  readonly asked: readonly string[];
  /** The operator ends, and another process of it begins with nothing that it knew. */
  restart(): Promise<void>;
  /** `True AllReady All 3 instances are ready`. */
  says(kind: KindRef, name: string, type?: string, within?: string): Promise<string>;
  /** A record or a zone, by its kind. */
  make(object: KubeObject): Promise<void>;
  edit(kind: KindRef, name: string, merge: object, within?: string): Promise<void>;
  remove(kind: KindRef, name: string, within?: string): Promise<void>;
  pods(): Promise<readonly Pod[]>;
  podOf(instance: string): Promise<Pod | undefined>;
  dig(pod: Pod, ...words: readonly string[]): Promise<string>;
  /** What a resolver makes of it that trusts this anchor of a zone. */
  delv(pod: Pod, anchor: string, zone: string, ...words: readonly string[]): Promise<string>;
  /** What each server answers, in short. */
  everywhere(...words: readonly string[]): Promise<readonly string[]>;
  /** NOERROR, NXDOMAIN, REFUSED ... of each server. */
  codes(...words: readonly string[]): Promise<readonly string[]>;
  /** What a scrape of the operator gets. */
  metrics(): Promise<string>;
  /** All that the operator has logged. */
  readonly lines: readonly string[];
  events(): Promise<readonly CoreEvent[]>;
  end(): Promise<void>;
}

export interface RealClusterOptions {
  readonly namespaces?: readonly string[];
  /** Upstream's Bindcar, in the place of ours. */
  readonly upstream?: string;
}

const upstreamProgram = fileURLToPath(new URL("./upstream-bindcar-program.ts", import.meta.url));

export async function realCluster(path: string, options: RealClusterOptions = {}): Promise<RealCluster> {
  const { namespaces = [], upstream } = options;
  const stop = new AbortController();
  const pods = localPods({ path, as: "real", access: { by: "shared secret", token } });
  const images = { ...pods.runtime.images };
  const ours = images["*bindcar*"];
  let programs = pods.runtime.path;
  if (upstream !== undefined && ours !== undefined) {
    // By name, as a path below `/tmp` would be one of the pod's own.
    const bin = mkdtempSync(join(tmpdir(), "bindy-upstream-"));
    stop.signal.addEventListener("abort", () => rmSync(bin, { recursive: true, force: true }));
    const script = `#!/bin/sh\nUPSTREAM='${upstream}' exec '${process.execPath}' '${upstreamProgram}'\n`;
    writeFileSync(join(bin, "upstream-bindcar"), script, { mode: 0o755 });
    images["*bindcar*"] = { command: ["upstream-bindcar"], env: ours.env };
    programs = [bin, programs].join(delimiter);
  }
  const runtime = processRuntime({ ...pods.runtime, images, path: programs });
  const kinds = [Bind9GlobalCluster, Bind9Cluster, Bind9Instance, DNSZone, ...recordKinds];
  const server = await startApiServer({
    serviceAccounts: true,
    objects: kinds.map((kind) => toCrd(kind)),
    ...(runtime.access && { pods: runtime.access }),
  });
  const way = () => inProcessTransport(server.client);
  const [clock, random] = [systemClock, systemRandom];
  const client = createClient({ transport: way(), clock, random });
  for (const name of [namespace, ...namespaces]) await client.create(Namespace, { metadata: { name } });
  const metrics = bindyMetrics({ clock, podName: "bindy-0" });
  const { onBindcar: onAttempt } = metrics;
  const asked: string[] = [];
  const http = httpWire({ clock });
  const wire: Wire = {
    send(request, signal) {
      asked.push(`${request.method} ${request.path.replace("/api/v1", "")}`);
      return http.send(request, signal);
    },
  };
  const bindcar = bindcarClient({ wire, token: fixedToken(token), clock, random, onAttempt });
  const lines: string[] = [];
  const log = logInto(lines);
  const start = () => {
    const controllers = bindyOperator({ config: standardConfig, transport: way(), bindcar, log, metrics });
    const it = manager({
      name: "bindy",
      transport: way(),
      controllers,
      events: "v1",
      log,
      probes: { port: 0, host: "127.0.0.1" },
      metrics: metrics.into,
    });
    const ending = new AbortController();
    return { it, ending, over: it.run(ending.signal) };
  };
  let operator = start();
  const running = Promise.all([
    workloads({ transport: way(), runtime, rootCertificate: server.ca() }).run(stop.signal),
    annotateEndpoints({ client, clock }, stop.signal),
  ]);

  async function live(): Promise<readonly Pod[]> {
    const { items } = await client.list(Pod, { namespace, labelSelector: "app=bind9" });
    return items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  }

  async function ask(program: "dig" | "delv", pod: Pod, words: readonly string[]): Promise<string> {
    const [host = "", port = ""] = (pod.metadata?.annotations?.[annotations.endpointDns] ?? "").split(":");
    const asked = run(program, [`@${host}`, "-p", port, ...words], { env: { PATH: path } });
    return (await asked.catch(() => ({ stdout: "" }))).stdout.trim();
  }
  const dig: RealCluster["dig"] = (pod, ...words) => ask("dig", pod, ["-r", "+norec", "+time=1", "+tries=1", ...words]);
  const folder = mkdtempSync(join(tmpdir(), "bindy-anchors-"));

  const of = (kind: KindRef, name: string, within: string) =>
    kind.scope === "Cluster" ? { name } : { name, namespace: within };

  return {
    client,
    bindcar,
    asked,
    async restart() {
      operator.ending.abort();
      await operator.over;
      operator = start();
    },
    lines,
    async says(kind, name, type = "Ready", within = namespace) {
      const found = await client
        .get(kind as KindRef<Stated>, name, kind.scope === "Cluster" ? {} : { namespace: within })
        .catch(() => undefined);
      const it = found?.status?.conditions?.find((condition) => condition.type === type);
      return `${it?.status} ${it?.reason} ${it?.message}`;
    },
    async make(object) {
      const kind = kinds.find((it) => it.kind === object.kind) as unknown as KindRef<KubeObject>;
      await client.create(kind, object);
    },
    async edit(kind, name, merge, within = namespace) {
      await client.patch(kind, of(kind, name, within), { merge });
    },
    async remove(kind, name, within = namespace) {
      await client.delete(kind, of(kind, name, within), { propagation: "Background" });
    },
    pods: live,
    podOf: async (instance) => (await live()).find(({ metadata }) => metadata?.labels?.["instance"] === instance),
    dig,
    async delv(pod, anchor, zone, ...words) {
      const file = join(folder, zone);
      writeFileSync(file, anchor);
      return ask("delv", pod, ["-a", file, `+root=${zone}`, ...words]);
    },
    everywhere: async (...words) => Promise.all((await live()).map((pod) => dig(pod, "+short", ...words))),
    codes: async (...words) =>
      Promise.all((await live()).map(async (pod) => /status: (\w+)/.exec(await dig(pod, ...words))?.[1] ?? "none")),
    metrics: async () => (await fetch(`http://127.0.0.1:${operator.it.probes()?.port}/metrics`)).text(),
    events: async () => (await client.list(CoreEvent, {})).items,
    async end() {
      stop.abort();
      operator.ending.abort();
      await Promise.all([running, operator.over]);
      await server.stop();
      pods.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Stated extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

function logInto(lines: string[]): Log {
  const write = (message: string, fields: object = {}) => {
    const text = JSON.stringify(fields, (_key, it) => (it instanceof Error ? `${it.stack}` : it));
    lines.push(`${message} ${text}`);
  };
  const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log };
  return log;
}

export interface SigningKeys {
  /** Files by name, as a Secret has them. */
  readonly keys: Readonly<Record<string, string>>;
  /** Of the key that a parent would name. */
  readonly tag: number;
  /** For delv: the key itself. */
  readonly anchor: string;
}

export async function signingKeys(path: string, zone: string): Promise<SigningKeys> {
  const folder = mkdtempSync(join(tmpdir(), "bindy-keys-"));
  try {
    const make = async (...words: readonly string[]) => {
      const args = ["-q", "-K", folder, "-a", "ECDSAP256SHA256", ...words, zone];
      return (await run("dnssec-keygen", args, { env: { PATH: path } })).stdout.trim();
    };
    const [ksk] = [await make("-f", "KSK"), await make()];
    const files = readdirSync(folder).map((name) => [
      name.replaceAll("+", "_"),
      readFileSync(join(folder, name), "utf8"),
    ]);
    const [, value = ""] = / DNSKEY (\d+ \d+ \d+ .+)$/m.exec(readFileSync(join(folder, `${ksk}.key`), "utf8")) ?? [];
    const [flags, protocol, algorithm, ...key] = value.split(" ");
    const anchor = `trust-anchors { "${zone}." static-key ${flags} ${protocol} ${algorithm} "${key.join("")}"; };\n`;
    return { keys: Object.fromEntries(files), tag: Number(ksk?.split("+").at(-1)), anchor };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Container {
  readonly pid: number;
  /** What is `/` to it. */
  readonly root: string;
}

/** The process of a container, by the variables that the runtime marks it with. */
export function containerOf(pod: Pod | undefined, name: string): Container {
  for (const pid of readdirSync("/proc").filter((it) => /^\d+$/.test(it))) {
    const env = environmentOf(pid);
    const root = env.find((it) => it.startsWith("TELLTALE_ROOT="))?.slice("TELLTALE_ROOT=".length) ?? "";
    const isOf = root.includes(`/containers/${name}/`) || root.endsWith(`/containers/${name}`);
    if (isOf && env.includes(`TELLTALE_POD_UID=${pod?.metadata?.uid}`)) return { pid: Number(pid), root };
  }
  throw new Error(`no process of container ${name}`);
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
