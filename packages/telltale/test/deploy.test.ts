// What is in `deploy/`: it is what the code says, a server takes it, and the chart says the same as the plain manifests.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { Deployment, type NetworkPolicy } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { filesOf, generated, image } from "../../../tools/deploy/files.ts";
import { applyAll } from "../src/install/apply.ts";
import { chosen } from "../src/operators/table.ts";
import { accountOf } from "./life.ts";
import { podEnv, told } from "./told.ts";

const folder = fileURLToPath(new URL("../../../deploy/", import.meta.url));
const read = (path: string) => readFileSync(`${folder}${path}`, "utf8");
const objectsIn = (text: string) =>
  parseAllDocuments(text).flatMap((document) => (document.toJS() as KubeObject | null) ?? []);
const operators = await chosen(undefined);
const names = operators.map(({ name }) => name);

test("what is generated is up to date: npm run deploy:manifests", () => {
  const files = filesOf(operators);
  expect(globSync(["{manifests,helm/telltale/templates}/*", "clusterctl/*/*/*"], { cwd: folder }).sort()).toEqual(
    [...files.keys()].sort(),
  );
  for (const [path, text] of files) expect(read(path) === text, path).toBe(true);
});

test.for(names)("%s: the plain manifests are what telltale install applies", async (name) => {
  const { out, code } = await told(["install", name, "--image", image, "--dry-run"]);
  expect(code).toBe(0);
  expect(`${generated}${out}` === read(`manifests/${name}.yaml`)).toBe(true);
});

test("a server takes the plain manifests, and warns of nothing", async () => {
  const server = await startApiServer({});
  const warnings: string[] = [];
  const transport = inProcessTransport(server.client);
  const onWarning = (text: string) => warnings.push(text);
  const client = createClient({ transport, clock: systemClock, random: systemRandom, onWarning });
  for (const name of names) {
    await applyAll(objectsIn(read(`manifests/${name}.yaml`)), { client, clock: systemClock });
    const { spec } = await client.get(Deployment, name, { namespace: `${name}-system` });
    expect(spec?.replicas).toBe(2);
  }
  await server.stop();
  expect(warnings).toEqual([]);
});

const release = {
  "infrastructure-capt": "infrastructure-components",
  "control-plane-capt": "control-plane-components",
};

test("clusterctl: a server takes both providers of capt, and each runs its own part as its own account", async () => {
  const server = await startApiServer({});
  const folder = mkdtempSync(join(tmpdir(), "telltale-clusterctl-"));
  const warnings: string[] = [];
  const transport = inProcessTransport(server.client);
  const onWarning = (text: string) => warnings.push(text);
  const client = createClient({ transport, clock: systemClock, random: systemRandom, onWarning });
  // Cluster API and Crossplane's provider are there before.
  await applyAll(operators.find(({ name }) => name === "capt")?.foreign ?? [], { client, clock: systemClock });
  const pathOf = (provider: string) => `clusterctl/${provider}/v${image.split(":")[1]}`;
  const all = Object.entries(release).map(([provider, file]) => {
    return { provider, path: pathOf(provider), objects: objectsIn(read(`${pathOf(provider)}/${file}.yaml`)) };
  });
  // Each reads what the other brings.
  for (const { objects } of all) await applyAll(objects, { client, clock: systemClock });
  const parts: string[] = [];
  try {
    for (const { provider, path, objects } of all) {
      for (const { metadata } of objects) {
        expect(metadata?.labels).toMatchObject({ "cluster.x-k8s.io/provider": provider });
      }
      expect(parse(read(`${path}/metadata.yaml`))).toMatchObject({
        kind: "Metadata",
        releaseSeries: [{ contract: "v1beta2" }],
      });
      const { metadata, spec } = objects.find(({ kind }) => kind === "Deployment") as Deployment;
      const [manager] = spec?.template.spec?.containers ?? [];
      expect([manager?.name, manager?.image]).toEqual(["manager", image]);
      const { serviceAccountName = "" } = spec?.template.spec ?? {};
      const { namespace = "" } = metadata ?? {};
      const { text } = await client.request({
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccountName}/token`,
        body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
      });
      const { status } = JSON.parse(text) as { status: { token: string } };
      const kubeconfig = join(folder, provider);
      writeFileSync(kubeconfig, accountOf(server.kubeconfig(), status.token));
      // Not at the ports of a pod: this machine may use them.
      const args = (manager?.args ?? []).map((arg) => arg.replace(/-bind-address=:\d+$/, "-bind-address=0"));
      parts.push(args.find((arg) => arg.startsWith("--capt.enable-controller=")) ?? "");
      const argv = [...args, "--port", "0", "--kubeconfig", kubeconfig];
      const { out, err, code } = await told(argv, { ...podEnv, POD_NAMESPACE: namespace }, AbortSignal.abort());
      expect([code, err, out.split("\n").filter((line) => line.includes('"level":"error"'))]).toEqual([0, "", []]);
      expect(out).not.toContain("unknown whether another controller");
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  expect(warnings).toEqual([]);
  expect(parts).toEqual([
    "--capt.enable-controller=infrastructure,cluster-bridge,workspace-runner",
    "--capt.enable-controller=control-plane",
  ]);
});

test.for(names)("%s: its pods fit the restricted profile, and there is a budget and a policy for them", (name) => {
  const objects = objectsIn(read(`manifests/${name}.yaml`));
  const { spec } = objects.find(({ kind }) => kind === "Deployment") as Deployment;
  const labels = spec?.selector.matchLabels ?? {};
  expect(spec?.template.metadata?.labels).toMatchObject(labels);
  const pod = spec?.template.spec;
  expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  expect(pod).not.toHaveProperty("hostNetwork");
  for (const container of pod?.containers ?? []) {
    const { securityContext } = container;
    expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } });
    expect(container).toMatchObject({ readinessProbe: {}, livenessProbe: {} });
  }
  for (const volume of pod?.volumes ?? []) expect(["emptyDir", "projected"]).toContain(Object.keys(volume)[1]);
  const others = objects.filter(({ metadata }) => metadata?.name === name && metadata.namespace === `${name}-system`);
  expect(others).toContainEqual(
    expect.objectContaining({
      kind: "PodDisruptionBudget",
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    }),
  );
  expect(others).toContainEqual(
    expect.objectContaining({
      kind: "NetworkPolicy",
      spec: expect.objectContaining({ podSelector: { matchLabels: labels } }),
    }),
  );
});

test("bindy: its pods are those that its nameservers let in", () => {
  const objects = objectsIn(read("manifests/bindy.yaml"));
  const { spec } = objects.find(({ kind }) => kind === "Deployment") as Deployment;
  const policies = objects.filter(({ kind, metadata }) => kind === "NetworkPolicy" && metadata?.name === "bind9");
  const letIn = (policies as NetworkPolicy[]).map(
    (policy) => policy.spec?.ingress?.flatMap(({ from = [] }) => from)[0]?.podSelector?.matchLabels ?? {},
  );
  expect(letIn).toHaveLength(2);
  for (const labels of letIn) {
    expect(labels).not.toEqual({});
    expect(spec?.template.metadata?.labels).toMatchObject(labels);
  }
});

test("bindy: it runs as the user of its spec, with a token that Bindcar alone takes, where it looks for one", () => {
  const { spec } = objectsIn(read("manifests/bindy.yaml")).find(({ kind }) => kind === "Deployment") as Deployment;
  const [volume] = spec?.template.spec?.volumes ?? [];
  const [container] = spec?.template.spec?.containers ?? [];
  expect(spec?.template.spec).toMatchObject({ serviceAccountName: "bindy", securityContext: { runAsUser: 65_534 } });
  expect(volume?.projected?.sources).toMatchObject([{ serviceAccountToken: { audience: "bindcar", path: "token" } }]);
  expect(container?.volumeMounts).toMatchObject([{ name: volume?.name, mountPath: "/var/run/secrets/bindcar" }]);
  expect(container).toMatchObject({
    ports: [{ containerPort: 8080 }],
    securityContext: { readOnlyRootFilesystem: true },
  });
});

type Values = { readonly [key: string]: Values | string | number | boolean };
const standard = parse(read("helm/telltale/values.yaml")) as Values;
const chart = (name: string, values: Values): KubeObject[] =>
  objectsIn(rendered(read(`helm/telltale/templates/${name}.yaml`), values));

test.for(names)("%s: the chart brings the plain manifests, and keeps what people have made", (name) => {
  const plain = objectsIn(read(`manifests/${name}.yaml`)).map((object) => {
    if (object.kind !== "Namespace" && object.kind !== "CustomResourceDefinition") return object;
    const annotations = { ...object.metadata?.annotations, "helm.sh/resource-policy": "keep" };
    return { ...object, metadata: { ...object.metadata, annotations } };
  });
  expect(chart(name, standard)).toEqual(plain);
});

test.for(names)("%s: the values of the chart count", (name) => {
  const own = { enabled: true, namespace: "elsewhere", foreignDefinitions: false };
  const decided = { networkPolicy: false, podDisruptionBudget: false, createNamespaces: false };
  const values = { image: "mine:1", replicas: 3, serviceMonitor: true, ...decided };
  const objects = chart(name, { ...values, operators: { [name]: own } });
  const kinds = objects.map(({ kind }) => kind);
  for (const kind of ["Namespace", "NetworkPolicy", "PodDisruptionBudget"]) expect(kinds).not.toContain(kind);
  expect(kinds.slice(-2)).toEqual(["Service", "ServiceMonitor"]);
  expect(JSON.stringify(objects)).not.toContain(`${name}-system`);
  const foreign = operators.find((it) => it.name === name)?.foreign?.length ?? 0;
  const definitions = chart(name, standard).filter(({ kind }) => kind === "CustomResourceDefinition");
  expect(kinds.filter((kind) => kind === "CustomResourceDefinition")).toHaveLength(definitions.length - foreign);
  const deployment = objects.find(({ kind }) => kind === "Deployment") as Deployment;
  expect(deployment).toMatchObject({ metadata: { namespace: "elsewhere" }, spec: { replicas: 3 } });
  expect(deployment.spec?.template.spec?.containers[0]?.image).toBe("mine:1");
  expect(chart(name, { ...values, operators: { [name]: { ...own, enabled: false } } })).toEqual([]);
});

/** As Helm does it, as far as our templates go: `if` by the line, and values. Throws at anything else. */
function rendered(template: string, values: Values): string {
  const at = (path: string) =>
    path.split(".").reduce<Values | Values[string]>((from, key) => {
      const found = typeof from === "object" ? from[key] : undefined;
      if (found === undefined) throw new Error(`the values have no ${path}`);
      return found;
    }, values);
  const ifs: boolean[] = [];
  const lines: string[] = [];
  for (const line of template.split("\n")) {
    const path = /^\{\{- if \.Values\.([\w.]+) \}\}$/.exec(line)?.[1];
    if (path !== undefined) ifs.push(!ifs.includes(false) && at(path) === true);
    else if (line === "{{- end }}") ifs.pop();
    else if (!ifs.includes(false)) lines.push(line.replace(/\{\{ \.Values\.([\w.]+) \}\}/g, (_, it) => String(at(it))));
  }
  const text = lines.join("\n");
  if (text.includes("{{") || ifs.length > 0) throw new Error("the template does more than is known here");
  return text;
}
