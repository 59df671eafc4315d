// How the operator is set up: every environment variable of its own, read once at the start. Not a word of it comes from a test.
import { isInCluster } from "@telltale/client";
import type { Ms } from "@telltale/kinds";
import { type Env, Settings } from "@telltale/runtime";

export interface Config {
  readonly timers: Timers;
  readonly onJobDeleted: "Fail" | "Recreate";
  /** Whether `locust.io/cleanup` is put on each test. */
  readonly finalizer: boolean;
  /** Seconds that a finished Job stays; absent: for good. Zero is a value. */
  readonly jobTtl?: number;
  /** What a pod asks for when its test does not say. */
  readonly resources: Readonly<Record<Role, Resources>>;
  readonly exporter: Exporter;
  /** Whether `spec.scheduling.affinity` is applied. */
  readonly affinityInjection: boolean;
  /** Whether `spec.scheduling.tolerations` is applied. */
  readonly tolerationInjection: boolean;
  /** The runtime class of tests that name none. */
  readonly runtimeClass?: string;
  /** Whether test pods get a service account token. */
  readonly automountToken: boolean;
  readonly kafka?: Kafka;
  readonly telemetry: Telemetry;
  /** The namespaces that are watched; absent: all. */
  readonly namespaces?: readonly string[];
}

export type Role = "master" | "worker";

/** Section 10.11: how long is waited for what. */
export interface Timers {
  readonly podStartupGrace: Ms;
  /** Until stuck pods fail the test; absent: never. */
  readonly podFailureTimeout?: Ms;
  readonly workerFailureGrace: Ms;
  readonly resourceCreationTimeout: Ms;
  readonly leftoverWorker: Ms;
  readonly leftoverMaster: Ms;
}

export interface Resources {
  readonly requests: Quantities;
  readonly limits: Quantities;
}

export type Quantities = Readonly<Partial<Record<"cpu" | "memory" | "ephemeral-storage", string>>>;

/** The sidecar that answers Prometheus for the master. */
export type Exporter =
  | {
      readonly at: "deployed";
      readonly image: string;
      readonly pullPolicy: PullPolicy;
      readonly port: number;
      readonly resources: Resources;
    }
  | { readonly at: "disabled" } // by METRICS_EXPORTER_ENABLED
  | { readonly at: "unsupported" }; // the server is older than 1.29 and knows no native sidecars

export type PullPolicy = "Always" | "IfNotPresent" | "Never";

/** What test pods are told about Kafka. Credentials are never here, only the name of the Secret that has them. */
export interface Kafka {
  readonly bootstrapServers: string;
  readonly securityEnabled: boolean;
  readonly securityProtocol: string;
  readonly saslMechanism: string;
  readonly credentialsSecret?: string;
}

/** Section 17.3: how the master's web API is read. */
export interface Telemetry {
  readonly mode: "pod-ip" | "service" | "api-proxy" | "off";
  readonly interval: Ms;
  /** Of one whole request. */
  readonly timeout: Ms;
  /** Bytes of an answer, beyond which it is dropped. */
  readonly maxBody: number;
  /** Least time between two status writes that only bring new numbers. */
  readonly statusInterval: Ms;
  /** Age of the last answer at which the Job's count of workers is used again. */
  readonly stale: Ms;
  /** Requests in flight over all tests. */
  readonly maxConcurrency: number;
  readonly tlsInsecure: boolean;
}

/** The configuration that these variables name, or everything that is wrong with them. */
export function configFrom(env: Env): { readonly config: Config } | { readonly errors: readonly string[] } {
  const settings = new Settings(env);
  const config = read(settings, isInCluster(env) ? "pod-ip" : "api-proxy");
  return settings.result("locust", config);
}

function read(settings: Settings, mode: Telemetry["mode"]): Config {
  const jobTtl = settings.integer("JOB_TTL_SECONDS_AFTER_FINISHED");
  const runtimeClass = settings.subdomain("DEFAULT_RUNTIME_CLASS_NAME");
  const kafka = kafkaFrom(settings);
  const namespaces = settings.namespaces("WATCH_NAMESPACES");
  return {
    timers: timersFrom(settings),
    onJobDeleted: settings.choice("ON_JOB_DELETED", ["Fail", "Recreate"], "Fail"),
    finalizer: settings.flag("ENABLE_FINALIZER", true),
    ...(jobTtl !== undefined && { jobTtl }),
    resources: {
      master: resourcesFrom(settings, ["MASTER_POD", "POD"], podResources),
      worker: resourcesFrom(settings, ["WORKER_POD", "POD"], podResources),
    },
    exporter: exporterFrom(settings),
    affinityInjection: settings.flag("ENABLE_AFFINITY_CR_INJECTION", false),
    tolerationInjection: settings.flag("ENABLE_TAINT_TOLERATIONS_CR_INJECTION", false),
    ...(runtimeClass !== undefined && { runtimeClass }),
    automountToken: settings.flag("TEST_POD_AUTOMOUNT_TOKEN", false),
    ...(kafka !== undefined && { kafka }),
    telemetry: telemetryFrom(settings, mode),
    ...(namespaces !== undefined && { namespaces }),
  };
}

function timersFrom(settings: Settings): Timers {
  const seconds = (name: string, standard: number): Ms => settings.integer(name, standard) * 1000;
  const podFailureTimeout = seconds("POD_FAILURE_TIMEOUT_SECONDS", 600);
  return {
    podStartupGrace: seconds("POD_STARTUP_GRACE_SECONDS", 120),
    ...(podFailureTimeout > 0 && { podFailureTimeout }),
    workerFailureGrace: seconds("WORKER_FAILURE_GRACE_SECONDS", 30),
    resourceCreationTimeout: seconds("RESOURCE_CREATION_TIMEOUT_SECONDS", 900),
    leftoverWorker: seconds("LEFTOVER_WORKER_SECONDS", 90),
    leftoverMaster: seconds("LEFTOVER_MASTER_SECONDS", 300),
  };
}

const podResources = {
  CPU: { request: "250m", limit: "1000m" },
  MEM: { request: "128Mi", limit: "1024Mi" },
  EPHEMERAL: { request: "30M", limit: "50M" },
};

const exporterResources = {
  CPU: { request: "100m", limit: "250m" },
  MEM: { request: "64Mi", limit: "128Mi" },
  EPHEMERAL: { request: "30M", limit: "50M" },
};

/** `<prefix>_<CPU|MEM|EPHEMERAL>_<REQUEST|LIMIT>`, each from the first prefix that has it. */
function resourcesFrom(settings: Settings, prefixes: readonly string[], standard: typeof podResources): Resources {
  const one = (part: keyof typeof podResources) => {
    const names = (kind: string) => prefixes.map((prefix) => `${prefix}_${part}_${kind}`);
    const request = settings.quantity(names("REQUEST"), standard[part].request, "request");
    const limit = settings.quantity(names("LIMIT"), standard[part].limit, "limit");
    settings.order(request, limit);
    return { request: request?.text, limit: limit?.text };
  };
  const [cpu, memory, storage] = [one("CPU"), one("MEM"), one("EPHEMERAL")];
  return {
    requests: quantities(cpu.request, memory.request, storage.request),
    limits: quantities(cpu.limit, memory.limit, storage.limit),
  };
}

function quantities(cpu?: string, memory?: string, storage?: string): Quantities {
  return {
    ...(cpu !== undefined && { cpu }),
    ...(memory !== undefined && { memory }),
    ...(storage !== undefined && { "ephemeral-storage": storage }),
  };
}

function exporterFrom(settings: Settings): Exporter {
  const enabled = settings.flag("METRICS_EXPORTER_ENABLED", true);
  const exporter: Exporter = {
    at: "deployed",
    image: settings.text("METRICS_EXPORTER_IMAGE") ?? "containersol/locust_exporter:v0.5.0",
    pullPolicy: settings.choice(
      "METRICS_EXPORTER_IMAGE_PULL_POLICY",
      ["Always", "IfNotPresent", "Never"],
      "IfNotPresent",
    ),
    port: settings.integer("METRICS_EXPORTER_PORT", 9646, { least: 1, most: 65_535 }),
    resources: resourcesFrom(settings, ["METRICS_EXPORTER"], exporterResources),
  };
  return enabled ? exporter : { at: "disabled" };
}

/** Kafka is on when its servers are known. The other values are those that the existing operator assumes. */
function kafkaFrom(settings: Settings): Kafka | undefined {
  const bootstrapServers = settings.text("KAFKA_BOOTSTRAP_SERVERS");
  // All of them are read, so that each is known as a flag, too.
  const credentialsSecret = settings.subdomain("KAFKA_CREDENTIALS_SECRET");
  const others = {
    securityEnabled: settings.flag("KAFKA_SECURITY_ENABLED", false),
    securityProtocol: settings.text("KAFKA_SECURITY_PROTOCOL_CONFIG") ?? "SASL_PLAINTEXT",
    saslMechanism: settings.text("KAFKA_SASL_MECHANISM") ?? "SCRAM-SHA-512",
    ...(credentialsSecret !== undefined && { credentialsSecret }),
  };
  if (bootstrapServers === undefined) return undefined;
  for (const [name, key] of [
    ["KAFKA_USERNAME", "username"],
    ["KAFKA_PASSWORD", "password"],
    ["KAFKA_SASL_JAAS_CONFIG", "jaas"],
  ] as const) {
    settings.forbid(
      name,
      `unset it, put it under the key ${key} of a Secret, and name that in KAFKA_CREDENTIALS_SECRET`,
    );
  }
  return { bootstrapServers, ...others };
}

function telemetryFrom(settings: Settings, mode: Telemetry["mode"]): Telemetry {
  return {
    mode: settings.choice("TELEMETRY_MODE", ["pod-ip", "service", "api-proxy", "off"], mode),
    interval: settings.integer("TELEMETRY_INTERVAL_SECONDS", 10, { least: 2 }) * 1000,
    timeout: settings.integer("TELEMETRY_TIMEOUT_MS", 3000, { least: 1 }),
    maxBody: settings.integer("TELEMETRY_MAX_BODY_BYTES", 4 * 2 ** 20, { least: 1 }),
    statusInterval: settings.integer("TELEMETRY_STATUS_INTERVAL_SECONDS", 15) * 1000,
    stale: settings.integer("TELEMETRY_STALE_SECONDS", 60) * 1000,
    maxConcurrency: settings.integer("TELEMETRY_MAX_CONCURRENCY", 16, { least: 1 }),
    tlsInsecure: settings.flag("TELEMETRY_TLS_INSECURE", false),
  };
}

/** What an operator in a cluster does when nothing is set. */
export const standardConfig: Config = read(new Settings({}), "pod-ip");

/** What a server answers at `/version`. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
}

/** The same configuration for this server: before 1.29 there are no native sidecars, and the exporter is left out. */
export function forServer(config: Config, { major, minor }: ServerVersion): Config {
  // Some clouds write the minor version as `28+`.
  const [first, second] = [Number.parseInt(major, 10), Number.parseInt(minor, 10)];
  const isOld = first < 1 || (first === 1 && second < 29);
  return isOld && config.exporter.at === "deployed" ? { ...config, exporter: { at: "unsupported" } } : config;
}

/** What is accepted and may still surprise: for the log at the start. */
export function configWarnings({ jobTtl, exporter }: Config): readonly string[] {
  const warnings: string[] = [];
  if (jobTtl !== undefined && jobTtl < 60) {
    warnings.push(
      `JOB_TTL_SECONDS_AFTER_FINISHED "${jobTtl}" is short: a Job may be gone before its result was seen; set it to 60 or more`,
    );
  }
  if (exporter.at === "unsupported") {
    warnings.push("This server is older than Kubernetes 1.29: tests run without the metrics exporter");
  }
  return warnings;
}
