// Labels and annotations of what is built: how pods are found, what Prometheus reads, and which spec was applied.
import { canonicalJson, sha256Hex } from "@telltale/kinds";
import type { Config, Role } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { nodeName } from "./names.ts";
import { deployedExporter } from "./sidecar.ts";

export const testLabel = "performance-test-name";
export const podLabel = "performance-test-pod-name";

/** The labels that only the operator sets. */
export const reservedLabels: readonly string[] = ["app", testLabel, podLabel, "managed-by"];

export const appliedGenerationAnnotation = "locust.io/applied-generation";
export const appliedSpecHashAnnotation = "locust.io/applied-spec-hash";

/** The four labels of a role's Job and pods, and of the master's Service. */
export function ownLabels(test: string, role: Role): Record<string, string> {
  return {
    app: test,
    [testLabel]: test,
    [podLabel]: nodeName(test, role),
    "managed-by": "locust-k8s-operator",
  };
}

/** Labels of pods: the user's, and ours over them, or pods and Service would not find each other. */
export function podLabels(test: string, role: Role, spec: LocustTestSpec): Record<string, string> {
  return { ...spec[role].labels, ...ownLabels(test, role) };
}

/** Annotations of pods: what Prometheus needs where the exporter runs, and the user's over it. */
export function podAnnotations(role: Role, spec: LocustTestSpec, config: Config): Record<string, string> {
  const exporter = role === "master" ? deployedExporter(spec, config) : undefined;
  const scrape = exporter && {
    "prometheus.io/scrape": "true",
    "prometheus.io/path": "/metrics",
    "prometheus.io/port": String(exporter.port),
  };
  return { ...scrape, ...spec[role].annotations };
}

/** What Jobs and Service remember of the spec that they were made from, should the status be lost. */
export function appliedAnnotations({ metadata, spec }: LocustTest): Record<string, string> {
  return {
    [appliedGenerationAnnotation]: String(metadata.generation ?? 0),
    [appliedSpecHashAnnotation]: specHash(spec),
  };
}

/** A short name of what is built from a spec: equal for equal specs, whatever the order of their keys. How a test is judged is no part of it. */
export function specHash(spec: object): string {
  const { successCriteria: _, ...built } = spec as Partial<LocustTestSpec>;
  return sha256Hex(canonicalJson(built), 16);
}
