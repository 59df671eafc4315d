// The checks of the metadata in an update: what every update gets, and what the kind's own rules then find again. An error is shown
// as often as it is found, so each kind has its pattern; these were read off a v1.36.
import type { JsonObject } from "../json.ts";
import type { FieldError } from "../status.ts";
import { type MetaRules, validateMeta, validateMetaParts, validateMetaUpdate } from "./validate.ts";

/** What every update gets, of whatever kind. */
export function commonUpdateChecks(meta: JsonObject, old: JsonObject): FieldError[] {
  return [...validateMetaParts(meta), ...validateMetaUpdate(meta, old)];
}

/** What the rules of a built-in kind check again, on the main endpoint or that of the status. */
export function ownUpdateChecks(
  kind: string,
  status: boolean,
  meta: JsonObject,
  old: JsonObject,
  rules: MetaRules,
): FieldError[] {
  const own = { ...rules, builtin: !takesAnyFinalizer.has(kind) };
  const checks = status ? (unchecked.has(kind) || kind === "CronJob" ? [] : usual) : (patterns.get(kind) ?? usual);
  return checks.flatMap((check) => (check === "update" ? validateMetaUpdate(meta, old, own) : validateMeta(meta, own)));
}

type Check = "update" | "create";

const usual: readonly Check[] = ["update"];
const unchecked: ReadonlySet<string> = new Set(["Event", "PodDisruptionBudget"]);

const patterns: ReadonlyMap<string, readonly Check[]> = new Map([
  ...[...unchecked].map((kind) => [kind, []] as const),
  ...every(["create"], "LimitRange", "EndpointSlice", "VolumeAttachment", "CSINode", "FlowSchema"),
  ...every(["create"], "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
  ...every(["create"], "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
  ...every(["update", "create"], "ConfigMap", "Endpoints", "PersistentVolumeClaim", "Pod", "Secret", "ServiceAccount"),
  ...every(["update", "create"], "ControllerRevision", "Ingress", "IngressClass", "APIService"),
  ...every(["create", "update"], "Namespace", "Node", "Job", "StorageClass", "CSIStorageCapacity", "RuntimeClass"),
  ...every(["create", "update"], "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"),
  ["PersistentVolume", ["create", "create"]],
]);

function every(checks: readonly Check[], ...kinds: readonly string[]): [string, readonly Check[]][] {
  return kinds.map((kind) => [kind, checks]);
}

/** Kinds whose finalizers need no domain. */
const takesAnyFinalizer: ReadonlySet<string> = new Set([
  "APIService",
  "CustomResourceDefinition",
  "Lease",
  "MutatingWebhookConfiguration",
  "RuntimeClass",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration",
]);
