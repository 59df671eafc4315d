// The OpenTelemetry variant: what is set where it is on. Where it is, there is no exporter and nothing for Prometheus.
import type { LocustTestSpec } from "../kinds/spec.ts";
import type { EnvVar } from "./types.ts";

type OpenTelemetry = NonNullable<NonNullable<LocustTestSpec["observability"]>["openTelemetry"]>;

/** The settings, where OpenTelemetry is on. */
export function openTelemetryOf(spec: LocustTestSpec): OpenTelemetry | undefined {
  const settings = spec.observability?.openTelemetry;
  return settings?.enabled === true ? settings : undefined;
}

export function openTelemetryEnv(spec: LocustTestSpec): EnvVar[] {
  const settings = openTelemetryOf(spec);
  if (settings === undefined) return [];
  const { endpoint = "", protocol = "grpc", insecure = false, extraEnvVars = {} } = settings;
  const variables = new Map([
    ["OTEL_TRACES_EXPORTER", "otlp"],
    ["OTEL_METRICS_EXPORTER", "otlp"],
    // Locust exports logs as well since 2.44.1, and few collectors expect them.
    ["OTEL_LOGS_EXPORTER", "none"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", endpoint],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", protocol],
  ]);
  if (insecure) variables.set("OTEL_EXPORTER_OTLP_INSECURE", "true");
  // A Map keeps the place of a key that is set again.
  for (const name of Object.keys(extraEnvVars).sort()) variables.set(name, extraEnvVars[name] ?? "");
  return Array.from(variables, ([name, value]) => ({ name, value }));
}
