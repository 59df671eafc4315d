// The Deployment of a nameserver: named and Bindcar in one pod (8.4). Pure.
import type { Deployment } from "@telltale/kinds/builtin";
import {
  annotations,
  containers,
  labels,
  operatorServiceAccount,
  podServiceAccount,
  selectorLabels,
  zonesLoadedGate,
} from "../names.ts";
import { configData, configHash } from "./config-map.ts";
import { podLabelsOf } from "./labels.ts";
import { dnsPort, paths, rndcPort } from "./named-conf.ts";
import { type Nameserver, portOf } from "./nameserver.ts";
import type { Container, EnvVar, PodSpec } from "./types.ts";
import { buildVolumes } from "./volumes.ts";

/** The key that pods are to use, and what of it makes new pods. */
export interface UsedKey {
  /** The Secret that pods read. */
  readonly secret: string;
  /** What the key is called inside. */
  readonly name: string;
  readonly algorithm: string;
  /** Under which field of the Secret the key itself is. */
  readonly field: string;
  /** When it was last replaced. */
  readonly rotatedAt?: string;
  /** Of a Secret that is somebody else's: it changes when they change it. */
  readonly version?: string;
}

/** What the operator is, as far as pods have to know. */
export interface Surroundings {
  readonly operatorNamespace: string;
  readonly zoneReadinessGate: boolean;
}

export function buildDeployment(server: Nameserver, key: UsedKey, around: Surroundings): Deployment {
  const { name, namespace, replicas } = server;
  const marks = {
    [annotations.configHash]: configHash(configData(server, key.name)),
    ...(key.rotatedAt === undefined ? {} : { [annotations.rndcRotatedAt]: key.rotatedAt }),
    ...(key.version === undefined ? {} : { [annotations.rndcSecretVersion]: key.version }),
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels: podLabelsOf(server) },
    spec: {
      replicas,
      selector: { matchLabels: { ...selectorLabels(name) } },
      template: { metadata: { labels: podLabelsOf(server), annotations: marks }, spec: podSpec(server, key, around) },
    },
  };
}

const user = 101;

function podSpec(server: Nameserver, key: UsedKey, around: Surroundings): PodSpec {
  const { volumes, bind9, api, keys } = buildVolumes(server, key);
  const { imagePullSecrets = [] } = server.image;
  return {
    serviceAccountName: podServiceAccount,
    securityContext: {
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    },
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...(around.zoneReadinessGate && { readinessGates: [{ conditionType: zonesLoadedGate }] }),
    ...spread(server),
    ...(keys.length > 0 && { initContainers: [{ ...signingKeys(server), volumeMounts: keys }] }),
    containers: [
      { ...named(server), volumeMounts: bind9 },
      { ...bindcar(server, key, around), volumeMounts: api },
    ],
    volumes,
  };
}

/** Servers of one role, spread over zones: each Deployment has one pod, so what counts is the cluster (L-31). */
function spread({ cluster, role }: Nameserver): Pick<PodSpec, "topologySpreadConstraints"> {
  if (cluster === undefined) return {};
  return {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: { [labels.cluster]: cluster, [labels.role]: role } },
      },
    ],
  };
}

const confined = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

const imageOf = ({ image, version }: Nameserver): Pick<Container, "image" | "imagePullPolicy"> => ({
  image: image.image ?? `internetsystemsconsortium/bind9:${version}`,
  imagePullPolicy: image.imagePullPolicy ?? "IfNotPresent",
});

/**
 * A Secret is mounted read-only, and named signs nothing where it cannot write how far a key is. What is there already stays: on a
 * claim it is newer. No key of a Secret has a `+`, as names of key files have: there it is `_`, which no zone's name has.
 */
function signingKeys(server: Nameserver): Container {
  const script =
    'mkdir -p "$2" && cd "$1" && for f in K*; do to="$2/$(echo "$f" | tr _ +)"; [ -e "$to" ] || cp "$f" "$to" || exit 1; done';
  return {
    name: containers.keys,
    ...imageOf(server),
    command: ["sh", "-c", script, "sh", paths.givenKeys, paths.signingKeys],
    securityContext: confined,
  };
}

function named(server: Nameserver): Container {
  const dns = { tcpSocket: { port: dnsPort } };
  return {
    name: containers.bind9,
    ...imageOf(server),
    // In the foreground, but not with -g: that one ignores the logging statement.
    command: ["named", "-c", paths.conf, "-f"],
    ports: [
      { name: "dns-tcp", containerPort: dnsPort, protocol: "TCP" },
      { name: "dns-udp", containerPort: dnsPort, protocol: "UDP" },
      { name: "rndc", containerPort: rndcPort, protocol: "TCP" },
    ],
    env: [
      { name: "TZ", value: "UTC" },
      { name: "MALLOC_CONF", value: "dirty_decay_ms:0,muzzy_decay_ms:0" },
    ],
    livenessProbe: { ...dns, initialDelaySeconds: 30, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
    readinessProbe: { ...dns, initialDelaySeconds: 10, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 3 },
    securityContext: confined,
  };
}

export const bindcarImage = "ghcr.io/firestoned/bindcar:v0.7.2";

/** Without a readiness probe: a hiccup of Bindcar takes no DNS server out of service. */
function bindcar(server: Nameserver, key: UsedKey, around: Surroundings): Container {
  const { image, imagePullPolicy, resources, envVars = [] } = server.bindcar;
  const port = portOf(server);
  return {
    name: containers.api,
    image: image ?? bindcarImage,
    imagePullPolicy: imagePullPolicy ?? "IfNotPresent",
    ports: [{ name: "http", containerPort: port, protocol: "TCP" }],
    env: [...bindcarEnv(server, key, around), ...([...envVars] as EnvVar[])],
    ...(resources !== undefined && { resources: resources as NonNullable<Container["resources"]> }),
    livenessProbe: {
      httpGet: { path: "/api/v1/health", port },
      initialDelaySeconds: 10,
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 3,
    },
    securityContext: { ...confined, readOnlyRootFilesystem: true },
  };
}

function bindcarEnv(server: Nameserver, key: UsedKey, { operatorNamespace }: Surroundings): EnvVar[] {
  return [
    { name: "BIND_ZONE_DIR", value: paths.cache },
    { name: "API_PORT", value: String(portOf(server)) },
    { name: "RUST_LOG", value: server.bindcar.logLevel ?? "info" },
    {
      name: "BIND_ALLOWED_SERVICE_ACCOUNTS",
      value: `system:serviceaccount:${operatorNamespace}:${operatorServiceAccount}`,
    },
    { name: "BIND_TOKEN_AUDIENCES", value: "bindcar" },
    { name: "TMPDIR", value: "/tmp" },
    { name: "RNDC_SECRET", valueFrom: { secretKeyRef: { name: key.secret, key: key.field } } },
    { name: "RNDC_ALGORITHM", value: key.algorithm },
    { name: "NSUPDATE_PORT", value: String(dnsPort) },
    { name: "NSUPDATE_KEY_NAME", value: key.name },
    // Upstream's Bindcar 0.7 divides the one by the period of a minute and waits so many seconds for each request: with more than
    // this it waits longer, not shorter. What is served beyond it is the burst, which covers a start with thousands of zones.
    { name: "RATE_LIMIT_REQUESTS", value: "100" },
    { name: "RATE_LIMIT_BURST", value: "6000" },
  ];
}
