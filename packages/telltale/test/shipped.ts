// An operator as it is shipped, on a real kube-apiserver: its plain manifest by kubectl, and the program with the arguments, the account
// and the environment of its Deployment. No backend runs behind the objects, and its PATH is empty unless a test says otherwise.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import type { Condition, KubeObject } from "@telltale/kinds";
import { Event } from "@telltale/kinds/builtin";
import { parseAllDocuments } from "yaml";
import { type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { applyAll } from "../src/install/apply.ts";
import type { Operator } from "../src/operators/operator.ts";
import { samplesOf } from "../src/operators/samples.ts";
import { chosen } from "../src/operators/table.ts";
import { accountOf } from "./life.ts";
import { podEnv } from "./told.ts";

/** An object with a status, as a user reads it. */
export type Reported = KubeObject & {
  readonly status?: { readonly conditions?: readonly Condition[]; readonly phase?: string } & Readonly<
    Record<string, unknown>
  >;
};

export interface ShippedOperator {
  /** As cluster administrator. */
  readonly client: Client;
  readonly controlPlane: ControlPlane;
  readonly operator: Operator;
  /** What the program has printed. */
  output(): string;
  /** Log lines at warn or above. */
  complaints(): readonly string[];
  /** Ends the program and starts it again, with further arguments. */
  restart(...args: readonly string[]): Promise<void>;
  /** Samples of the operator, by file. */
  applySamples(...files: readonly string[]): Promise<void>;
  apply(...objects: readonly KubeObject[]): Promise<void>;
  /** Every object of the operator's kinds that the server serves. */
  objects(): Promise<readonly Reported[]>;
  /** `CAPTCluster default/net Ready=False NoRunner: message`, sorted. */
  conditionLines(): Promise<readonly string[]>;
  /** `Warning NoRunner Workspace/net: message`, sorted. */
  eventLines(): Promise<readonly string[]>;
  /** What kubectl prints. */
  kubectl(...args: readonly string[]): string;
  /** Until something holds of the condition lines; fails with all of them. */
  until(what: string, holds: (lines: readonly string[]) => boolean, timeoutMs?: number): Promise<readonly string[]>;
  /** Until no status has changed for so long. */
  quiet(forMs?: number, timeoutMs?: number): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface ShippedOptions {
  /** The folder with kube-apiserver and kubectl: see `assetsFor`. */
  readonly assets: string;
  readonly operator: string;
  /** Arguments after those of the Deployment: `--capt.workspace-runner=simulated`. */
  readonly args?: readonly string[];
  /** Further environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where the operator finds programs. Default: nowhere. */
  readonly path?: string;
  readonly controlPlane?: Pick<Parameters<typeof startControlPlane>[0], "controllerManager" | "apiserverFlags">;
}

const manifests = fileURLToPath(new URL("../../../deploy/manifests/", import.meta.url));
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

interface DeploymentManifest extends KubeObject {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly { readonly args: readonly string[] }[];
      };
    };
  };
}

export async function startShipped(options: ShippedOptions): Promise<ShippedOperator> {
  const { assets, operator: name } = options;
  const [operator] = await chosen(name);
  if (operator === undefined) throw new Error(`there is no operator ${name}`);
  const folder = mkdtempSync(join(tmpdir(), "telltale-shipped-"));
  const controlPlane = await startControlPlane({ assets, ...options.controlPlane });
  const { kubeconfig } = controlPlane;
  const kubectl = (...args: readonly string[]) => {
    const all = ["--kubeconfig", kubeconfig, ...args];
    const { status, stdout, stderr } = spawnSync(join(assets, "kubectl"), all, { encoding: "utf8" });
    if (status !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const file = join(manifests, `${name}.yaml`);
  kubectl("apply", "--server-side", "-f", file);
  const shipped = parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS() as KubeObject);
  const deployment = shipped.find(({ kind }) => kind === "Deployment") as DeploymentManifest;
  const { serviceAccountName: account, containers } = deployment.spec.template.spec;
  const namespace = deployment.metadata?.namespace ?? "";
  const transport = httpTransport(await findConnection({ clock, path: kubeconfig, env: {} }));
  const client = createClient({ transport, clock, random });
  const own = join(folder, "kubeconfig");
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 7200 } };
  const token = JSON.parse((await client.request({ method: "POST", path, body })).text) as {
    status: { token: string };
  };
  writeFileSync(own, accountOf(readFileSync(kubeconfig, "utf8"), token.status.token));

  let output = "";
  let running: ChildProcess | undefined;
  const start = (more: readonly string[]) => {
    const [command = "", ...given] = containers[0]?.args ?? [];
    // Everything but where it listens: a test has no pod of its own.
    const argv = [main, command, ...given, "--host", "127.0.0.1", "--port", "0", "--kubeconfig", own, ...more];
    const env = { ...podEnv, PATH: options.path ?? "", POD_NAMESPACE: namespace, HOME: folder, ...options.env };
    const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "pipe"], env });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (part) => {
        output += String(part);
      });
    }
    running = child;
  };
  const end = async () => {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  const isServed = (() => {
    const served = new Map<string, boolean>();
    return async (kind: Operator["kinds"][number]) => {
      const known = served.get(kind.kind);
      if (known !== undefined) return known;
      const found = await client.list(kind).then(
        () => true,
        () => false,
      );
      served.set(kind.kind, found);
      return found;
    };
  })();
  const objects = async () => {
    const all: Reported[] = [];
    for (const kind of operator.kinds) {
      if (!(await isServed(kind))) continue;
      const { items } = await client.list(kind);
      all.push(...items.map((item) => ({ ...(item as Reported), kind: kind.kind, apiVersion: kind.apiVersion })));
    }
    return all;
  };
  const conditionLines = async () => (await objects()).flatMap(linesOf).sort();
  const patiently = async <T>(
    read: () => Promise<T>,
    isDone: (value: T) => boolean,
    timeoutMs: number,
    what: (last: T) => string,
  ): Promise<T> => {
    const limit = clock.uptime() + timeoutMs;
    for (;;) {
      const value = await read();
      if (isDone(value)) return value;
      if (running !== undefined && (running.exitCode ?? running.signalCode) !== null)
        throw new Error(`the operator ended by ${running.exitCode ?? running.signalCode}: ${output}`);
      if (clock.uptime() > limit) throw new Error(what(value));
      await sleep(clock, 250);
    }
  };
  start(options.args ?? []);

  const shippedOperator: ShippedOperator = {
    client,
    controlPlane,
    operator,
    output: () => output,
    complaints: () => output.split("\n").filter((line) => /"level":"(warn|error)"/.test(line)),
    async restart(...args) {
      await end();
      start([...(options.args ?? []), ...args]);
    },
    async applySamples(...files) {
      const known = await samplesOf(operator);
      const missing = files.filter((wanted) => !known.some((sample) => sample.file === wanted));
      if (missing.length > 0) throw new Error(`${name} has no sample ${missing.join(", ")}`);
      const wanted = known.filter((sample) => files.includes(sample.file)).map(({ object }) => object);
      await applyAll(wanted, { client, clock, namespace: "default" });
    },
    apply: (...wanted) => applyAll(wanted, { client, clock, namespace: "default" }),
    objects,
    conditionLines,
    async eventLines() {
      const { items } = await client.list(Event);
      return items
        .map(({ type, reason, regarding, note }) => `${type} ${reason} ${regarding?.kind}/${regarding?.name}: ${note}`)
        .sort();
    },
    kubectl,
    until: (what, holds, timeoutMs = 180_000) =>
      patiently(
        conditionLines,
        holds,
        timeoutMs,
        (last) => `not within ${timeoutMs} ms: ${what}\n${last.join("\n")}\n${output}`,
      ),
    async quiet(forMs = 5_000, timeoutMs = 120_000) {
      let [seen, since] = ["", clock.uptime()];
      const isQuiet = (lines: readonly string[]) => {
        const now = lines.join("\n");
        if (now !== seen) [seen, since] = [now, clock.uptime()];
        return clock.uptime() - since >= forMs;
      };
      return patiently(
        conditionLines,
        isQuiet,
        timeoutMs,
        (last) => `statuses still change after ${timeoutMs} ms\n${last.join("\n")}\n${output}`,
      );
    },
    async stop() {
      await end();
      await client.close();
      await controlPlane.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return shippedOperator;
}

/** One line for each condition, and one for the phase where there is one. */
function linesOf({ kind, metadata, status }: Reported): readonly string[] {
  const { namespace, name } = metadata ?? {};
  const who = `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  const said = (status?.conditions ?? []).map(
    ({ type, status: is, reason, message }) => `${who} ${type}=${is} ${reason}: ${message}`,
  );
  return status?.phase === undefined ? said : [`${who} phase=${status.phase}`, ...said];
}
