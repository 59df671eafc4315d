// A cluster from nothing to Provisioned and back, with everything real: kube-apiserver, its garbage collector and its roles,
// Terraform, and an operator that is killed again and again.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, createClient, findConnection, httpTransport, isNotFound } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import type { KindRef, KubeObject } from "@telltale/kinds";
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  Namespace,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from "@telltale/kinds/builtin";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { standardConfig } from "../src/config.ts";
import {
  CAPTCluster,
  CAPTControlPlane,
  ClusterV1beta1,
  Workspace,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import { roles } from "../src/manifests/index.ts";
import { definitions } from "./definitions.ts";
import { realPrograms } from "./real-stage.ts";
import { folder as samples } from "./samples.ts";

const assets = assetsFor("a cluster of operators/capt", process.env, ["kube-controller-manager"]);
const [program] = realPrograms(undefined);
const own = "capt-system";
const namespace = "default";
const operator = fileURLToPath(new URL("./run-operator.ts", import.meta.url));

describe.skipIf(assets === undefined || program === undefined)("a real cluster", () => {
  let plane: ControlPlane;
  let client: Client;
  let folder: string;
  let root: string;
  let kubeconfig: string;
  let running: ChildProcess | undefined;
  let log = "";

  beforeAll(async () => {
    plane = await startControlPlane({
      assets: assets ?? "",
      controllerManager: ["--controllers=garbage-collector-controller"],
    });
    const transport = httpTransport(await findConnection({ clock, path: plane.kubeconfig, env: {} }));
    client = createClient({ transport, clock, random, fieldManager: "person" });
    await client.create(Namespace, { metadata: { name: own } });
    for (const crd of definitions()) await client.create(CustomResourceDefinition, crd);
    const kinds = { ServiceAccount, ClusterRole, ClusterRoleBinding, Role, RoleBinding };
    for (const manifest of roles({ config: standardConfig, namespace: own }))
      await client.create<KubeObject>(kinds[manifest.kind ?? "Role"], manifest);
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const account = { name: "capt", namespace: own };
    const made = await client.subresource(ServiceAccount, account, "token", { method: "POST", body });
    const { token } = (made as { status: { token: string } }).status;
    folder = mkdtempSync(join(tmpdir(), "telltale-capt-cluster-"));
    kubeconfig = join(folder, "kubeconfig");
    const cluster = { server: plane.url, "certificate-authority-data": Buffer.from(plane.ca).toString("base64") };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { token } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
  });
  afterAll(async () => {
    await client?.close();
    await plane?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    log = "";
    root = join(folder, "runs");
    mkdirSync(root, { recursive: true });
    start();
  });
  afterEach(async () => {
    await kill();
    for (const pid of runs()) process.kill(pid, "SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });

  function start(): void {
    const unheard = ["--metrics-bind-address=0", "--health-probe-bind-address=0"];
    const flags = [
      `--runner-root=${root}`,
      `--workspace-runner=${program?.name}`,
      "--cluster-api-mode=auto",
      ...unheard,
    ];
    running = spawn(process.execPath, [operator, kubeconfig, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [running.stdout, running.stderr]) stream?.on("data", (part) => (log += String(part)));
  }
  async function kill(): Promise<void> {
    if (running === undefined) return;
    const gone = running.exitCode === null && running.signalCode === null ? once(running, "exit") : undefined;
    running.kill("SIGKILL");
    await gone;
    running = undefined;
  }
  /** Processes of runs, by their home. */
  const runs = (): readonly number[] =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 1 && `\0${environment(pid)}`.includes(`\0HOME=${root}/`));

  const get = async <T extends KubeObject>(kind: KindRef<T>, name: string): Promise<T | undefined> => {
    try {
      return await client.get(kind, name, kind.scope === "Cluster" ? {} : { namespace });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const workspaceOf = async (apply: string) =>
    (await client.list(Workspace)).items.find(({ metadata }) => metadata.name?.startsWith(`${apply}-`));
  const isThere = async (found: Promise<unknown>): Promise<boolean> => (await found) !== undefined;
  const until = async (what: string, holds: () => Promise<boolean> | boolean, limit = 60_000): Promise<void> => {
    const end = clock.uptime() + limit;
    while (!(await holds())) {
      if (clock.uptime() > end) throw new Error(`it did not come to this: ${what}\n${log.slice(-20_000)}`);
      await sleep(clock, 10);
    }
  };
  const kubectl = (...args: string[]) =>
    spawnSync(join(assets ?? "", "kubectl"), ["--kubeconfig", plane.kubeconfig, ...args], { encoding: "utf8" });
  const isProvisioned = async () => (await get(ClusterV1beta1, "demo"))?.status?.phase === "Provisioned";

  /** One after the other, as a cluster comes to be. */
  const ways: readonly (readonly [string, () => Promise<boolean> | boolean])[] = [
    [
      "the network has its finalizer",
      async () => ((await get(CAPTCluster, "demo-net"))?.metadata.finalizers ?? []).length > 0,
    ],
    ["the network is applied", () => isThere(get(WorkspaceTemplateApply, "demo-net-vpc"))],
    ["the network has a Workspace", () => isThere(workspaceOf("demo-net-vpc"))],
    [
      "the network is run",
      async () => runs().length > 0 || (await get(CAPTCluster, "demo-net"))?.status?.ready === true,
    ],
    ["the network is ready", async () => (await get(CAPTCluster, "demo-net"))?.status?.ready === true],
    ["the control plane has a Workspace", () => isThere(workspaceOf("demo-cp-eks-controlplane"))],
    [
      "the control plane is run",
      async () => runs().length > 0 || (await get(CAPTControlPlane, "demo-cp"))?.status?.ready === true,
    ],
    ["there is a kubeconfig", () => isThere(get(Secret, "demo-kubeconfig"))],
    ["the control plane is ready", async () => (await get(CAPTControlPlane, "demo-cp"))?.status?.ready === true],
  ];

  async function everythingIsGone(): Promise<void> {
    const kinds: readonly KindRef[] = [
      ClusterV1beta1,
      CAPTCluster,
      CAPTControlPlane,
      WorkspaceTemplateApply,
      Workspace,
    ];
    await until("nothing is left", async () => {
      for (const kind of kinds) if ((await client.list(kind)).items.length > 0) return false;
      return (await client.list(Secret)).items.length === 0;
    });
    expect(runs()).toEqual([]);
    await until("no directory is left", () => readdirSync(root).length === 0, 5_000);
  }

  /** The control plane's Workspace goes first: destroying it needs what the network's has written. */
  async function deleted(): Promise<void> {
    await client.delete(ClusterV1beta1, { name: "demo", namespace }, { propagation: "Background" });
    await until("the control plane is gone", async () => {
      const isNetwork = await isThere(workspaceOf("demo-net-vpc"));
      const isPlane = await isThere(workspaceOf("demo-cp-eks-controlplane"));
      if (isPlane) expect(isNetwork, "the network stays for the control plane").toBe(true);
      return !isPlane;
    });
  }

  test("goes to Provisioned through real runs, and is deleted with destroy in the right order", async () => {
    expect(kubectl("apply", "-f", join(fileURLToPath(samples), "minimal.yaml"))).toMatchObject({
      status: 0,
      stderr: "",
    });
    await until("the cluster is provisioned", isProvisioned);
    const cluster = await get(ClusterV1beta1, "demo");
    expect(cluster?.spec.controlPlaneEndpoint).toEqual({ host: "10.0.0.1", port: 6443 });
    expect(cluster?.status).toMatchObject({ infrastructureReady: true, controlPlaneReady: true });
    const [head, row] = kubectl("get", "captcontrolplane").stdout.split("\n");
    expect(head?.split(/\s+/)).toEqual(["NAME", "READY", "PHASE", "VERSION", "ENDPOINT", "AGE", "SIMULATED"]);
    expect(row?.split(/\s+/).slice(0, 5)).toEqual(["demo-cp", "true", "Ready", "1.31", "10.0.0.1:6443"]);
    expect(await get(Secret, "demo-kubeconfig")).toMatchObject({ type: "cluster.x-k8s.io/secret" });
    const ids = await workspaceOf("demo-net-vpc");
    expect((await get(CAPTCluster, "demo-net"))?.status?.vpcId).toBe(ids?.status?.atProvider?.outputs?.["vpc_id"]);
    await deleted();
    kubectl("delete", "workspacetemplates", "--all");
    await everythingIsGone();
    expect(log).not.toContain(`"level":"error"`);
  });

  test("AS-42 survives an operator and runs that are killed at every step, up and down", async () => {
    expect(kubectl("apply", "-f", join(fileURLToPath(samples), "minimal.yaml"))).toMatchObject({
      status: 0,
      stderr: "",
    });
    const ids = new Map<string, string>();
    for (const [what, holds] of ways) {
      // A run that was killed several times is tried again later and later: after four, in up to 48 s.
      await until(what, holds, 150_000);
      await kill();
      for (const pid of runs()) process.kill(pid, "SIGKILL");
      for (const { metadata } of (await client.list(Workspace)).items) {
        const base = metadata.name?.slice(0, -9) ?? "";
        // A Workspace that is made twice would have another uid.
        expect(ids.get(base) ?? metadata.uid).toBe(metadata.uid);
        ids.set(base, metadata.uid ?? "");
      }
      start();
    }
    await until("the cluster is provisioned", isProvisioned);
    expect([...ids.keys()].sort()).toEqual(["demo-cp-eks-controlplane", "demo-net-vpc"]);
    const vpcId = (await get(CAPTCluster, "demo-net"))?.status?.vpcId;

    await client.delete(ClusterV1beta1, { name: "demo", namespace }, { propagation: "Background" });
    for (const [what, apply] of [
      ["the control plane goes", "demo-cp-eks-controlplane"],
      ["the network goes", "demo-net-vpc"],
    ] as const) {
      await until(what, async () => {
        const found = await workspaceOf(apply);
        return found === undefined || found.metadata.deletionTimestamp !== undefined;
      });
      await kill();
      for (const pid of runs()) process.kill(pid, "SIGKILL");
      start();
    }
    kubectl("delete", "workspacetemplates", "--all");
    await everythingIsGone();
    expect(vpcId).toMatch(/^vpc-[0-9a-f]{17}$/);
  }, 400_000);
});

function environment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
