// The Service and the Deployment of a provider (3.2 steps 5 and 6). Pure.
import { canonicalJson, sha256Hex } from "@telltale/kinds";
import type { Deployment, Service } from "@telltale/kinds/builtin";
import type { Provider, ProviderType } from "../kinds/index.ts";
import { environmentOf } from "./environment.ts";
import { healthPort, labelsOf, portOf, runtimeName, selectorOf } from "./runtime-names.ts";
import { mountsOf } from "./volumes.ts";

/** Of the pod template that we want: it is changed only when this is another one. */
const templateHash = "virtrigaud.io/template-hash";

export function buildService(it: Provider): Service {
  const port = portOf(it);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: runtimeName(it), namespace: it.metadata.namespace ?? "", labels: labelsOf(it) },
    spec: {
      type: "ClusterIP",
      selector: selectorOf(it),
      ports: [
        { name: "grpc", port, targetPort: port, protocol: "TCP" },
        { name: "metrics", port: healthPort, targetPort: healthPort, protocol: "TCP" },
      ],
    },
  };
}

/** `claims`: the staging claims that it mounts. `isExclusive`: one of them is for one node only. */
export function buildDeployment(it: Provider, claims: readonly string[], isExclusive = false): Deployment {
  const template = templateOf(it, claims);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: runtimeName(it),
      namespace: it.metadata.namespace ?? "",
      labels: labelsOf(it),
      annotations: { [templateHash]: sha256Hex(canonicalJson(template), 16) },
    },
    spec: {
      replicas: it.spec.runtime.replicas ?? 1,
      selector: { matchLabels: selectorOf(it) },
      // A new pod that needs what the old one holds never gets ready beside it.
      strategy: { type: isExclusive || ownsMachines.has(it.spec.type) ? "Recreate" : "RollingUpdate" },
      template,
    },
  };
}

/** Providers that talk to no hypervisor elsewhere: their machines are in a state directory, which one process at a time may use. */
const ownsMachines: ReadonlySet<ProviderType> = new Set(["qemu", "firecracker"]);

export const hashOf = (deployment: Deployment | undefined): string | undefined =>
  deployment?.metadata?.annotations?.[templateHash];

type Template = NonNullable<Deployment["spec"]>["template"];
type PodSpec = NonNullable<Template["spec"]>;

function templateOf(it: Provider, claims: readonly string[]): Template {
  const { nodeSelector, tolerations, affinity, imagePullSecrets } = it.spec.runtime;
  const mounts = mountsOf(it, claims);
  const spec: PodSpec = {
    // A provider needs nothing of the cluster (7.7).
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 30,
    ...(nodeSelector === undefined ? {} : { nodeSelector: { ...nodeSelector } }),
    ...(tolerations === undefined ? {} : { tolerations: [...tolerations] }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(imagePullSecrets === undefined ? {} : { imagePullSecrets: [...imagePullSecrets] }),
    containers: [{ ...containerOf(it), volumeMounts: mounts.map(([, mount]) => mount) }],
    volumes: mounts.map(([volume]) => volume),
  };
  return { metadata: { labels: labelsOf(it) }, spec };
}

function containerOf(it: Provider): PodSpec["containers"][number] {
  const { runtime } = it.spec;
  const port = portOf(it);
  return {
    name: "provider",
    image: runtime.image,
    imagePullPolicy: runtime.imagePullPolicy ?? "IfNotPresent",
    args: [`--port=${port}`, `--health-port=${healthPort}`],
    env: environmentOf(it),
    ports: [
      { name: "grpc", containerPort: port, protocol: "TCP" },
      { name: "metrics", containerPort: healthPort, protocol: "TCP" },
    ],
    resources: runtime.resources ?? standardResources,
    securityContext: runtime.securityContext ?? standardSecurity,
    livenessProbe: runtime.livenessProbe ?? asked("/healthz", 15, 20),
    readinessProbe: runtime.readinessProbe ?? asked("/readyz", 5, 10),
    // Calls that are under way come to their end before the process is told to go.
    lifecycle: { preStop: { sleep: { seconds: 15 } } },
  };
}

const standardResources: PodSpec["containers"][number]["resources"] & object = {
  requests: { cpu: "100m", memory: "128Mi" },
  limits: { cpu: "1", memory: "512Mi" },
};

const standardSecurity: PodSpec["containers"][number]["securityContext"] & object = {
  runAsNonRoot: true,
  runAsUser: 65_532,
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
};

const asked = (path: string, initialDelaySeconds: number, periodSeconds: number) => ({
  httpGet: { path, port: healthPort },
  initialDelaySeconds,
  periodSeconds,
});
