// A VirtualMachine on a real kube-apiserver and a real QEMU: made, booted, stopped politely, resized and deleted, while the operator and
// the provider are ended by kill -9 at each step.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Client, createClient, findConnection, httpTransport, isNotFound } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { Provider, VirtualMachine, VMClass, VMImage, virtrigaudCrds } from "../src/kinds/index.ts";
import { Kit } from "./qemu/kit.ts";
import { providerSpec } from "./stage.ts";

const assets = assetsFor("virtual machines on a real server");
const qemu = qemuFor("virtual machines on a real server");
const namespace = "default";
const operator = new URL("./run-operator.ts", import.meta.url).pathname;
const provider = new URL("../src/qemu/main.ts", import.meta.url).pathname;

describe.skipIf(assets === undefined || qemu === undefined)("a VirtualMachine", () => {
  let kit: Kit;
  let plane: ControlPlane;
  let client: Client;
  let port: number;
  let log = "";
  const running = new Map<"operator" | "provider", ChildProcess>();

  beforeAll(async () => {
    kit = new Kit();
    plane = await startControlPlane({ assets: assets ?? "" });
    client = createClient({
      transport: httpTransport(await findConnection({ clock, path: plane.kubeconfig, env: {} })),
      clock,
      random,
    });
    for (const crd of virtrigaudCrds()) await client.create(CustomResourceDefinition, crd);
    await until(
      "the kinds are served",
      async () => (await client.list(VirtualMachine, { namespace })).items.length === 0,
    );
    port = await freePort();
  });
  afterAll(async () => {
    for (const which of ["operator", "provider"] as const) await kill(which);
    await kit?.open();
    await kit?.close();
    await client?.close();
    await plane?.stop();
  });

  function start(which: "operator" | "provider"): void {
    const args =
      which === "operator"
        ? [operator, plane.kubeconfig, `127.0.0.1:${port}`]
        : [
            provider,
            `--state-dir=${kit.state}`,
            `--image-dirs=${kit.images}`,
            "--min-free=1Mi",
            "--listen=127.0.0.1",
            `--port=${port}`,
            "--health-port=0",
          ];
    const env = { ...process.env, VIRTRIGAUD_PROVIDER_INSECURE: "true", LOG_FORMAT: "json" };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part) => (log += `${which}: ${part}`));
    running.set(which, child);
  }
  async function kill(which: "operator" | "provider"): Promise<void> {
    const child = running.get(which);
    if (child === undefined) return;
    const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill("SIGKILL");
    await gone;
    running.delete(which);
  }
  async function killAndStart(): Promise<void> {
    for (const which of ["operator", "provider"] as const) await kill(which);
    for (const which of ["provider", "operator"] as const) start(which);
  }
  async function until(what: string, holds: () => Promise<boolean>, limit = 90_000): Promise<void> {
    const end = clock.uptime() + limit;
    while (!(await holds().catch(() => false))) {
      if (clock.uptime() > end) throw new Error(`it did not come to this: ${what}\n${log.slice(-6_000)}`);
      await sleep(clock, 50);
    }
  }
  const vm = async (): Promise<VirtualMachine | undefined> => {
    try {
      return await client.get(VirtualMachine, "web", { namespace });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const status = async () => (await vm())?.status;
  const isReady = async () => {
    const found = await vm();
    const ready = found?.status?.conditions?.find(({ type }) => type === "Ready");
    return ready?.status === "True" && found?.status?.observedGeneration === found?.metadata.generation;
  };
  const machines = (): readonly string[] => readdirSync(join(kit.state, "vms"));
  const patch = (spec: object) => client.patch(VirtualMachine, { namespace, name: "web" }, { merge: { spec } });
  const make = <T>(kind: { readonly apiVersion: string; readonly kind: string }, name: string, spec: T) => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace },
    spec,
  });

  it("is made once, boots, stops, grows and goes, whoever is killed meanwhile", async () => {
    for (const which of ["provider", "operator"] as const) start(which);
    await client.create(Provider, make(Provider, "box", providerSpec));
    await client.create(VMClass, make(VMClass, "small", { cpu: 1, memory: "128Mi", diskDefaults: { size: "1Gi" } }));
    const source = { libvirt: { path: join(kit.images, "boot.raw"), format: "raw" as const } };
    await client.create(VMImage, make(VMImage, "boot", { source }));
    const refs = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "boot" } };
    await client.create(VirtualMachine, make(VirtualMachine, "web", { ...refs, powerState: "On" as const }));

    const record = "virtrigaud.io/pending-op";
    await until("it is asked for", async () => (await vm())?.metadata.annotations?.[record] !== undefined);
    await killAndStart();
    await until("it has an id", async () => (await status())?.id !== undefined);
    await killAndStart();
    await until("it is Ready and Running", async () => (await isReady()) && (await status())?.phase === "Running");
    const { id = "" } = (await status()) ?? {};
    await until("its guest boots", async () => kit.serial(id).startsWith("B"));
    expect(machines()).toEqual([id]);
    expect(await status()).toMatchObject({ powerState: "On", currentResources: { cpu: 1, memoryMiB: 128 } });

    await patch({ powerState: "OffGraceful" });
    await until("it is asked to stop", async () => (await status())?.message === "Graceful shutdown requested");
    await killAndStart();
    await until("it has stopped", async () => (await isReady()) && (await status())?.phase === "Stopped");
    expect(await kit.processes(id)).toBe(0);

    await patch({ resources: { cpu: 2 } });
    await until("it has two CPUs", async () => (await isReady()) && (await status())?.currentResources?.cpu === 2);
    await patch({ powerState: "On" });
    await until("it runs again", async () => (await isReady()) && (await status())?.phase === "Running");
    expect((await status())?.provider).toMatchObject({ cpu: "2" });
    await killAndStart();
    expect(await kit.processes(id)).toBe(1);

    await client.delete(VirtualMachine, { namespace, name: "web" }, { propagation: "Background" });
    await until("it is on its way out", async () => [undefined, "Deleting"].includes((await status())?.phase));
    await killAndStart();
    await until("it is gone", async () => (await vm()) === undefined);
    expect(machines()).toEqual([]);
    expect(await kit.processes(id)).toBe(0);
    expect(existsSync(join(kit.state, "vms", id))).toBe(false);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  return port;
}
