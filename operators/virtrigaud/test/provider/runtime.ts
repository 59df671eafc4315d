// The process of a provider on a server in virtual time: its pods, its claims, its certificates, and where it runs elsewhere (3.2).
import type { Request } from "@telltale/client";
import { Deployment, Pod, Secret, Service } from "@telltale/kinds/builtin";
import { text } from "@telltale/status";
import { afterEach, expect, test } from "vitest";
import { Provider } from "../../src/kinds/index.ts";
import { namespace } from "../stage.ts";
import { type ProviderStage, providerStage, runtime } from "./stage.ts";

let it: ProviderStage | undefined;
afterEach(async () => {
  await it?.end();
  it = undefined;
});

const image = "example/qemu-provider:dev";
const encrypted = { runtime: { image, service: { tls: { enabled: true, secretRef: { name: "box-tls" } } } } };
const pem = { "tls.crt": "c", "tls.key": "k", "ca.crt": "a" };

const failing = (type: string, status: string, reason: string) => [
  { type, status, reason, message: "it gave up", lastTransitionTime: "2026-01-01T00:00:00Z" },
];

test("every row of the phases: down, stuck, invalid, and put right", async () => {
  it = await providerStage();
  await it.running();
  await it.pods(0);
  expect(await it.phase()).toBe("Starting");
  expect(await it.says()).toMatch(/^False DeploymentNotReady/);
  await it.pods(0, failing("Progressing", "False", "ProgressDeadlineExceeded"));
  expect(await it.phase()).toBe("Failed");
  expect(await it.says("RuntimeReady")).toBe(
    "False DeploymentError Deployment reports ProgressDeadlineExceeded: it gave up",
  );
  await it.pods(0, failing("ReplicaFailure", "True", "FailedCreate"));
  expect(await it.phase()).toBe("Failed");
  // Old pods that serve are a provider that runs, whatever becomes of new ones.
  await it.pods(1, failing("Progressing", "False", "ProgressDeadlineExceeded"));
  expect(await it.phase()).toBe("Running");
  expect(await it.says("RuntimeReady")).toMatch(/^True DeploymentReady .*new ones do not come up/);
  await it.pods(1);
  await it.remove(Secret, "box-creds");
  await it.pass(120_000);
  expect(await it.phase()).toBe("Failed");
  expect(await it.says("RuntimeReady")).toBe("False CredentialsNotFound credentials Secret box-creds not found");
  expect(await it.deployment()).toBeDefined();
  it.writes();
  await it.secret("box-creds");
  await it.pass(75_000);
  const bodies = it.writes().map(({ body }) => body);
  expect(
    bodies.some(
      (body) =>
        body.includes('"path":"/status/runtime/phase","value":"Pending"') ||
        body.includes('{"mode":"Remote","phase":"Pending"'),
    ),
  ).toBe(true);
  expect(await it.phase()).toBe("Running");
  expect(it.complaints).toEqual([]);
});

test("every field of the runtime and of the defaults reaches the pods", async () => {
  it = await providerStage();
  const pod: Partial<Provider["spec"]["runtime"]> = {
    imagePullSecrets: [{ name: "login" }],
    nodeSelector: { rack: "r1" },
    tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "Exists" }] }],
        },
      },
    },
  };
  const container = {
    resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } },
    securityContext: { runAsUser: 7, readOnlyRootFilesystem: false },
    livenessProbe: { httpGet: { path: "/alive", port: 1 }, periodSeconds: 7 },
    readinessProbe: { tcpSocket: { port: 2 }, failureThreshold: 9 },
  };
  const env = [
    { name: "PROXY", value: "http://proxy.example" },
    { name: "TOKEN", valueFrom: { secretKeyRef: { name: "login", key: "token" } } },
    { name: "LOG_LEVEL", value: "trace" },
  ];
  const defaults = { cluster: "c", datastore: "d", folder: "f", network: "n", resourcePool: "r", storagePod: "s" };
  const runtimeSpec = { image, env, logFormat: "json", logLevel: "warn", replicas: 2, ...pod, ...container } as const;
  await it.box({ defaults, runtime: { ...runtimeSpec, service: { tls: { enabled: false } } } });
  const { spec } = (await it.deployment()) ?? {};
  expect(spec?.replicas).toBe(2);
  expect(spec?.template.spec).toMatchObject(pod);
  const [made] = spec?.template.spec?.containers ?? [];
  expect(made).toMatchObject(container);
  const given = Object.fromEntries((made?.env ?? []).map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
  expect(given).toMatchObject({
    LOG_FORMAT: "json",
    // What is added counts where it names one of ours.
    LOG_LEVEL: "trace",
    PROXY: "http://proxy.example",
    TOKEN: { secretKeyRef: { name: "login", key: "token" } },
    PROVIDER_DEFAULT_CLUSTER: "c",
    PROVIDER_DEFAULT_DATASTORE: "d",
    PROVIDER_DEFAULT_FOLDER: "f",
    PROVIDER_DEFAULT_NETWORK: "n",
    PROVIDER_DEFAULT_RESOURCE_POOL: "r",
    PROVIDER_DEFAULT_STORAGE_POD: "s",
  });
  expect(made?.env?.filter(({ name }) => name === "LOG_LEVEL")).toHaveLength(1);
});

test("what the spec cannot mean is said, with the field, and nothing is made", async () => {
  it = await providerStage();
  const runtimeOf = (service: object, more = {}) => ({
    runtime: { image, service: { tls: { enabled: false }, ...service }, ...more },
  });
  await it.box(runtimeOf({ port: 8080 }));
  expect(await it.says("RuntimeReady")).toMatch(/^False InvalidConfiguration spec.runtime.service.port 8080/);
  await it.patch(Provider, "box", {
    spec: { runtime: { service: { port: 9443 } }, credentialSecretRef: { namespace: "other" } },
  });
  await it.pass(1_000);
  expect(await it.says("RuntimeReady")).toMatch(/^False InvalidConfiguration spec.credentialSecretRef.namespace/);
  expect(await it.phase()).toBe("Failed");
  expect(await it.deployment()).toBeUndefined();
  await it.patch(Provider, "box", {
    spec: { credentialSecretRef: { namespace: null }, runtime: { service: { tls: { enabled: null } } } },
  });
  await it.pass(1_000);
  expect(await it.says("TLSConfigured")).toMatch(/^False SecretRefMissing/);
  expect(await it.says()).toMatch(/^False TLSNotConfigured/);
});

test("S21 certificate rotated: the next call uses a new channel, and a Secret without its keys stops the provider", async () => {
  it = await providerStage();
  await it.box(encrypted);
  expect(await it.says("RuntimeReady")).toBe("False InvalidConfiguration TLS Secret demo/box-tls not found");
  expect(await it.says("TLSConfigured")).toBe('True Enabled TLS enabled; using Secret "box-tls"');
  await it.secret("box-tls", { ...pem, "ca.crt": "" });
  await it.pass(75_000);
  expect(await it.says("RuntimeReady")).toMatch(/box-tls has no ca.crt/);
  await it.client.patch(Secret, { name: "box-tls", namespace }, { merge: { stringData: pem } });
  await it.pass(75_000);
  const [container] = (await it.deployment())?.spec?.template.spec?.containers ?? [];
  expect(container?.volumeMounts).toContainEqual({ name: "tls", mountPath: "/etc/virtrigaud/tls", readOnly: true });
  expect(container?.env?.map(({ name }) => name)).not.toContain("VIRTRIGAUD_PROVIDER_INSECURE");
  await it.pods(1);
  await it.probes(2);
  expect(it.dialled.map(({ tls }) => tls?.cert)).toEqual(["c"]);
  await it.client.patch(Secret, { name: "box-tls", namespace }, { merge: { stringData: { "tls.crt": "c2" } } });
  await it.probes(4);
  expect(it.dialled.map(({ tls }) => tls?.cert)).toEqual(["c", "c2"]);
  expect(it.dialled[1]?.serverName).toBe(`${runtime}.demo.svc.cluster.local`);
});

test("Secrets are read by name, each at most once a minute, and those of a Provider that is gone are not kept", async () => {
  let asked: string[] = [];
  const refuse = ({ method, path }: Request) => {
    if (path.includes("/secrets")) asked.push(`${method} ${path.split("/secrets").at(-1)}`);
    return undefined;
  };
  it = await providerStage({ refuse });
  await it.secret("box-tls", pem);
  await it.box(encrypted);
  await it.pods(1);
  await it.probes(1);
  asked = [];
  await it.pass(600_000);
  expect(new Set(asked)).toEqual(new Set(["GET /box-creds", "GET /box-tls"]));
  expect(asked.length).toBeLessThanOrEqual(20);
  await it.remove(Provider, "box");
  await it.pass(5_000);
  expect(await it.get(Provider, "box")).toBeUndefined();
  await it.client.patch(Secret, { name: "box-tls", namespace }, { merge: { stringData: { "tls.crt": "c2" } } });
  await it.box(encrypted);
  await it.pods(1);
  await it.probes(1);
  expect(it.dialled.at(-1)?.tls?.cert).toBe("c2");
});

test("an unchanged provider writes nothing but its health checks, and leaves a scaled Deployment alone", async () => {
  it = await providerStage();
  // Without the flag this counts for nothing.
  await it.running({}, { annotations: { "virtrigaud.io/runtime-endpoint": "box.example:9443" } });
  await it.client.patch(Deployment, { name: runtime, namespace }, { merge: { spec: { replicas: 4 } } });
  await it.pass(1_000);
  it.writes();
  await it.pass(300_000);
  expect(new Set(it.writes().map(({ line }) => line))).toEqual(
    new Set(["PATCH /apis/infra.virtrigaud.io/v1beta1/namespaces/demo/providers/box/status"]),
  );
  expect((await it.deployment())?.spec?.replicas).toBe(4);
  await it.patch(Provider, "box", { spec: { runtime: { replicas: 2 } } });
  await it.pass(1_000);
  expect((await it.deployment())?.spec?.replicas).toBe(2);
});

const refusing = (path: string) => {
  let isRefused = true;
  return {
    allow: () => {
      isRefused = false;
    },
    refuse: (request: { readonly method: string; readonly path: string }) =>
      isRefused && request.method !== "GET" && request.path.includes(path) ? 403 : undefined,
  };
};

test("what the server refuses is said, the phase stays Pending, and it is tried again", async () => {
  const no = refusing("/deployments/");
  it = await providerStage({ refuse: no.refuse });
  await it.box();
  expect(await it.phase()).toBe("Pending");
  expect(await it.says("RuntimeReady")).toBe("False DeploymentError Failed to create deployment: no");
  no.allow();
  await it.pass(31_000);
  expect(await it.phase()).toBe("Starting");
  await it.end();
  const none = refusing("/services/");
  it = await providerStage({ refuse: none.refuse });
  await it.box();
  expect(await it.says("RuntimeReady")).toBe("False ServiceError Failed to create service: no");
  // Somebody else has the name.
  const spec = { ports: [{ port: 80 }] };
  await it.client.create(Service, { apiVersion: "v1", kind: "Service", metadata: { name: runtime, namespace }, spec });
  none.allow();
  await it.pass(31_000);
  expect(await it.says("RuntimeReady")).toBe(
    `False ServiceError Failed to create service: Service ${runtime} belongs to somebody else`,
  );
  expect((await it.get(Service, runtime))?.spec?.ports?.[0]?.port).toBe(80);
});

const annotation = { "virtrigaud.io/runtime-endpoint": "box.example:9443" };

test("an endpoint outside: nothing is deployed, it runs when it answers, and a denied address is a wrong configuration", async () => {
  let isDenied = false;
  const denied = { refused: text`host box.example has the address 127.0.0.1, which is loopback` };
  const external = async () => (isDenied ? denied : { endpoint: "10.0.0.7:9443" });
  it = await providerStage({ settings: { allowExternalProviderEndpoints: true }, external });
  it.listen("10.0.0.7:9443", it.host);
  it.host.isUp = false;
  await it.box({}, { annotations: annotation });
  expect(await it.deployment()).toBeUndefined();
  expect(await it.phase()).toBe("Starting");
  expect(await it.says("RuntimeReady")).toBe("Unknown NotAsked 10.0.0.7:9443 has not been asked yet");
  await it.probes(1);
  expect(await it.says("RuntimeReady")).toBe("Unknown ConnectionFailed 10.0.0.7:9443 does not answer");
  expect(await it.says()).toMatch(/^False ConnectionFailed/);
  it.host.isUp = true;
  await it.probes(1);
  expect(await it.phase()).toBe("Running");
  expect(await it.says("RuntimeReady")).toBe("True ExternalEndpoint 10.0.0.7:9443");
  expect(await it.says()).toMatch(/^True ProviderHealthy/);
  // One answer that does not come is not the end of it.
  it.host.isUp = false;
  await it.probes(1);
  expect(await it.phase()).toBe("Running");
  await it.patch(Provider, "box", { metadata: { annotations: { "virtrigaud.io/runtime-endpoint": null } } });
  await it.pass(1_000);
  expect(await it.deployment()).toBeDefined();
  await it.patch(Provider, "box", { metadata: { annotations: annotation } });
  await it.pass(1_000);
  expect(await it.deployment()).toBeUndefined();
  expect((await it.status()).runtime?.serviceRef).toBeUndefined();
  isDenied = true;
  await it.patch(Provider, "box", { metadata: { labels: { look: "again" } } });
  await it.pass(1_000);
  expect(await it.says()).toMatch(/^False InvalidConfiguration host box.example has the address 127.0.0.1/);
});

const pod = (restartCount: number) => ({
  containerStatuses: [{ name: "provider", restartCount, ready: true, image, imageID: "" }],
  conditions: [{ type: "Ready", status: "True" }],
});

test("what it can do is asked every five minutes, and after a restart of its pod", async () => {
  it = await providerStage();
  await it.running();
  const asked = () => it?.host.asked("getCapabilities").length;
  expect(asked()).toBe(1);
  await it.pass(200_000);
  expect(asked()).toBe(1);
  await it.pass(130_000);
  expect(asked()).toBe(2);
  const labels = { "app.kubernetes.io/name": "virtrigaud-provider", "app.kubernetes.io/instance": "box" };
  const metadata = { name: "p", namespace, labels };
  await it.client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { containers: [{ name: "provider", image }] },
  });
  await it.client.status.patch(Pod, { name: "p", namespace }, { merge: { status: pod(0) } });
  await it.probes(1);
  expect(asked()).toBe(3);
  await it.probes(1);
  expect(asked()).toBe(3);
  await it.client.status.patch(Pod, { name: "p", namespace }, { merge: { status: pod(1) } });
  await it.probes(1);
  expect(asked()).toBe(4);
});
