import { expect, test } from "vitest";
import { Provider } from "../kinds/index.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { buildDeployment, buildService, hashOf } from "./deployment.ts";
import { endpointOf, runtimeName } from "./runtime-names.ts";
import { versionOf } from "./version.ts";

type Spec = Provider["spec"];

const provider = (spec: Partial<Spec> = {}, runtime: Partial<Spec["runtime"]> = {}, name = "box"): Provider => ({
  apiVersion: Provider.apiVersion,
  kind: Provider.kind,
  metadata: { name, namespace: "demo" },
  spec: {
    type: "qemu",
    endpoint: "tcp://127.0.0.1:9443",
    credentialSecretRef: { name: "box-creds" },
    ...spec,
    runtime: { image: "example/p:1.2", service: { tls: { enabled: false } }, ...runtime },
  },
});

const podOf = (it: Provider, claims: readonly string[] = []) => buildDeployment(it, claims).spec?.template.spec;
const containerOf = (it: Provider) => podOf(it)?.containers[0];
const envOf = (it: Provider) =>
  Object.fromEntries((containerOf(it)?.env ?? []).map(({ name, value }) => [name, value]));

test("the pod of a provider as it is without a word in the spec", () => {
  const pod = podOf(provider());
  expect(pod).toMatchObject({ automountServiceAccountToken: false, terminationGracePeriodSeconds: 30 });
  expect(pod?.containers[0]).toMatchObject({
    name: "provider",
    args: ["--port=9443", "--health-port=8080"],
    imagePullPolicy: "IfNotPresent",
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "512Mi" } },
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    },
    livenessProbe: { httpGet: { path: "/healthz", port: 8080 }, initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { httpGet: { path: "/readyz", port: 8080 }, initialDelaySeconds: 5, periodSeconds: 10 },
    lifecycle: { preStop: { sleep: { seconds: 15 } } },
    volumeMounts: [
      { name: "credentials", mountPath: "/etc/virtrigaud/credentials", readOnly: true },
      { name: "tmp", mountPath: "/tmp" },
    ],
  });
  expect(buildDeployment(provider(), []).spec?.replicas).toBe(1);
});

test("what the spec says is honoured: probes, secrets for images, places, resources", () => {
  const said: Partial<Spec["runtime"]> = {
    replicas: 3,
    imagePullPolicy: "Always",
    imagePullSecrets: [{ name: "pull" }],
    livenessProbe: { tcpSocket: { port: 1 } },
    readinessProbe: { tcpSocket: { port: 2 } },
    resources: { limits: { memory: "1Gi" } },
    securityContext: { runAsUser: 7 },
    nodeSelector: { a: "b" },
    tolerations: [{ key: "k", operator: "Exists" }],
    affinity: { nodeAffinity: {} },
    service: { port: 7443, tls: { enabled: false } },
  };
  const it = provider({}, said);
  expect(podOf(it)).toMatchObject({
    imagePullSecrets: said.imagePullSecrets,
    nodeSelector: said.nodeSelector,
    tolerations: said.tolerations,
    affinity: said.affinity,
  });
  expect(containerOf(it)).toMatchObject({
    args: ["--port=7443", "--health-port=8080"],
    imagePullPolicy: "Always",
    livenessProbe: said.livenessProbe,
    readinessProbe: said.readinessProbe,
    resources: said.resources,
    securityContext: { runAsUser: 7 },
  });
  expect(buildService(it).spec?.ports?.map(({ name, port }) => `${name} ${port}`)).toEqual([
    "grpc 7443",
    "metrics 8080",
  ]);
  expect(endpointOf(it)).toBe("virtrigaud-provider-demo-box.demo.svc.cluster.local:7443");
});

test("the environment has everything that a provider reads, and what the spec adds counts last", () => {
  const defaults = { datastore: "ds", storagePod: "sp", cluster: "c", folder: "f", resourcePool: "rp", network: "n" };
  const env = [
    { name: "LOG_LEVEL", value: "trace" },
    { name: "MINE", value: "1" },
    { name: "MINE", value: "2" },
  ];
  const it = provider({ defaults, insecureSkipVerify: true }, { env, logFormat: "json" });
  expect(envOf(it)).toEqual({
    PROVIDER_TYPE: "qemu",
    PROVIDER_ENDPOINT: "tcp://127.0.0.1:9443",
    PROVIDER_NAMESPACE: undefined,
    PROVIDER_NAME: undefined,
    TLS_ENABLED: "false",
    TLS_INSECURE_SKIP_VERIFY: "true",
    LOG_LEVEL: "trace",
    LOG_FORMAT: "json",
    PROVIDER_DEFAULT_DATASTORE: "ds",
    PROVIDER_DEFAULT_STORAGE_POD: "sp",
    PROVIDER_DEFAULT_CLUSTER: "c",
    PROVIDER_DEFAULT_FOLDER: "f",
    PROVIDER_DEFAULT_RESOURCE_POOL: "rp",
    PROVIDER_DEFAULT_NETWORK: "n",
    VIRTRIGAUD_PROVIDER_INSECURE: "true",
    MINE: "2",
  });
  const names = (containerOf(it)?.env ?? []).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length); // a server refuses an apply with one twice
  const from = (containerOf(it)?.env ?? []).flatMap(({ valueFrom }) => valueFrom?.fieldRef?.fieldPath ?? []);
  expect(from).toEqual(["metadata.namespace", "metadata.labels['app.kubernetes.io/instance']"]);
});

test("keys of libvirt live in memory, and certificates are mounted where TLS is on", () => {
  const tls = { service: { tls: { secretRef: { name: "t" } } } };
  const volumes = podOf(provider({ type: "libvirt" }, tls))?.volumes ?? [];
  expect(volumes).toContainEqual({ name: "libvirt-keys", emptyDir: { medium: "Memory", sizeLimit: "4Mi" } });
  expect(volumes).toContainEqual({ name: "tls", secret: { secretName: "t" } });
  expect(envOf(provider({}, tls))).toMatchObject({ TLS_ENABLED: "true" });
});

test("long names are shortened with a hash, within what a Service may have", () => {
  const it = provider({}, {}, "x".repeat(60));
  expect(runtimeName(it)).toMatch(/^virtrigaud-provider-demo-x{25}-[0-9a-f]{10}$/);
  const { labels = {} } = buildService(it).metadata ?? {};
  for (const value of Object.values(labels)) expect(value.length).toBeLessThanOrEqual(63);
  expect(labels).toMatchObject({
    "app.kubernetes.io/name": "virtrigaud-provider",
    "app.kubernetes.io/component": "provider",
    "app.kubernetes.io/managed-by": "virtrigaud",
    "virtrigaud.io/provider-type": "qemu",
  });
});

test("the hash of the template is another one with another pod, and only then", () => {
  const one = hashOf(buildDeployment(provider(), []));
  expect(hashOf(buildDeployment(provider({}, { replicas: 5 }), []))).toBe(one);
  expect(hashOf(buildDeployment(provider(), ["claim"]))).not.toBe(one);
  expect(hashOf(buildDeployment(provider({}, { logLevel: "debug" }), []))).not.toBe(one);
});

test("a version is the tag, else the beginning of the digest, else unknown", () => {
  const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
  expect(versionOf("registry:5000/team/p:1.2.3")).toBe("1.2.3");
  expect(versionOf(`p:1.2@${digest}`)).toBe("1.2");
  expect(versionOf(`registry:5000/p@${digest}`)).toBe("0123456789ab");
  expect(versionOf("registry:5000/team/p")).toBe("unknown");
  expect(versionOf(undefined)).toBe("unknown");
});

test("every capability that somebody reports, and none that nobody does", () => {
  const all = {
    supportsSnapshots: true,
    supportsLinkedClones: true,
    supportsDiskExpansionOnline: true,
    supportedNetworkTypes: ["nat"],
    supportsImageImport: true,
    supportsDiskExport: true,
  };
  expect(capabilitiesOf({ reported: all, isWell: true, hasConsole: true })).toEqual([
    "VirtualMachines",
    "Snapshots",
    "Cloning",
    "ConsoleAccess",
    "DiskManagement",
    "NetworkManagement",
    "Backup",
    "Templates",
  ]);
  expect(capabilitiesOf({ reported: undefined, isWell: false, hasConsole: false })).toEqual([]);
  expect(capabilitiesOf({ reported: {}, isWell: false, hasConsole: false })).toEqual([]);
});
