// Installed, run and taken away on the embedded server: what the real suite does not show, or would be slow to.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { ApiError, createClient, inProcessTransport } from "@telltale/client";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { ClusterRole, CustomResourceDefinition, type Deployment, Namespace } from "@telltale/kinds/builtin";
import { LocustTest } from "@telltale/locust";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { applyAll } from "../src/install/apply.ts";
import { samplesOf } from "../src/operators/samples.ts";
import { chosen } from "../src/operators/table.ts";
import { accountOf } from "./life.ts";
import { podEnv, told } from "./told.ts";

const folder = mkdtempSync(join(tmpdir(), "telltale-install-"));
const kubeconfig = join(folder, "kubeconfig");
const asAccount = join(folder, "account");
const webhookPort = 20_000 + Math.floor(systemRandom.next() * 20_000);
let server: ApiServer;
const client = () =>
  createClient({ transport: inProcessTransport(server.client), clock: systemClock, random: systemRandom });

beforeAll(async () => {
  server = await startApiServer({
    // As a Service of the cluster would lead there.
    webhookResolver: ({ path }) => new URL(`https://127.0.0.1:${webhookPort}${path}`),
  });
  writeFileSync(kubeconfig, server.kubeconfig());
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
const at = ["--kubeconfig", kubeconfig];

test("manifests are YAML that a server takes, and every account has its role", async () => {
  for (const command of ["crds", "rbac"]) {
    const { out, code } = await told([command]);
    expect(code).toBe(0);
    const objects = parseAllDocuments(out).map((document) => document.toJS() as { kind: string });
    const kinds = new Set(objects.map(({ kind }) => kind));
    if (command === "crds") expect([...kinds]).toEqual(["CustomResourceDefinition"]);
    else expect([...kinds]).toEqual(expect.arrayContaining(["ServiceAccount", "ClusterRole", "Role"]));
  }
  const { out } = await told(["crds", "locust", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ kind: "List", items: [{ metadata: { name: "locusttests.locust.io" } }] });
});

test("an installed program is given the flags that its roles were made with", async () => {
  const { out, code } = await told(["install", "capt", "--image", "x:1", "--capt.namespace=team-a", "--dry-run"]);
  expect(code).toBe(0);
  const objects = parseAllDocuments(out).map((document) => document.toJS() as KubeObject);
  const inTeam = objects.filter(({ kind, metadata }) => kind === "Role" && metadata?.namespace === "team-a");
  expect(inTeam.length).toBeGreaterThan(0);
  const deployment = objects.find(({ kind }) => kind === "Deployment") as Deployment;
  expect(deployment.spec?.template.spec?.containers[0]?.args).toContain("--capt.namespace=team-a");
});

test("a program in the cluster answers where its probes ask: an address of its own is refused", async () => {
  const given = ["--image", "x:1", "--capt.health-probe-bind-address=:9999"];
  const { err, code } = await told(["install", "capt", ...given, "--dry-run"]);
  expect([code, err]).toEqual([2, expect.stringContaining("--capt.health-probe-bind-address")]);
});

test("every operator has settings, kinds and a place", async () => {
  for (const { name, flags, kinds, namespace } of await chosen(undefined)) {
    expect([name, flags.length > 0, kinds.length > 0, namespace]).toEqual([name, true, true, `${name}-system`]);
  }
});

test("no role of an operator asks for everything", async () => {
  for (const operator of await chosen(undefined)) {
    const roles = operator.roles({ namespace: operator.namespace, settings: {}, webhooks: false }) as ClusterRole[];
    for (const { rules = [], metadata } of roles) {
      for (const { verbs, resources = [] } of rules) {
        expect([metadata?.name, ...verbs, ...resources]).not.toContain("*");
      }
    }
  }
});

describe("locust", () => {
  test("is installed step by step, and once more changes nothing", async () => {
    const first = await told(["install", "locust", "--webhooks", ...at]);
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining("telltale run --operators locust") });
    const lines = first.out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^\[ ?1\/\d+\] Namespace locust-system$/);
    expect(lines.at(-1)).toMatch(new RegExp(`^\\[${lines.length}/${lines.length}\\] `));
    const version = async () =>
      (await client().get(CustomResourceDefinition, "locusttests.locust.io")).metadata?.resourceVersion;
    const before = await version();
    expect(await told(["install", "locust", "--webhooks", ...at])).toMatchObject({ code: 0 });
    expect(await version()).toBe(before);
  });

  test("hears of a right that is missing, in one line with the command that brings it", async () => {
    const token = await server.client({
      method: "POST",
      path: "/api/v1/namespaces/locust-system/serviceaccounts/locust/token",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
    });
    const { status } = JSON.parse(token.body) as { status: { token: string } };
    writeFileSync(asAccount, accountOf(readFileSync(kubeconfig, "utf8"), status.token));
    const role = await client().get(ClusterRole, "locust");
    const rules = role.rules?.filter(({ resources = [] }) => !resources.includes("pods"));
    await client().patch(ClusterRole, { name: "locust" }, { merge: { rules } });
    const { err, code } = await told(["run", "--operators", "locust", "--kubeconfig", asAccount], podEnv);
    expect(code).toBe(1);
    expect(err).toBe("telltale: locust may not get, list, watch pods; telltale rbac locust | kubectl apply -f -\n");
    await client().patch(ClusterRole, { name: "locust" }, { merge: { rules: role.rules } });
  });

  test("hears of a mode whose permissions are missing, with the settings in the command, and starts after that command", async () => {
    const argv = ["run", "--operators", "locust", "--locust.watch-namespaces", "team-a", "--port", "0"];
    const start = () => told([...argv, "--kubeconfig", asAccount], podEnv, AbortSignal.abort());
    await client().patch(ClusterRole, { name: "locust" }, { merge: { rules: [] } });
    const { err, code } = await start();
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^telltale: locust may not .+ in team-a; .+ \(and \d+ more\); /),
    ]);
    const [, command = ""] = /; telltale (.*) \| kubectl apply -f -\n$/.exec(err) ?? [];
    expect(command).toBe("rbac locust --locust.watch-namespaces=team-a");
    await client().create(Namespace, { metadata: { name: "team-a" } });
    const { out } = await told(command.split(" "));
    const roles = parseAllDocuments(out).map((document) => document.toJS() as KubeObject);
    await applyAll(roles, { client: client(), clock: systemClock });
    expect(await start()).toMatchObject({ err: "", code: 0 });
    expect(await told(["install", "locust", "--webhooks", ...at])).toMatchObject({ code: 0 });
  });

  test("needs the proxy to pods where it runs outside of the cluster, which no role has unless it is asked for", async () => {
    const start = () =>
      told(["run", "--operators", "locust", "--port", "0", "--kubeconfig", asAccount], {}, AbortSignal.abort());
    const { err, code } = await start();
    const command = "rbac locust --locust.telemetry-mode=api-proxy";
    expect([code, err]).toEqual([
      1,
      `telltale: locust may not get pods/proxy; telltale ${command} | kubectl apply -f -\n`,
    ]);
    const { out } = await told(command.split(" "));
    const roles = parseAllDocuments(out).map((document) => document.toJS() as KubeObject);
    await applyAll(roles, { client: client(), clock: systemClock });
    expect(await start()).toMatchObject({ err: "", code: 0 });
    expect(await told(["install", "locust", "--webhooks", ...at])).toMatchObject({ code: 0 });
    expect(JSON.stringify(await client().get(ClusterRole, "locust"))).not.toContain("pods/proxy");
  });

  test("hears of a port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const { err, code } = await told(["run", "--operators", "locust", "--port", String(port), ...at]);
    other.close();
    expect(err).toBe(`telltale: 127.0.0.1:${port} is taken; choose another with --port or --webhook-port\n`);
    expect(code).toBe(1);
  });

  test("serves webhooks with a certificate of its own: the old version is converted, and what cannot work is refused", async () => {
    const stop = new AbortController();
    const argv = ["run", "--operators", "locust", "--port", "0", "--webhooks", "--webhook-port", String(webhookPort)];
    const running = told([...argv, "--kubeconfig", asAccount], podEnv, stop.signal);
    const [locust] = await chosen("locust");
    const samples = (await samplesOf(locust as never)).filter(({ file }) => file === "v1.yaml");
    const objects = samples.map(({ object }) => object);
    for (let tries = 0; ; tries += 1) {
      const failed = await applyAll(objects, { client: client(), clock: systemClock }).catch((error: unknown) => error);
      if (failed === undefined) break;
      if (tries > 100) throw failed;
      await sleep(systemClock, 100);
    }
    const stored = await client().get(LocustTest, "first", { namespace: "default" });
    expect(stored).toMatchObject({ apiVersion: "locust.io/v2", spec: { worker: { replicas: 3 } } });
    const spec = { ...stored.spec, master: { command: "--worker" } };
    const bad = { ...stored, metadata: { name: "bad", namespace: "default" }, spec } as LocustTest;
    await expect(client().create(LocustTest, bad)).rejects.toBeInstanceOf(ApiError);
    stop.abort();
    const { out, code } = await running;
    expect(code).toBe(0);
    expect(out.split("\n").filter((line) => /"level":"error"/.test(line))).toEqual([]);
  });

  test("is not taken away with its definitions while there are objects", async () => {
    const { err, code } = await told(["uninstall", "locust", "--crds", ...at]);
    expect(code).toBe(1);
    expect(err).toMatch(/still locusttests, such as first; delete them .*kubectl delete locusttests\.locust\.io --all/);
    expect(await told(["uninstall", "locust", ...at])).toMatchObject({ code: 0 });
    await expect(client().get(CustomResourceDefinition, "locusttests.locust.io")).resolves.toBeDefined();
  });
});

test("definitions of others are brought where they are missing, and otherwise neither replaced nor taken away", async () => {
  const name = "clusters.cluster.x-k8s.io";
  const of = async () => (await client().get(CustomResourceDefinition, name)).metadata;
  expect(await told(["install", "capt", ...at])).toMatchObject({ code: 0 });
  const labels = { "app.kubernetes.io/part-of": null, "cluster.x-k8s.io/provider": "cluster-api" };
  await client().patch(CustomResourceDefinition, { name }, { merge: { metadata: { labels } } });
  const before = (await of())?.resourceVersion;
  const again = await told(["install", "capt", ...at]);
  expect(again.err).toContain(`CustomResourceDefinition ${name} is there already: left alone`);
  expect((await of())?.resourceVersion).toBe(before);
  expect(await told(["uninstall", "capt", "--crds", ...at])).toMatchObject({ code: 0 });
  expect((await of())?.resourceVersion).toBe(before);
  await expect(client().get(CustomResourceDefinition, "workspaces.tf.upbound.io")).rejects.toThrow();
});

test("a namespace that was there before stays there", async () => {
  await client().create(Namespace, { metadata: { name: "theirs" } });
  expect(await told(["install", "capt", "--namespace", "theirs", ...at])).toMatchObject({ code: 0 });
  const { out } = await told(["uninstall", "capt", "--crds", "--namespace", "theirs", ...at]);
  expect(out).not.toContain("Namespace");
  expect((await client().get(Namespace, "theirs")).metadata?.deletionTimestamp).toBeUndefined();
});
