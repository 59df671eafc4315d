// What is installed of an operator, in the order in which a server takes it. Pure.
import type { KubeObject } from "@telltale/kinds";
import type { InstallOptions, Operator } from "../operators/operator.ts";
import { besideOf } from "./beside.ts";
import { deploymentOf } from "./deployment.ts";
import { rolesOf } from "./roles.ts";

export interface ManifestOptions extends InstallOptions {
  /** With it the operator runs in the cluster; without it somebody runs it elsewhere. */
  readonly image?: string;
  /** What `--<operator>.<flag>` was given: its program gets the same. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Whether a Prometheus Operator is told of its figures, where it runs in the cluster. */
  readonly serviceMonitor?: boolean;
}

/** How we know what we brought. */
const partOf = "app.kubernetes.io/part-of";

export const isOurs = ({ metadata }: KubeObject): boolean => metadata?.labels?.[partOf] === "telltale";

export const isForeign = ({ foreign = [] }: Operator, { kind, metadata }: KubeObject): boolean =>
  foreign.some((it) => it.kind === kind && it.metadata?.name === metadata?.name);

export function manifestsOf(operator: Operator, options: ManifestOptions): readonly KubeObject[] {
  const { namespace, image } = options;
  const labels = { [partOf]: "telltale", "app.kubernetes.io/name": operator.name };
  const all: readonly KubeObject[] = [
    namespaceOf(namespace),
    ...operator.crds(options),
    ...(operator.foreign ?? []),
    ...rolesOf(operator, options),
    ...operator.extras(options),
    ...(image === undefined ? [] : [deploymentOf(operator, { ...options, image }), ...besideOf(operator, options)]),
  ];
  return all.map((object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata?.labels, ...labels } },
  }));
}

export const namespaceOf = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
