// What OpenAPI calls the types: `io.k8s.api.apps.v1.Deployment` for a built-in, the group backwards for a custom one.
import { prefixOf } from "../decode/message-name.ts";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Where Go keeps the types whose prefix in the type table is not a group of `k8s.io/api` at v1. */
const packages: Readonly<Record<string, string>> = {
  meta: "io.k8s.apimachinery.pkg.apis.meta.v1",
  runtime: "io.k8s.apimachinery.pkg.runtime",
  resource: "io.k8s.apimachinery.pkg.api.resource",
  intstr: "io.k8s.apimachinery.pkg.util.intstr",
  apiextensions: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
  autoscalingv2: "io.k8s.api.autoscaling.v2",
  apiregistration: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
};

/** The schema name of a message of the type table, or of another type by its prefix. */
export function schemaName(message: string): string {
  const cut = message.indexOf(".");
  const prefix = message.slice(0, cut);
  return `${packages[prefix] ?? `io.k8s.api.${prefix}.v1`}.${message.slice(cut + 1)}`;
}

/** The schema name of a kind that a built-in resource serves. */
export const builtinName = (gvk: GroupVersionKind): string =>
  schemaName(`${prefixOf(gvk.group, gvk.version)}.${gvk.kind}`);

/** `com.example.v1.Widget` for Widget of `example.com/v1`. */
export const customName = ({ group, version, kind }: GroupVersionKind): string =>
  `${group.split(".").reverse().join(".")}.${version}.${kind}`;

/** The part of a path, and the key in the index: `api/v1`, `apis/apps/v1`. */
export const indexKey = (group: string, version: string): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`;

const components = "#/components/schemas/";

export const refTo = (name: string): string => `${components}${name}`;
export const nameOfRef = (ref: string): string => ref.slice(components.length);
