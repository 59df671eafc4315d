// A real kube-apiserver, and the operator and providers of real QEMU as processes of their own, which end by kill -9.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, findConnection, httpTransport, isNotFound } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import type { Condition, KindRef, KubeObject } from "@telltale/kinds";
import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { Provider, VirtualMachine, VMClass, VMImage, virtrigaudCrds } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { tools } from "./job-pods.ts";
import { Kit } from "./qemu/kit.ts";
import { providerSpec } from "./stage.ts";

export const namespace = "default";
/** So long a test may take where the machine is busy. On a quiet one it is a fifth of it. */
export const patience = 300_000;
const operatorProgram = new URL("./run-operator.ts", import.meta.url).pathname;
const completeProgram = new URL("./run-complete-operator.ts", import.meta.url).pathname;
const providerProgram = new URL("../src/qemu/main.ts", import.meta.url).pathname;

/** The request to the server before or after which the operator dies: a pattern of its path, a space, and its body. */
export interface Fate {
  readonly when: "before" | "after";
  readonly request: string;
}

/** The write by which an object comes to have a field of its status. */
export const writes = (plural: string, name: string, field: string, value?: string): string =>
  `/${plural}/${name}/status\\S* .*("op":"(add|replace)","path":"/status/${field}","value":|"${field}":)${value === undefined ? "(?!null)" : `"${value}"`}`;

/** The write by which it comes to have an annotation. */
export const annotates = (plural: string, name: string, annotation: string): string =>
  `/${plural}/${name}(\\?\\S*)? .*(${annotation.replace("/", "~1")}","value":(?!null)|"${annotation}":)`;

export type RealStage = Awaited<ReturnType<typeof realStage>>;

export interface RealStageOptions {
  /** With the controller of Providers too, for which the providers run elsewhere. It asks them about once a second. */
  readonly isComplete?: boolean;
}

/** With a Provider of each name, a class `small` and an image `boot`. */
export async function realStage(
  assets: string,
  names: readonly string[],
  { isComplete = false }: RealStageOptions = {},
) {
  const kits = new Map(names.map((name) => [name, new Kit()]));
  const kitOf = (name: string): Kit => {
    const kit = kits.get(name);
    if (kit === undefined) throw new Error(`there is no provider ${name}`);
    return kit;
  };
  const { storage, images } = kitOf(names[0] ?? "");
  const ports = new Map<string, number>();
  for (const name of names) ports.set(name, await freePort());
  const plane: ControlPlane = await startControlPlane({ assets });
  const connection = await findConnection({ clock, path: plane.kubeconfig, env: {} });
  const client: Client = createClient({ transport: httpTransport(connection), clock, random });
  const running = new Map<string, ChildProcess>();
  let log = "";

  const run = (which: string, args: readonly string[]) => {
    const env = {
      ...process.env,
      VIRTRIGAUD_PROVIDER_INSECURE: "true",
      VIRTRIGAUD_MIGRATION_JOB_IMAGE: tools.image,
      LOG_FORMAT: "json",
      // They start often: this halves what a start costs.
      NODE_COMPILE_CACHE: join(tmpdir(), "telltale-real-stage"),
    };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (log += `${which}: ${part}`));
    running.set(which, child);
  };
  const kill = async (which: string) => {
    const child = running.get(which);
    if (child === undefined) return;
    const gone = isOver(child) ? undefined : once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    running.delete(which);
  };

  const it = {
    client,
    /** A way of its own to the server. */
    transport: () => httpTransport(connection),
    kitOf,
    /** Where the providers find claims: a folder for each. */
    storage,

    start(fate?: Fate): void {
      for (const name of names) it.startProvider(name);
      const program = isComplete ? completeProgram : operatorProgram;
      run("operator", [program, plane.kubeconfig, ...(fate === undefined ? [] : [fate.when, fate.request])]);
    },

    startProvider(name: string): void {
      const flags = {
        "state-dir": kitOf(name).state,
        "image-dirs": images,
        "storage-dir": storage,
        "min-free": "1Mi",
        listen: "127.0.0.1",
        port: String(ports.get(name)),
        "health-port": "0",
      };
      run(name, [providerProgram, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)]);
    },

    /** By kill -9. Its machines run on. */
    killProvider: kill,

    async kill(): Promise<void> {
      await Promise.all([...running.keys()].map(kill));
    },

    async killAndStart(): Promise<void> {
      await it.kill();
      it.start();
    },

    /** All begin anew, and end: the operator at that request, and the providers with it. */
    async crash(fate: Fate, meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
      await it.kill();
      it.start(fate);
      await meanwhile();
      const operator = running.get("operator");
      await it.until(`the operator dies ${fate.when} ${fate.request}`, async () => isOver(operator));
      await it.kill();
    },

    async until(what: string, holds: () => Promise<boolean>, limit = 90_000): Promise<void> {
      const end = clock.uptime() + limit;
      while (!(await holds().catch(() => false))) {
        if (clock.uptime() > end) throw new Error(`it did not come to this: ${what}\n${log.slice(-6_000)}`);
        await sleep(clock, 100);
      }
    },

    async get<T extends KubeObject>(kind: KindRef<T>, name: string): Promise<T | undefined> {
      try {
        return await client.get(kind, name, { namespace });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    create: <T extends KubeObject & { readonly spec: object }>(
      kind: KindRef<T>,
      name: string,
      spec: T["spec"],
      more = {},
    ) =>
      // Every kind has these members, and this spec is one of its own.
      client.create(kind, {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { ...more, name, namespace },
        spec,
      } as never),

    patch: <T extends KubeObject>(kind: KindRef<T>, name: string, merge: object) =>
      client.patch(kind, { namespace, name }, { merge }),

    remove: <T extends KubeObject>(kind: KindRef<T>, name: string) =>
      client.delete(kind, { namespace, name }, { propagation: "Background" }),

    /** A machine, and what it says of itself. */
    machine: (name: string) => it.get(VirtualMachine, name),
    idOf: async (name: string): Promise<string> => (await it.machine(name))?.status?.id ?? "",
    status: async (name: string) => (await it.machine(name))?.status,
    isReady: async (name: string): Promise<boolean> => {
      const found = await it.machine(name);
      return (
        isTrue(found?.status?.conditions, "Ready") && found?.status?.observedGeneration === found?.metadata.generation
      );
    },
    /** It stands as its spec says, in this phase. */
    comesTo: (name: string, phase: string) =>
      it.until(
        `VirtualMachine ${name} is Ready and ${phase}`,
        async () => (await it.isReady(name)) && (await it.status(name))?.phase === phase,
      ),
    boots: async (name: string, on: string): Promise<void> => {
      const { id = "" } = (await it.status(name)) ?? {};
      await it.until(`the guest of ${name} boots`, async () => kitOf(on).serial(id).startsWith("B"));
    },
    /** What a provider has. */
    machines: (on: string): readonly string[] => readdirSync(join(kitOf(on).state, "vms")),

    /** The file that takes a machine's writes. */
    diskOf(on: string, id: string): string {
      const folder = join(kitOf(on).state, "vms", id);
      const { root } = JSON.parse(readFileSync(join(folder, "vm.json"), "utf8"));
      return join(folder, "disks", root.layer === 0 ? "root.qcow2" : `base/${root.layer}-root.qcow2`);
    },
    snapshotsOf(on: string, id: string): readonly unknown[] {
      const file = join(kitOf(on).state, "vms", id, "snapshots.json");
      return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
    },

    async end(): Promise<void> {
      await it.kill();
      for (const kit of kits.values()) await kit.close();
      await client.close();
      await plane.stop();
    },
  };

  for (const crd of virtrigaudCrds()) await client.create(CustomResourceDefinition, crd);
  await it.until(
    "the kinds are served",
    async () => (await client.list(VirtualMachine, { namespace })).items.length === 0,
  );
  for (const [name, port] of ports) {
    const spec = { ...providerSpec, endpoint: `tcp://127.0.0.1:${port}` };
    const elsewhere = { annotations: { [annotations.runtimeEndpoint]: `provider.example:${port}` } };
    const healthCheck = { interval: "1s", timeout: "1s", failureThreshold: 1 };
    if (isComplete) await it.create(Provider, name, { ...spec, healthCheck }, elsewhere);
    else await it.create(Provider, name, spec);
  }
  await it.create(VMClass, "small", { cpu: 1, memory: "128Mi" });
  await it.create(VMImage, "boot", { source: { libvirt: { path: join(images, "boot.raw"), format: "raw" } } });
  return it;
}

const isOver = (child: ChildProcess | undefined): boolean =>
  child === undefined || child.exitCode !== null || child.signalCode !== null;

export const isTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditions?.find((it) => it.type === type)?.status === "True";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  return port;
}
