// From bytes to a JSON value of any media type, and what the value says it is.
import { isObject, type Json, type JsonObject } from "../json.ts";
import { badRequest } from "../status.ts";
import { JsonError, parseJson, type Repeated } from "./json.ts";
import type { MediaType } from "./media.ts";
import { messageName, prefixOf } from "./message-name.ts";
import { decodeWire, openEnvelope } from "./protobuf.ts";
import { goKind, type Written } from "./typed.ts";
import { WireError } from "./wire.ts";
import { parseYaml } from "./yaml.ts";

export interface ParsedBody extends Written {
  readonly value: Json;
  /** Dotted paths of names that came twice. */
  readonly duplicates: readonly string[];
  /** Repeated keys of YAML, as its reader words them. */
  readonly repeatedKeys: readonly string[];
  /** A number that no float64 can hold. */
  readonly overflow: string | undefined;
}

// Go's decoder goes to 10,000, but what is deeper than this cannot be written back: JSON.stringify ends at about 5,000.
export const maxBodyDepth = 1000;

/** What Go calls the scheme that holds all kinds. */
export const scheme = "pkg/runtime/scheme.go:111";

/** Throws a `JsonError`, `YamlError` or `WireError`. `message` is what a protobuf body without a kind is read as. */
export async function parseBody(
  bytes: Uint8Array,
  mediaType: MediaType,
  repeated: Repeated,
  message: string | undefined,
): Promise<ParsedBody> {
  if (mediaType === "application/json")
    return { ...parseJson(bytes, { maxDepth: maxBodyDepth, repeated }), repeatedKeys: [] };
  if (mediaType === "application/yaml") {
    const { value, duplicates } = await parseYaml(bytes, maxBodyDepth);
    return { ...asIs, value, repeatedKeys: duplicates };
  }
  return { ...asIs, value: fromEnvelope(bytes, message) };
}

const asIs = {
  duplicates: [],
  repeats: [],
  repeatedKeys: [],
  numbers: new Map<object, never>(),
  order: new Map<object, never>(),
  overflow: undefined,
} satisfies Omit<ParsedBody, "value">;

function fromEnvelope(bytes: Uint8Array, fallback: string | undefined): Json {
  const { apiVersion, kind, raw } = openEnvelope(bytes);
  const [group, version] = splitVersion(apiVersion) ?? ["", ""];
  const name = kind === "" ? fallback : messageName(group, version, kind);
  return {
    ...(name === undefined ? {} : contentOf(raw, name)),
    ...(apiVersion === "" ? {} : { apiVersion }),
    ...(kind === "" ? {} : { kind }),
  };
}

function contentOf(raw: Uint8Array, name: string): JsonObject {
  try {
    return decodeWire(raw, name);
  } catch (error) {
    if (error instanceof WireError) error.inside = true;
    throw error;
  }
}

const typeStruct = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;

/** What the value says it is. Names are found whatever their case, as Go finds them. Throws a `JsonError`. */
export function readTypeMeta(value: Json): { readonly apiVersion: string; readonly kind: string } {
  const found = { apiVersion: "", kind: "" };
  if (value === null) return found;
  if (!isObject(value))
    throw new JsonError(`json: cannot unmarshal ${goKind(value)} into Go value of type ${typeStruct}`);
  for (const name of Object.keys(value)) {
    const lower = name.length > 10 ? "" : name.toLowerCase();
    const field = lower === "apiversion" ? "apiVersion" : lower === "kind" ? "kind" : undefined;
    if (field === undefined) continue;
    const inner = value[name];
    if (inner === null || inner === undefined) continue;
    if (typeof inner !== "string")
      throw new JsonError(`json: cannot unmarshal ${goKind(inner)} into Go struct field .${field} of type string`);
    found[field] = inner;
  }
  return found;
}

/** Group and version of an apiVersion; undefined when it has more than one slash. */
export function splitVersion(apiVersion: string): [group: string, version: string] | undefined {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return undefined;
  const [first = "", second] = parts;
  return second === undefined ? ["", first] : [first, second];
}

/** Throws 400 when it is no apiVersion. */
export function registeredIn(apiVersion: string): void {
  if (splitVersion(apiVersion) === undefined) throw badRequest(`unexpected GroupVersion string: ${apiVersion}`);
}

/** Whether the server's scheme has a kind in a version, served or not. */
export function isRegistered(group: string, version: string, kind: string): boolean {
  const item = kind.endsWith("List") && kind !== "List" ? kind.slice(0, -4) : kind;
  if (legacy.get(group === "" ? version : `${group}/${version}`)?.includes(item) === true) return true;
  const served = version === "v1" || (group === "autoscaling" && version === "v2");
  if (!served) return false;
  if (kind === "List" || kind === "Status" || kind === "DeleteOptions") return true;
  return messageName(group, version, item) !== undefined && !parts.test(item);
}

/** Messages of the table that are parts of kinds, not kinds. */
const parts = /(?:Spec|Status|Source|Reference|Condition|Template)$/;

/** Versions that are gone from the API but not from the scheme. */
const legacy: ReadonlyMap<string, readonly string[]> = new Map([
  ["extensions/v1beta1", ["Deployment", "DaemonSet", "ReplicaSet", "Ingress", "NetworkPolicy", "Scale"]],
  ["apps/v1beta1", ["Deployment", "StatefulSet", "ControllerRevision", "Scale"]],
  ["apps/v1beta2", ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ControllerRevision", "Scale"]],
  ["batch/v1beta1", ["CronJob"]],
  ["policy/v1beta1", ["PodDisruptionBudget", "Eviction"]],
  ["networking.k8s.io/v1beta1", ["Ingress", "IngressClass"]],
  ["rbac.authorization.k8s.io/v1beta1", ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"]],
  ["rbac.authorization.k8s.io/v1alpha1", ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"]],
  ["storage.k8s.io/v1beta1", ["StorageClass"]],
  ["coordination.k8s.io/v1beta1", ["Lease"]],
  ["scheduling.k8s.io/v1beta1", ["PriorityClass"]],
  ["discovery.k8s.io/v1beta1", ["EndpointSlice"]],
  ["events.k8s.io/v1beta1", ["Event"]],
  ["certificates.k8s.io/v1beta1", ["CertificateSigningRequest"]],
  ["node.k8s.io/v1beta1", ["RuntimeClass"]],
  ["apiextensions.k8s.io/v1beta1", ["CustomResourceDefinition"]],
  ["admissionregistration.k8s.io/v1beta1", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]],
]);

/** Go's name of the internal type of a kind: `core.ConfigMap`. */
export const internalType = (group: string, kind: string): string => `${prefixOf(group, "v1")}.${kind}`;

export const asObject = (value: Json): JsonObject => (isObject(value) ? value : {});
