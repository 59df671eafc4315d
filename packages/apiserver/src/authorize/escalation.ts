// A user grants no permissions that the user does not have: the checks of writes of roles (verb `escalate`) and of bindings (verb `bind`).
import { deepEqual } from "@telltale/kinds";
import { at, type Json, type JsonObject, text } from "../json.ts";
import type { User } from "../request.ts";
import { forbidden, type GroupResource, goQuote, notFound, raw } from "../status.ts";
import type { Authorizer } from "./authorizer.ts";
import { type Attributes, type Rule, readRules } from "./rbac.ts";

/** A write of an object of RBAC, after the mutating admission. */
export interface RbacWrite {
  readonly user: User;
  readonly resource: GroupResource;
  readonly namespace: string;
  /** As the URL says: empty for a create. */
  readonly requestName: string;
  readonly object: JsonObject;
  /** The stored object; undefined for a create. */
  readonly old: JsonObject | undefined;
}

const group = "rbac.authorization.k8s.io";

/** `*` on everything, which an aggregation rule can come to. */
const fullAuthority: readonly Rule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [], nonResourceURLs: [] },
  { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["*"] },
];

/** Throws the 403 where a write would grant permissions that the user does not have. */
export function escalationCheck(authorizer: Authorizer): (write: RbacWrite) => void {
  return (write) => {
    const { user, resource, object, old } = write;
    if (resource.group !== group || user.groups.includes("system:masters")) return;
    if (old !== undefined && changesOnlyGarbageCollectorFields(object, old)) return;
    if (resource.resource === "roles" || resource.resource === "clusterroles") checkRole(authorizer, write);
    else if (resource.resource === "rolebindings" || resource.resource === "clusterrolebindings")
      checkBinding(authorizer, write);
  };
}

function checkRole(authorizer: Authorizer, write: RbacWrite): void {
  const { user, resource, namespace, requestName, object, old } = write;
  if (authorizer.allows(user, onRole("escalate", resource.resource, namespace, requestName)).allowed) return;
  checkHolds(authorizer, write, readRules(object));
  if (resource.resource !== "clusterroles" || !(aggregates(object) || (old !== undefined && aggregates(old)))) return;
  if (missingRules(authorizer.held(user, namespace).rules, fullAuthority).length === 0) return;
  throw forbidden(resource, nameOf(object), "must have cluster-admin privileges to use the aggregationRule");
}

function checkBinding(authorizer: Authorizer, write: RbacWrite): void {
  const { user, namespace, object } = write;
  const kind = text(at(object, "roleRef", "kind"));
  const name = text(at(object, "roleRef", "name"));
  const resource = kind === "ClusterRole" ? "clusterroles" : kind === "Role" ? "roles" : undefined;
  if (resource === undefined) throw raw(`unsupported role reference kind: ${goQuote(kind)}`);
  if (authorizer.allows(user, onRole("bind", resource, namespace, name)).allowed) return;
  const rules = authorizer.roleRules({ kind, name }, namespace);
  if (rules === undefined) throw notFound(write.resource, name);
  checkHolds(authorizer, write, rules);
}

const onRole = (verb: string, resource: string, namespace: string, name: string): Attributes => ({
  verb,
  group,
  resource,
  subresource: "",
  namespace,
  name,
});

function checkHolds(
  authorizer: Authorizer,
  { user, resource, namespace, object }: RbacWrite,
  rules: readonly Rule[],
): void {
  const held = authorizer.held(user, namespace);
  const missing = missingRules(held.rules, rules);
  if (missing.length === 0) return;
  const groups = user.groups.map(goQuote).join(" ");
  const who = `user ${goQuote(user.username)} (groups=[${groups}])`;
  const errors = held.error === "" ? "" : `; resolution errors: [${held.error}]`;
  const lines = [...new Set(compact(missing).map(describe))].sort().join("\n");
  throw forbidden(
    resource,
    nameOf(object),
    `${who} is attempting to grant RBAC permissions not currently held:\n${lines}${errors}`,
  );
}

/** The smallest parts of `rules` (one verb on one resource, name or path) that none of the `held` rules covers. */
export function missingRules(held: readonly Rule[], rules: readonly Rule[]): Rule[] {
  return rules.flatMap(smallest).filter((part) => !held.some((rule) => coversPart(rule, part)));
}

function smallest({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): Rule[] {
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  const onResources = apiGroups.flatMap((apiGroup) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({
          ...noRule,
          verbs: [verb],
          apiGroups: [apiGroup],
          resources: [resource],
          resourceNames: name,
        })),
      ),
    ),
  );
  const onPaths = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ ...noRule, verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...onResources, ...onPaths];
}

const noRule: Rule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** Whether one rule allows all of a smallest part. `*` in the part is covered by `*` only. */
function coversPart(rule: Rule, part: Rule): boolean {
  const has = (list: readonly string[], wanted: readonly string[]) =>
    list.includes("*") || wanted.every((item) => list.includes(item));
  return (
    has(rule.verbs, part.verbs) &&
    has(rule.apiGroups, part.apiGroups) &&
    (rule.resources.includes("*") || part.resources.every((resource) => coversResource(rule.resources, resource))) &&
    (rule.resourceNames.length === 0 ||
      (part.resourceNames.length > 0 && part.resourceNames.every((name) => rule.resourceNames.includes(name)))) &&
    part.nonResourceURLs.every((url) => rule.nonResourceURLs.some((held) => coversUrl(held, url)))
  );
}

function coversResource(held: readonly string[], resource: string): boolean {
  if (held.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`);
}

const coversUrl = (held: string, url: string): boolean =>
  held === url || (held.endsWith("*") && url.startsWith(held.replace(/\*+$/, "")));

/** Parts about one resource and name, as one rule with all their verbs. */
function compact(parts: readonly Rule[]): Rule[] {
  const byResource = new Map<string, Rule>();
  for (const part of parts) {
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames, part.nonResourceURLs]);
    const isOnPath = part.nonResourceURLs.length > 0;
    const same = isOnPath ? undefined : byResource.get(key);
    byResource.set(
      isOnPath ? `${key} ${part.verbs[0]}` : key,
      same === undefined ? part : { ...same, verbs: [...same.verbs, ...part.verbs] },
    );
  }
  return [...byResource.values()];
}

function describe(rule: Rule): string {
  const parts = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ] as const;
  const shown = parts.filter(([, values]) => values.length > 0);
  return `{${shown.map(([name, values]) => `${name}:[${values.map(goQuote).join(" ")}]`).join(", ")}}`;
}

/** Owner references and finalizers: who may delete an object may see it off, whatever it grants. */
function changesOnlyGarbageCollectorFields(object: JsonObject, old: JsonObject): boolean {
  return deepEqual(withoutCollected(object), withoutCollected(old));
}

function withoutCollected(object: JsonObject): JsonObject {
  const { ownerReferences, finalizers, selfLink, managedFields, ...metadata } = at(object, "metadata") as JsonObject;
  return { ...object, metadata };
}

const aggregates = (role: JsonObject): boolean => {
  const selectors: Json | undefined = at(role, "aggregationRule", "clusterRoleSelectors");
  return Array.isArray(selectors) && selectors.length > 0;
};

const nameOf = (object: JsonObject): string => text(at(object, "metadata", "name"));
