import { describe, expect, test } from "vitest";
import { demo } from "../../test/demo.ts";
import { configFrom, standardConfig } from "../config.ts";
import { buildEnv, buildEnvFrom } from "./env.ts";
import { buildJob, buildService } from "./index.ts";

const kafka = {
  bootstrapServers: "kafka:9092",
  securityEnabled: true,
  securityProtocol: "SASL_SSL",
  saslMechanism: "PLAIN",
};

describe("the environment", () => {
  test("is what the test asks for, where the operator knows no Kafka", () => {
    expect(buildEnv(demo().spec, standardConfig)).toEqual([]);
    const variables = [{ name: "A", value: "1" }];
    expect(buildEnv(demo({ env: { variables } }).spec, standardConfig)).toEqual(variables);
  });

  test("has Kafka first, then OpenTelemetry, then the test's own, which therefore wins", () => {
    const spec = demo({
      observability: { openTelemetry: { enabled: true, endpoint: "http://c" } },
      env: { variables: [{ name: "KAFKA_BOOTSTRAP_SERVERS", value: "mine:9092" }] },
    }).spec;
    const names = buildEnv(spec, { ...standardConfig, kafka }).map(({ name }) => name);
    expect(names).toEqual([
      "KAFKA_BOOTSTRAP_SERVERS",
      "KAFKA_SECURITY_ENABLED",
      "KAFKA_SECURITY_PROTOCOL_CONFIG",
      "KAFKA_SASL_MECHANISM",
      "OTEL_TRACES_EXPORTER",
      "OTEL_METRICS_EXPORTER",
      "OTEL_LOGS_EXPORTER",
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_EXPORTER_OTLP_PROTOCOL",
      "KAFKA_BOOTSTRAP_SERVERS",
    ]);
  });

  test("has Kafka's credentials by reference, and jaas where it is there", () => {
    const env = buildEnv(demo().spec, { ...standardConfig, kafka: { ...kafka, credentialsSecret: "kafka" } });
    expect(env.slice(-3)).toEqual([
      { name: "KAFKA_SASL_JAAS_CONFIG", valueFrom: { secretKeyRef: { name: "kafka", key: "jaas", optional: true } } },
      { name: "KAFKA_USERNAME", valueFrom: { secretKeyRef: { name: "kafka", key: "username" } } },
      { name: "KAFKA_PASSWORD", valueFrom: { secretKeyRef: { name: "kafka", key: "password" } } },
    ]);
  });

  test("takes ConfigMaps, then Secrets, with their prefixes", () => {
    const env = {
      configMapRefs: [{ name: "settings", prefix: "S_" }, { name: "more" }],
      secretRefs: [{ name: "credentials", prefix: "" }],
    };
    expect(buildEnvFrom(demo({ env }).spec)).toEqual([
      { prefix: "S_", configMapRef: { name: "settings" } },
      { configMapRef: { name: "more" } },
      { secretRef: { name: "credentials" } },
    ]);
  });
});

test("no secret of the operator's environment is in anything that is built", () => {
  const secrets = { KAFKA_USERNAME: "hunter2u", KAFKA_PASSWORD: "hunter2p", KAFKA_SASL_JAAS_CONFIG: "hunter2j" };
  const settings = { KAFKA_BOOTSTRAP_SERVERS: "kafka:9092", KAFKA_CREDENTIALS_SECRET: "kafka-credentials" };
  // With literal credentials the process does not start; without servers they go nowhere.
  expect(configFrom({ ...settings, ...secrets })).toHaveProperty("errors");
  for (const env of [settings, { ...secrets, KAFKA_CREDENTIALS_SECRET: "kafka-credentials" }]) {
    const read = configFrom(env);
    if ("errors" in read) throw new Error(read.errors.join());
    const all = [
      buildJob(demo(), "master", read.config),
      buildJob(demo(), "worker", read.config),
      buildService(demo(), read.config),
    ];
    expect(JSON.stringify(all)).not.toContain("hunter2");
  }
});
