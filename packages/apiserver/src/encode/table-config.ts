// Rows of what is configured: names and data, permissions, admission, quotas and priorities.
import { formatQuantity, parseQuantity } from "@telltale/kinds";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { humanDuration } from "./age.ts";
import { ageOf, count, flag, items, nameOf, none, size, unset, words } from "./cells.ts";
import { columns } from "./columns.ts";
import type { TableForm } from "./table.ts";

const webhooks: TableForm = {
  columns: columns("Name:string/name | Webhooks:integer | Age"),
  row: (o, now) => [nameOf(o), size(o, "webhooks"), ageOf(o, now)],
};

const bindings: TableForm = {
  columns: columns("Name:string/name | Role | Age | Users* | Groups* | ServiceAccounts*"),
  row: (o, now) => [
    nameOf(o),
    `${words(o, "roleRef", "kind")}/${words(o, "roleRef", "name")}`,
    ageOf(o, now),
    subjects(o, "User"),
    subjects(o, "Group"),
    subjects(o, "ServiceAccount"),
  ],
};

export const configForms: Readonly<Record<string, TableForm>> = {
  "/Namespace": {
    columns: columns("Name:string/name | Status | Age"),
    row: (o, now) => [nameOf(o), words(o, "status", "phase"), ageOf(o, now)],
  },
  "/Secret": {
    columns: columns("Name:string/name | Type | Data | Age"),
    row: (o, now) => [nameOf(o), words(o, "type"), size(o, "data"), ageOf(o, now)],
  },
  "/ConfigMap": {
    columns: columns("Name:string/name | Data | Age"),
    row: (o, now) => [nameOf(o), size(o, "data") + size(o, "binaryData"), ageOf(o, now)],
  },
  "/ServiceAccount": {
    columns: columns("Name:string/name | Age"),
    row: (o, now) => [nameOf(o), ageOf(o, now)],
  },
  "/ResourceQuota": {
    columns: columns("Name:string/name | Request | Limit | Age"),
    row: (o, now) => [nameOf(o), ...quota(o), ageOf(o, now)],
  },
  "coordination.k8s.io/Lease": {
    columns: columns("Name:string/name | Holder | Age"),
    row: (o, now) => [nameOf(o), words(o, "spec", "holderIdentity"), ageOf(o, now)],
  },
  "rbac.authorization.k8s.io/RoleBinding": bindings,
  "rbac.authorization.k8s.io/ClusterRoleBinding": bindings,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": {
    columns: columns("Name:string/name | Validations:integer | ParamKind | Age"),
    row: (o, now) => {
      const param = at(o, "spec", "paramKind");
      const kind = isObject(param) ? `${words(param, "apiVersion")}/${words(param, "kind")}` : unset;
      return [nameOf(o), size(o, "spec", "validations"), kind, ageOf(o, now)];
    },
  },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": {
    columns: columns("Name:string/name | PolicyName | ParamRef | Age"),
    row: (o, now) => [nameOf(o), words(o, "spec", "policyName"), paramRef(at(o, "spec", "paramRef")), ageOf(o, now)],
  },
  "scheduling.k8s.io/PriorityClass": {
    columns: columns("Name:string/name | Value:integer | Global-Default:boolean | Age | PreemptionPolicy"),
    row: (o, now) => [
      nameOf(o),
      count(o, "value"),
      flag(o, "globalDefault"),
      ageOf(o, now),
      words(o, "preemptionPolicy") || "PreemptLowerPriority",
    ],
  },
  "node.k8s.io/RuntimeClass": {
    columns: columns("Name:string/name | Handler | Age"),
    row: (o, now) => [nameOf(o), words(o, "handler"), ageOf(o, now)],
  },
  "certificates.k8s.io/CertificateSigningRequest": {
    columns: columns("Name:string/name | Age | SignerName | Requestor | RequestedDuration | Condition"),
    row: (o, now) => [
      nameOf(o),
      ageOf(o, now),
      words(o, "spec", "signerName") || none,
      words(o, "spec", "username"),
      at(o, "spec", "expirationSeconds") === undefined
        ? none
        : humanDuration(Number(count(o, "spec", "expirationSeconds")) * 1000),
      signing(o),
    ],
  },
  "flowcontrol.apiserver.k8s.io/FlowSchema": {
    columns: columns("Name:string/name | PriorityLevel | MatchingPrecedence | DistinguisherMethod | Age | MissingPL"),
    row: (o, now) => [
      nameOf(o),
      words(o, "spec", "priorityLevelConfiguration", "name"),
      count(o, "spec", "matchingPrecedence"),
      words(o, "spec", "distinguisherMethod", "type") || none,
      ageOf(o, now),
      words(
        items(o, "status", "conditions").find((c) => words(c, "type") === "Dangling"),
        "status",
      ) || "?",
    ],
  },
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": {
    columns: columns("Name:string/name | Type | NominalConcurrencyShares | Queues | HandSize | QueueLengthLimit | Age"),
    row: (o, now) => {
      const limited = at(o, "spec", "limited");
      const queuing = at(limited, "limitResponse", "queuing");
      const orNone = (from: Json | undefined, field: string): Json => at(from, field) ?? none;
      return [
        nameOf(o),
        words(o, "spec", "type"),
        orNone(limited, "nominalConcurrencyShares"),
        orNone(queuing, "queues"),
        orNone(queuing, "handSize"),
        orNone(queuing, "queueLengthLimit"),
        ageOf(o, now),
      ];
    },
  },
  "apiregistration.k8s.io/APIService": {
    columns: columns("Name:string/name | Service | Available | Age"),
    row: (o, now) => {
      const service = at(o, "spec", "service");
      const where = isObject(service) ? `${words(service, "namespace")}/${words(service, "name")}` : "Local";
      return [nameOf(o), where, available(o), ageOf(o, now)];
    },
  },
};

function subjects(o: JsonObject, kind: string): string {
  return items(o, "subjects")
    .filter((s) => words(s, "kind") === kind)
    .map((s) => (kind === "ServiceAccount" ? `${words(s, "namespace")}/${words(s, "name")}` : words(s, "name")))
    .join(", ");
}

function paramRef(ref: Json | undefined): string {
  if (!isObject(ref)) return unset;
  const name = words(ref, "name");
  if (name === "") return goSelector(at(ref, "selector"));
  const namespace = words(ref, "namespace");
  return namespace === "" ? `*/${name}` : `${namespace}/${name}`;
}

/** Upstream prints the selector as Go does. */
function goSelector(value: Json | undefined): string {
  const wanted = at(value, "matchLabels");
  const pairs = Object.entries(isObject(wanted) ? wanted : {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, v]) => `${key}: ${text(v)},`)
    .join("");
  const expressions = items(value, "matchExpressions")
    .map(
      (e) =>
        `LabelSelectorRequirement{Key:${words(e, "key")},Operator:${words(e, "operator")},Values:[${items(e, "values").map(text).join(" ")}],},`,
    )
    .join("");
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

/** Used over hard for each resource, by name; limits have a column of their own. */
function quota(o: JsonObject): [string, string] {
  const hard = at(o, "status", "hard");
  const request: string[] = [];
  const limit: string[] = [];
  for (const name of Object.keys(isObject(hard) ? hard : {}).sort()) {
    const line = `${name}: ${amount(at(o, "status", "used", name))}/${amount(at(hard, name))}`;
    (name.startsWith("limits.") ? limit : request).push(line);
  }
  return [request.join(", "), limit.join(", ")];
}

function amount(value: Json | undefined): string {
  const parsed = typeof value === "string" || typeof value === "number" ? parseQuantity(value) : undefined;
  return parsed === undefined ? "0" : formatQuantity(parsed);
}

function signing(o: JsonObject): string {
  const types = items(o, "status", "conditions").map((c) => words(c, "type"));
  let word = types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending";
  if (types.includes("Failed")) word += ",Failed";
  return words(o, "status", "certificate") !== "" ? `${word},Issued` : word;
}

function available(o: JsonObject): string {
  const found = items(o, "status", "conditions").find((c) => words(c, "type") === "Available");
  if (found === undefined) return "Unknown";
  const status = words(found, "status");
  return status === "True" ? status : `${status} (${words(found, "reason")})`;
}
