// The chart by Helm itself: what it renders, and its whole life on a real kube-apiserver, with every value on and off.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { Deployment, Secret } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { helmFor, serviceMonitorsBeside } from "../../../tools/helm/helm.ts";
import { skipOrFail } from "../../../tools/require.ts";
import { isOurs } from "../src/install/manifests.ts";
import { operators } from "../src/operators/table.ts";
import { readWorld } from "../src/world/read.ts";

const program = helmFor("the chart by Helm");
const assets = assetsFor("the chart on a real cluster");
const at = (path: string) => fileURLToPath(new URL(`../../../deploy/${path}`, import.meta.url));
const chart = at("helm/telltale");
const home = mkdtempSync(join(tmpdir(), "telltale-helm-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function helm(args: readonly string[], kubeconfig = "/nowhere/kubeconfig") {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, KUBECONFIG: kubeconfig };
  const all = { env, encoding: "utf8", maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr } = spawnSync(join(program ?? "", "helm"), args, all);
  return { status, stdout, stderr };
}

const objectsIn = (text: string) =>
  parseAllDocuments(text).flatMap((document) => (document.toJS() as KubeObject | null) ?? []);
const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata?.namespace ?? ""}/${metadata?.name}`;
const namesOf = (objects: readonly KubeObject[]) => objects.map(nameOf).sort();
const isKept = ({ kind }: KubeObject) => kind === "CustomResourceDefinition" || kind === "Namespace";

/** `{ "operators.bindy.enabled": false }` as Helm is told of it. */
type Values = Readonly<Record<string, string | number | boolean>>;
const told = (values: Values) => Object.entries(values).flatMap(([path, value]) => ["--set", `${path}=${value}`]);

function rendered(values: Values): string {
  const { status, stdout, stderr } = helm(["template", "telltale", chart, ...told(values)]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

/** What the objects are called: to read all of a definition takes long. */
const headsOf = (values: Values): readonly KubeObject[] =>
  objectsIn(
    rendered(values)
      .match(/^(---|apiVersion:.*|kind:.*|metadata:(\n .*)*)$/gm)
      ?.join("\n") ?? "",
  );

const alone = (name: string): Values =>
  Object.fromEntries(operators.map((it) => [`operators.${it.name}.enabled`, it.name === name]));

describe.skipIf(program === undefined)("Helm", () => {
  test("finds nothing wrong with the chart", () => {
    expect(helm(["lint", "--strict", chart])).toMatchObject({ status: 0, stderr: "" });
  });

  test("renders the plain manifests, and keeps what people have made", () => {
    const byName = (objects: readonly KubeObject[]) => new Map(objects.map((it) => [nameOf(it), it]));
    const plain = operators.flatMap(({ name }) => objectsIn(readFileSync(at(`manifests/${name}.yaml`), "utf8")));
    const expected = plain.map((object) => {
      if (!isKept(object)) return object;
      const annotations = { ...object.metadata?.annotations, "helm.sh/resource-policy": "keep" };
      return { ...object, metadata: { ...object.metadata, annotations } };
    });
    expect(byName(objectsIn(rendered({})))).toEqual(byName(expected));
  });

  test.each([
    ["replicas", "many", "replicas"],
    ["operators.bindi.enabled", "true", "bindi"],
    ["operators.locust.namespace", "Load_Tests", "Load_Tests"],
  ])("refuses --set %s=%s, and names it", (path, value, named) => {
    const { status, stderr } = helm(["template", "telltale", chart, ...told({ [path]: value })]);
    expect(status).toBe(1);
    expect(stderr).toContain(named);
  });
});

describe.skipIf(program === undefined || assets === undefined)("the chart on a real cluster", () => {
  let plane: ControlPlane;
  let client: Client;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    const connection = await findConnection({ clock, path: plane.kubeconfig, env: {} });
    client = createClient({ transport: httpTransport(connection), clock, random });
  });
  afterAll(async () => {
    await client?.close();
    await plane?.stop();
  });

  const ours = async () => namesOf((await readWorld(client)).objects.filter(isOurs));
  const asked = (verb: string, values: Values, ...more: readonly string[]) =>
    helm([verb, "telltale", chart, ...inside, ...more, ...told(values)], plane.kubeconfig);
  const inside = ["--namespace", "telltale"];
  const install = (values: Values) => asked("install", values, "--create-namespace");
  const releases = async () => (await client.list(Secret, { labelSelector: "owner=helm" })).items.length;
  const well = { status: 0, stderr: "" };
  const kubectl = (...args: readonly string[]) =>
    spawnSync(join(assets ?? "", "kubectl"), ["--kubeconfig", plane.kubeconfig, ...args], { encoding: "utf8" });

  const monitors =
    program === undefined
      ? undefined
      : (serviceMonitorsBeside(program) ??
        skipOrFail("the ServiceMonitors of the chart", "their definition", "unset TELLTALE_HELM"));

  /** Everything that the values can do, told otherwise than they are. */
  const all: Values = { image: "mine:1", replicas: 3, serviceMonitor: monitors !== undefined };
  const little: Values = {
    ...alone("capt"),
    networkPolicy: false,
    podDisruptionBudget: false,
    "operators.capt.foreignDefinitions": false,
  };

  test("needs the definition of what it is to make, and leaves nothing where that is missing", async () => {
    const { status, stderr } = install({ serviceMonitor: true });
    expect(status).toBe(1);
    expect(stderr).toContain('no matches for kind "ServiceMonitor"');
    expect([await ours(), await releases()]).toEqual([[], 0]);
  });

  test("is installed with all operators, upgraded to one, and taken away but for what people have made", async () => {
    if (monitors !== undefined) expect(kubectl("apply", "--server-side", "-f", monitors).status).toBe(0);
    expect(install(all)).toMatchObject(well);
    const everything = headsOf(all);
    expect(namesOf(everything).some((it) => it.startsWith("ServiceMonitor "))).toBe(monitors !== undefined);
    expect(await ours()).toEqual(namesOf(everything));
    for (const { name } of operators) {
      const { spec } = await client.get(Deployment, name, { namespace: `${name}-system` });
      expect(spec).toMatchObject({ replicas: 3, template: { spec: { containers: [{ image: "mine:1" }] } } });
    }

    expect(asked("upgrade", little)).toMatchObject(well);
    const kept = everything.filter(isKept);
    const left = headsOf(little);
    expect(left.some(({ kind }) => kind === "NetworkPolicy" || kind === "PodDisruptionBudget")).toBe(false);
    expect(await ours()).toEqual([...new Set(namesOf([...left, ...kept]))].sort());

    expect(helm(["uninstall", "telltale", ...inside], plane.kubeconfig).status).toBe(0);
    expect([await ours(), await releases()]).toEqual([namesOf(kept), 0]);
  });

  test("comes back to what it has kept, and elsewhere takes over what the plain manifests have brought", async () => {
    const locust = { ...alone("locust"), createNamespaces: false };
    expect(install(locust)).toMatchObject(well);
    expect(await ours()).toEqual(expect.arrayContaining(namesOf(headsOf(locust))));

    expect(kubectl("apply", "--server-side", "-f", at("manifests/bindy.yaml"), "--force-conflicts").status).toBe(0);
    const both = { ...locust, "operators.bindy.enabled": true };
    expect(asked("upgrade", both).stderr).toContain("invalid ownership metadata");
    expect(asked("upgrade", both, "--take-ownership")).toMatchObject(well);
    expect(helm(["uninstall", "telltale", ...inside], plane.kubeconfig).status).toBe(0);
    expect((await ours()).filter((it) => !/^(CustomResourceDefinition|Namespace) /.test(it))).toEqual([]);
  });
});
