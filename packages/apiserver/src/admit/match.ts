// Which webhooks and policies a request is shown to: rules, selectors and scope. No expressions here, and nothing is called.
import { type LabelSelector, matchesSelector } from "@telltale/kinds";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { Resource } from "../registry/resource.ts";
import type { Attributes } from "./admission.ts";
import { equivalents } from "./equivalent.ts";

/** What a webhook says of itself, and a policy under other names. */
export interface Criteria {
  readonly rules: readonly JsonObject[];
  readonly excludeRules?: readonly JsonObject[];
  readonly matchPolicy: string;
  readonly namespaceSelector: Json | undefined;
  readonly objectSelector: Json | undefined;
}

/** The labels of a namespace that exists. */
export type NamespaceLabels = (name: string) => Readonly<Record<string, string>> | undefined;

/** The version of the resource in which the request matches, or undefined when it does not. */
export function matchedResource(
  criteria: Criteria,
  a: Attributes,
  catalogue: Catalogue,
  namespaceLabels: NamespaceLabels,
): Resource | undefined {
  if (isExempt(a.resource)) return undefined;
  if (!namespaceMatches(criteria.namespaceSelector, a, namespaceLabels)) return undefined;
  if (!objectMatches(criteria.objectSelector, a)) return undefined;
  const matches = (rules: readonly JsonObject[]) => (r: Resource) => rules.some((rule) => ruleMatches(rule, a, r));
  const others = () => (criteria.matchPolicy === "Exact" ? [] : equivalents(catalogue, a.resource));
  const { rules, excludeRules = [] } = criteria;
  if (excludeRules.length > 0 && [a.resource, ...others()].some(matches(excludeRules))) return undefined;
  return matches(rules)(a.resource) ? a.resource : others().find(matches(rules));
}

const exempt = new Set([
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

/** Nobody may lock himself out of repairing a webhook, and a webhook that asks who may do what must not be asked itself. */
export function isExempt({ group, resource }: Resource): boolean {
  if (group === "admissionregistration.k8s.io") return exempt.has(resource);
  return group === "authorization.k8s.io" || (group === "authentication.k8s.io" && resource.endsWith("reviews"));
}

/** One rule against a request, as if it had come in for `r`. */
export function ruleMatches(rule: JsonObject, a: Attributes, r: Resource): boolean {
  return (
    has(rule["operations"], a.operation) &&
    has(rule["apiGroups"], r.group) &&
    has(rule["apiVersions"], r.version) &&
    texts(rule["resources"]).some((pattern) => resourceMatches(pattern, r.resource, a.subresource)) &&
    scopeMatches(text(rule["scope"]), r) &&
    nameMatches(texts(rule["resourceNames"]), a.name)
  );
}

const texts = (list: Json | undefined): string[] => (Array.isArray(list) ? list.map((item) => text(item)) : []);
const has = (list: Json | undefined, value: string): boolean =>
  texts(list).some((item) => item === "*" || item === value);
const nameMatches = (names: readonly string[], name: string): boolean => names.length === 0 || names.includes(name);

/** `pods`, `pods/status`, `pods/*`, `*`: a star in place of the subresource matches none as well, no subresource only none. */
export function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const main = slash < 0 ? pattern : pattern.slice(0, slash);
  const sub = slash < 0 ? "" : pattern.slice(slash + 1);
  return (main === "*" || main === resource) && (sub === "*" || sub === subresource);
}

const scopeMatches = (scope: string, r: Resource): boolean =>
  scope === "" || scope === "*" || scope === (r.namespaced ? "Namespaced" : "Cluster");

export const isNamespace = (r: Resource): boolean => r.group === "" && r.resource === "namespaces";

function namespaceMatches(selector: Json | undefined, a: Attributes, namespaceLabels: NamespaceLabels): boolean {
  if (isEmpty(selector)) return true;
  if (isNamespace(a.resource)) {
    const own = a.subresource === "" && a.object !== undefined ? labelsOf(a.object) : namespaceLabels(a.name);
    return selects(selector, own ?? labelsOf(a.oldObject));
  }
  return a.namespace === "" || selects(selector, namespaceLabels(a.namespace));
}

/** The object before or after: who watches for a label hears of its coming and of its going. */
function objectMatches(selector: Json | undefined, a: Attributes): boolean {
  if (isEmpty(selector)) return true;
  return [a.object, a.oldObject].some(
    (object) => isObject(object?.["metadata"]) && selects(selector, labelsOf(object)),
  );
}

const isEmpty = (selector: Json | undefined): boolean =>
  !isObject(selector) || Object.values(selector).every((part) => part === null || Object.keys(part).length === 0);

const selects = (selector: Json | undefined, labels: Readonly<Record<string, string>> | undefined): boolean =>
  matchesSelector(selector as LabelSelector, labels ?? {});

function labelsOf(object: JsonObject | undefined): Record<string, string> {
  const labels = at(object, "metadata", "labels");
  return isObject(labels) ? (labels as Record<string, string>) : {};
}
