// What Roles, ClusterRoles and their bindings allow. Pure: objects in, a decision with its reason out.
import { type LabelSelector, matchesSelector } from "@telltale/kinds";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import type { User } from "../request.ts";
import { goQuote } from "../status.ts";

/** What somebody wants to do: with a resource, or with a path that is none. */
export type Attributes =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly verb: string; readonly path: string };

export interface Decision {
  readonly allowed: boolean;
  /** Why it is allowed, or what went wrong on the way to a no; often empty. */
  readonly reason: string;
}

export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** All that is written about permissions, read once. */
export interface Policy {
  readonly clusterRoles: ReadonlyMap<string, readonly Rule[]>;
  /** By `namespace/name`. */
  readonly roles: ReadonlyMap<string, readonly Rule[]>;
  readonly clusterBindings: readonly Binding[];
  readonly bindings: ReadonlyMap<string, readonly Binding[]>;
}

export interface RoleReference {
  readonly kind: string;
  readonly name: string;
}

interface Binding {
  readonly name: string;
  readonly namespace: string;
  readonly role: RoleReference;
  readonly subjects: readonly Subject[];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export interface PolicyObjects {
  readonly clusterRoles: readonly JsonObject[];
  readonly roles: readonly JsonObject[];
  readonly clusterRoleBindings: readonly JsonObject[];
  readonly roleBindings: readonly JsonObject[];
}

export function readPolicy(objects: PolicyObjects): Policy {
  const bindings = new Map<string, Binding[]>();
  for (const binding of objects.roleBindings.map(readBinding)) {
    const there = bindings.get(binding.namespace);
    if (there === undefined) bindings.set(binding.namespace, [binding]);
    else there.push(binding);
  }
  return {
    clusterRoles: clusterRules(objects.clusterRoles),
    roles: new Map(objects.roles.map((role) => [`${namespaceOf(role)}/${nameOf(role)}`, readRules(role)])),
    clusterBindings: objects.clusterRoleBindings.map(readBinding),
    bindings,
  };
}

/** Whether the policy lets a user do it. The first rule that does gives the reason. */
export function decide(policy: Policy, user: User, wanted: Attributes): Decision {
  const missing = new Set<string>();
  const namespace = "path" in wanted ? "" : wanted.namespace;
  for (const grant of grants(policy, user, namespace, missing)) {
    if (grant.rules.some((rule) => covers(rule, wanted))) return { allowed: true, reason: describe(grant) };
  }
  return { allowed: false, reason: missing.size === 0 ? "" : `RBAC: ${together([...missing])}` };
}

/** All rules that hold for a user in a namespace, and what could not be read. */
export function rulesOf(policy: Policy, user: User, namespace: string): { rules: readonly Rule[]; error: string } {
  const missing = new Set<string>();
  const rules = [...grants(policy, user, namespace, missing)].flatMap((grant) => grant.rules);
  return { rules, error: missing.size === 0 ? "" : together([...missing]) };
}

/** The rules of the role that a binding in `namespace` refers to; undefined where there is no such role. */
export function rulesOfRole(
  policy: Policy,
  { kind, name }: RoleReference,
  namespace: string,
): readonly Rule[] | undefined {
  if (kind === "ClusterRole") return policy.clusterRoles.get(name);
  return kind === "Role" ? policy.roles.get(`${namespace}/${name}`) : [];
}

function covers(rule: Rule, wanted: Attributes): boolean {
  if (!has(rule.verbs, wanted.verb)) return false;
  if ("path" in wanted) return rule.nonResourceURLs.some((url) => coversPath(url, wanted.path));
  return (
    has(rule.apiGroups, wanted.group) &&
    rule.resources.some((resource) => coversResource(resource, wanted.resource, wanted.subresource)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(wanted.name))
  );
}

const has = (list: readonly string[], item: string): boolean => list.includes("*") || list.includes(item);

function coversPath(url: string, path: string): boolean {
  if (url === "*" || url === path) return true;
  return url.endsWith("*") && path.startsWith(url.replace(/\*+$/, ""));
}

/** `pods` is not `pods/log`; `*` is everything, `*` + `/scale` that subresource of everything. */
function coversResource(rule: string, resource: string, subresource: string): boolean {
  if (rule === "*") return true;
  if (subresource === "") return rule === resource;
  return rule === `${resource}/${subresource}` || rule === `*/${subresource}`;
}

interface Grant {
  readonly binding: Binding;
  readonly subject: Subject;
  readonly rules: readonly Rule[];
}

/** Every binding that names the user, the ones of the cluster first. */
function* grants(policy: Policy, user: User, namespace: string, missing: Set<string>): Generator<Grant> {
  const local = namespace === "" ? [] : (policy.bindings.get(namespace) ?? []);
  for (const binding of [...policy.clusterBindings, ...local]) {
    const subject = binding.subjects.find((s) => names(s, user, binding.namespace));
    if (subject === undefined) continue;
    const { kind, name } = binding.role;
    const rules = rulesOfRole(policy, binding.role, binding.namespace);
    if (rules === undefined) missing.add(`${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found`);
    else yield { binding, subject, rules };
  }
}

function names(subject: Subject, user: User, namespace: string): boolean {
  if (subject.kind === "User") return subject.name === user.username;
  if (subject.kind === "Group") return user.groups.includes(subject.name);
  if (subject.kind !== "ServiceAccount") return false;
  const home = subject.namespace === "" ? namespace : subject.namespace;
  return home !== "" && user.username === `system:serviceaccount:${home}:${subject.name}`;
}

function describe({ binding, subject }: Grant): string {
  const local = binding.namespace !== "";
  const home = subject.namespace === "" ? binding.namespace : subject.namespace;
  const what = local
    ? `RoleBinding ${goQuote(`${binding.name}/${binding.namespace}`)}`
    : `ClusterRoleBinding ${goQuote(binding.name)}`;
  const who = subject.kind === "ServiceAccount" ? `${subject.name}/${home}` : subject.name;
  return `RBAC: allowed by ${what} of ${binding.role.kind} ${goQuote(binding.role.name)} to ${subject.kind} ${goQuote(who)}`;
}

const together = (problems: readonly string[]): string =>
  problems.length === 1 ? `${problems[0]}` : `[${problems.join(", ")}]`;

/** ClusterRoles by name. One with an aggregationRule is the sum of those that its selectors match. */
function clusterRules(roles: readonly JsonObject[]): Map<string, readonly Rule[]> {
  const byName = new Map(roles.map((role) => [nameOf(role), role]));
  const done = new Map<string, readonly Rule[]>();
  const resolve = (name: string, role: JsonObject): readonly Rule[] => {
    const known = done.get(name);
    if (known !== undefined) return known;
    const own = readRules(role);
    const selectors = items(at(role, "aggregationRule", "clusterRoleSelectors")).filter(isObject);
    // Its own rules stand in while the sum is made: two roles that select each other must come to an end.
    done.set(name, own);
    if (selectors.length === 0) return own;
    const parts = [...byName].filter(([other, part]) => other !== name && selectors.some((s) => selects(s, part)));
    // Where nobody matches, the rules are what the object says: a controller elsewhere may have written them.
    const rules = parts.length === 0 ? own : parts.flatMap(([other, part]) => resolve(other, part));
    done.set(name, rules);
    return rules;
  };
  for (const [name, role] of byName) resolve(name, role);
  return done;
}

function selects(selector: JsonObject, role: JsonObject): boolean {
  const labels = at(role, "metadata", "labels");
  const plain = isObject(labels) ? Object.fromEntries(Object.entries(labels).map(([k, v]) => [k, text(v)])) : {};
  return matchesSelector(selector as unknown as LabelSelector, plain);
}

function readBinding(binding: JsonObject): Binding {
  return {
    name: nameOf(binding),
    namespace: namespaceOf(binding),
    role: { kind: text(at(binding, "roleRef", "kind")), name: text(at(binding, "roleRef", "name")) },
    subjects: items(binding["subjects"]).map((subject) => ({
      kind: text(at(subject, "kind")),
      name: text(at(subject, "name")),
      namespace: text(at(subject, "namespace")),
    })),
  };
}

export const readRules = (role: JsonObject): readonly Rule[] =>
  items(role["rules"]).map((rule) => ({
    verbs: strings(at(rule, "verbs")),
    apiGroups: strings(at(rule, "apiGroups")),
    resources: strings(at(rule, "resources")),
    resourceNames: strings(at(rule, "resourceNames")),
    nonResourceURLs: strings(at(rule, "nonResourceURLs")),
  }));

const nameOf = (object: JsonObject): string => text(at(object, "metadata", "name"));
const namespaceOf = (object: JsonObject): string => text(at(object, "metadata", "namespace"));
const items = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const strings = (value: Json | undefined): string[] => items(value).map((item) => text(item));
