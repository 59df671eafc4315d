// The environment of Locust: what the operator knows of Kafka, OpenTelemetry, and what the test asks for, in this order.
// Of two variables with one name Kubernetes takes the last, so that a test can overrule the operator.
import type { Config, Kafka } from "../config.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { openTelemetryEnv } from "./opentelemetry.ts";
import type { EnvFromSource, EnvVar } from "./types.ts";

export function buildEnv(spec: LocustTestSpec, config: Config): EnvVar[] {
  return [...kafkaEnv(config.kafka), ...openTelemetryEnv(spec), ...(spec.env?.variables ?? [])];
}

export function buildEnvFrom({ env }: LocustTestSpec): EnvFromSource[] {
  const prefixed = ({ prefix }: { readonly prefix?: string }) => (prefix ? { prefix } : {});
  return [
    ...(env?.configMapRefs ?? []).map((ref) => ({ ...prefixed(ref), configMapRef: { name: ref.name } })),
    ...(env?.secretRefs ?? []).map((ref) => ({ ...prefixed(ref), secretRef: { name: ref.name } })),
  ];
}

/** Credentials are read by the kubelet from a Secret beside the test. A literal one would stand readable in every Job. */
function kafkaEnv(kafka: Kafka | undefined): EnvVar[] {
  if (kafka === undefined) return [];
  const { credentialsSecret: name } = kafka;
  const fromSecret = (variable: string, key: string, optional = false): EnvVar[] => {
    if (name === undefined) return [];
    const secretKeyRef = { name, key, ...(optional && { optional }) };
    return [{ name: variable, valueFrom: { secretKeyRef } }];
  };
  return [
    { name: "KAFKA_BOOTSTRAP_SERVERS", value: kafka.bootstrapServers },
    { name: "KAFKA_SECURITY_ENABLED", value: String(kafka.securityEnabled) },
    { name: "KAFKA_SECURITY_PROTOCOL_CONFIG", value: kafka.securityProtocol },
    { name: "KAFKA_SASL_MECHANISM", value: kafka.saslMechanism },
    ...fromSecret("KAFKA_SASL_JAAS_CONFIG", "jaas", true),
    ...fromSecret("KAFKA_USERNAME", "username"),
    ...fromSecret("KAFKA_PASSWORD", "password"),
  ];
}
