import type { Env } from "@telltale/runtime";
import { describe, expect, test } from "vitest";
import { type Config, configFrom, configWarnings, forServer, standardConfig } from "./config.ts";

function config(env: Env): Config {
  const read = configFrom(env);
  if ("errors" in read) throw new Error(read.errors.join("\n"));
  return read.config;
}

function errors(env: Env): readonly string[] {
  const read = configFrom(env);
  return "errors" in read ? read.errors : [];
}

const inCluster = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

describe("without any variable", () => {
  test("everything has its default", () => {
    const resources = {
      requests: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "30M" },
      limits: { cpu: "1000m", memory: "1024Mi", "ephemeral-storage": "50M" },
    };
    expect(config(inCluster)).toEqual({
      timers: {
        podStartupGrace: 120_000,
        podFailureTimeout: 600_000,
        workerFailureGrace: 30_000,
        resourceCreationTimeout: 900_000,
        leftoverWorker: 90_000,
        leftoverMaster: 300_000,
      },
      onJobDeleted: "Fail",
      finalizer: true,
      resources: { master: resources, worker: resources },
      exporter: {
        at: "deployed",
        image: "containersol/locust_exporter:v0.5.0",
        pullPolicy: "IfNotPresent",
        port: 9646,
        resources: {
          requests: { cpu: "100m", memory: "64Mi", "ephemeral-storage": "30M" },
          limits: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "50M" },
        },
      },
      affinityInjection: false,
      tolerationInjection: false,
      automountToken: false,
      telemetry: {
        mode: "pod-ip",
        interval: 10_000,
        timeout: 3000,
        maxBody: 4_194_304,
        statusInterval: 15_000,
        stale: 60_000,
        maxConcurrency: 16,
        tlsInsecure: false,
      },
    });
    expect(standardConfig).toEqual(config(inCluster));
  });

  test("the master is reached through the API server outside a cluster", () => {
    expect(config({}).telemetry.mode).toBe("api-proxy");
    expect(config({ TELEMETRY_MODE: "off" }).telemetry.mode).toBe("off");
  });

  test("an empty variable is as good as none", () => {
    const empty = Object.fromEntries(everyVariable.map(([name]) => [name, ""]));
    expect(config(empty)).toEqual(config({}));
  });
});

describe("variables that are set", () => {
  test("are taken", () => {
    const set = config({
      JOB_TTL_SECONDS_AFTER_FINISHED: "0",
      DEFAULT_RUNTIME_CLASS_NAME: "kata.v2",
      WATCH_NAMESPACES: "perf, staging,perf",
      ENABLE_FINALIZER: "false",
      ENABLE_AFFINITY_CR_INJECTION: "true",
      ENABLE_TAINT_TOLERATIONS_CR_INJECTION: "true",
      TEST_POD_AUTOMOUNT_TOKEN: "true",
      ON_JOB_DELETED: "Recreate",
      TELEMETRY_INTERVAL_SECONDS: "2",
      TELEMETRY_TLS_INSECURE: "true",
      METRICS_EXPORTER_IMAGE: "example.com/exporter:1",
      METRICS_EXPORTER_PORT: "9000",
      METRICS_EXPORTER_IMAGE_PULL_POLICY: "Always",
    });
    expect(set).toMatchObject({
      jobTtl: 0,
      runtimeClass: "kata.v2",
      namespaces: ["perf", "staging"],
      finalizer: false,
      affinityInjection: true,
      tolerationInjection: true,
      automountToken: true,
      onJobDeleted: "Recreate",
      telemetry: { interval: 2000, tlsInsecure: true },
      exporter: { image: "example.com/exporter:1", port: 9000, pullPolicy: "Always" },
    });
  });

  test("a failure timeout of 0 means never", () => {
    expect(config({ POD_FAILURE_TIMEOUT_SECONDS: "0" }).timers).not.toHaveProperty("podFailureTimeout");
  });

  test("the exporter can be left out", () => {
    expect(config({ METRICS_EXPORTER_ENABLED: "false" }).exporter).toEqual({ at: "disabled" });
  });

  test("a role's own quantity comes before the one of all pods, field by field", () => {
    const { master, worker } = config({
      POD_CPU_REQUEST: "300m",
      WORKER_POD_CPU_REQUEST: "500m",
      WORKER_POD_MEM_LIMIT: "2Gi",
    }).resources;
    expect(master.requests.cpu).toBe("300m");
    expect(worker.requests.cpu).toBe("500m");
    expect(worker.limits).toEqual({ cpu: "1000m", memory: "2Gi", "ephemeral-storage": "50M" });
  });

  test("none leaves a limit out, for all or for a role, and for the exporter", () => {
    const set = config({
      POD_CPU_LIMIT: "none",
      MASTER_POD_MEM_LIMIT: "none",
      WORKER_POD_CPU_LIMIT: "2",
      METRICS_EXPORTER_CPU_LIMIT: "none",
    });
    expect(set.resources.master.limits).toEqual({ "ephemeral-storage": "50M" });
    expect(set.resources.worker.limits).toEqual({ cpu: "2", memory: "1024Mi", "ephemeral-storage": "50M" });
    expect(set.exporter).toMatchObject({ resources: { limits: { memory: "128Mi" } } });
    expect(set.exporter).not.toHaveProperty("resources.limits.cpu");
  });

  test("Kafka is told only where its servers are, with the values that the existing operator assumes", () => {
    expect(config({ KAFKA_SASL_MECHANISM: "PLAIN", KAFKA_PASSWORD: "x" })).not.toHaveProperty("kafka");
    expect(config({ KAFKA_BOOTSTRAP_SERVERS: "kafka:9092" }).kafka).toEqual({
      bootstrapServers: "kafka:9092",
      securityEnabled: false,
      securityProtocol: "SASL_PLAINTEXT",
      saslMechanism: "SCRAM-SHA-512",
    });
  });
});

const bad = {
  flag: ["yes", "1", "True", " true", "on"],
  count: ["-1", "1.5", "1e3", "ten", "0x10", " 5", "2147483648", "99999999999999999999"],
  quantity: ["lots", "-1", "1 Gi", "1GiB", "none "],
  name: ["Kata", "a_b", "-a", "a..b", "x".repeat(254)],
};

const everyVariable: readonly (readonly [name: string, values: readonly string[]])[] = [
  ...["ENABLE_FINALIZER", "TEST_POD_AUTOMOUNT_TOKEN", "ENABLE_AFFINITY_CR_INJECTION", "METRICS_EXPORTER_ENABLED"].map(
    (name) => [name, bad.flag] as const,
  ),
  ["ENABLE_TAINT_TOLERATIONS_CR_INJECTION", bad.flag],
  ["TELEMETRY_TLS_INSECURE", bad.flag],
  ...[
    "JOB_TTL_SECONDS_AFTER_FINISHED",
    "POD_STARTUP_GRACE_SECONDS",
    "POD_FAILURE_TIMEOUT_SECONDS",
    "WORKER_FAILURE_GRACE_SECONDS",
    "RESOURCE_CREATION_TIMEOUT_SECONDS",
    "LEFTOVER_WORKER_SECONDS",
    "LEFTOVER_MASTER_SECONDS",
    "TELEMETRY_STATUS_INTERVAL_SECONDS",
    "TELEMETRY_STALE_SECONDS",
  ].map((name) => [name, bad.count] as const),
  ["METRICS_EXPORTER_PORT", [...bad.count, "0", "65536"]],
  ["TELEMETRY_INTERVAL_SECONDS", [...bad.count, "0", "1"]],
  ["TELEMETRY_TIMEOUT_MS", [...bad.count, "0"]],
  ["TELEMETRY_MAX_BODY_BYTES", [...bad.count, "0"]],
  ["TELEMETRY_MAX_CONCURRENCY", [...bad.count, "0"]],
  ["TELEMETRY_MODE", ["pod", "Off", "POD-IP"]],
  ["ON_JOB_DELETED", ["fail", "Retry"]],
  ["KAFKA_SECURITY_ENABLED", bad.flag],
  ["KAFKA_CREDENTIALS_SECRET", bad.name],
  ["METRICS_EXPORTER_IMAGE_PULL_POLICY", ["always", "OnChange"]],
  ["DEFAULT_RUNTIME_CLASS_NAME", bad.name],
  ["WATCH_NAMESPACES", ["Perf", "a,,b", "a b", "a,", "*"]],
  ...["POD", "MASTER_POD", "WORKER_POD", "METRICS_EXPORTER"].flatMap((prefix) =>
    ["CPU", "MEM", "EPHEMERAL"].flatMap((part) => [
      [`${prefix}_${part}_REQUEST`, [...bad.quantity, "none"]] as const,
      [`${prefix}_${part}_LIMIT`, bad.quantity] as const,
    ]),
  ),
];

describe("a value that is wrong", () => {
  test.each(everyVariable)("of %s is named with its value and what to do", (name, values) => {
    for (const value of values) {
      const found = errors({ [name]: value });
      expect(found, value).toHaveLength(1);
      expect(found[0]).toMatch(new RegExp(`^${name} `));
      expect(found[0]).toContain(JSON.stringify(value));
      expect(found[0]).toMatch(/: (set it to|use|write)/);
    }
  });

  test("is listed with all the others", () => {
    const found = errors({
      ENABLE_FINALIZER: "maybe",
      POD_CPU_LIMIT: "x",
      ON_JOB_DELETED: "loud",
      TELEMETRY_TIMEOUT_MS: "0",
    });
    expect(found).toHaveLength(4);
  });

  test("of an exporter that is switched off stops the start as well", () => {
    expect(errors({ METRICS_EXPORTER_ENABLED: "false", METRICS_EXPORTER_PORT: "x" })).toHaveLength(1);
  });

  test("is a request above its limit", () => {
    expect(errors({ WORKER_POD_CPU_REQUEST: "2" })).toEqual([
      'WORKER_POD_CPU_REQUEST "2" is more than POD_CPU_LIMIT "1000m": lower WORKER_POD_CPU_REQUEST, or raise POD_CPU_LIMIT',
    ]);
    expect(errors({ WORKER_POD_CPU_REQUEST: "2", WORKER_POD_CPU_LIMIT: "none" })).toEqual([]);
  });

  test("of Kafka's credentials is never shown", () => {
    const secrets = { KAFKA_USERNAME: "u-hunter2", KAFKA_PASSWORD: "p-hunter2", KAFKA_SASL_JAAS_CONFIG: "j-hunter2" };
    const found = errors({ KAFKA_BOOTSTRAP_SERVERS: "kafka:9092", ...secrets });
    expect(found).toHaveLength(3);
    expect(found.join()).not.toContain("hunter2");
    expect(found.join()).toContain("KAFKA_CREDENTIALS_SECRET");
  });
});

describe("a server", () => {
  const at = (major: string, minor: string) => forServer(standardConfig, { major, minor });

  test("before 1.29 gets no exporter, and it is said", () => {
    for (const minor of ["28", "28+", "9"]) expect(at("1", minor).exporter).toEqual({ at: "unsupported" });
    expect(configWarnings(at("1", "28"))).toEqual([
      "This server is older than Kubernetes 1.29: tests run without the metrics exporter",
    ]);
  });

  test("from 1.29 on changes nothing", () => {
    for (const minor of ["29", "29+", "36"]) expect(at("1", minor)).toBe(standardConfig);
    expect(at("2", "0")).toBe(standardConfig);
  });

  test("whose version cannot be read changes nothing", () => expect(at("", "")).toBe(standardConfig));
});

test("a short life of Jobs is warned of", () => {
  expect(configWarnings(config({ JOB_TTL_SECONDS_AFTER_FINISHED: "0" }))[0]).toContain(
    "JOB_TTL_SECONDS_AFTER_FINISHED",
  );
  expect(configWarnings(config({ JOB_TTL_SECONDS_AFTER_FINISHED: "60" }))).toEqual([]);
});
