// LimitRanges: what a pod of the namespace gets where it says nothing, and what it may not go beyond. The words are those of
// Kubernetes. Pure.
import { type Amounts, amountsIn, compareQuantity, formatQuantity, podResources } from "@telltale/kinds";
import { at, type JsonObject, text } from "../json.ts";
import { each, given } from "./edit.ts";

const told = "kubernetes.io/limit-ranger";

/** A new pod whose containers ask for, and are limited to, what the ranges say where they say nothing themselves. */
export function withUsualAmounts(pod: JsonObject, ranges: readonly JsonObject[]): JsonObject {
  return ranges.reduce(withUsualOf, pod);
}

function withUsualOf(pod: JsonObject, range: JsonObject): JsonObject {
  const usual = each(given(range, "spec"), "limits").find((it) => it["type"] === "Container");
  if (usual === undefined) return pod;
  const said: string[] = [];
  const spec: JsonObject = { ...given(pod, "spec") };
  for (const [group, what] of [
    ["containers", "container"],
    ["initContainers", "init container"],
  ] as const) {
    const containers = each(spec, group);
    if (containers.length > 0) spec[group] = containers.map((it) => filledIn(it, usual, what, said));
  }
  if (said.length === 0) return pod;
  const metadata = given(pod, "metadata") ?? {};
  const annotations = { ...given(metadata, "annotations"), [told]: `LimitRanger plugin set: ${said.join("; ")}` };
  return { ...pod, metadata: { ...metadata, annotations }, spec };
}

function filledIn(container: JsonObject, usual: JsonObject, what: string, said: string[]): JsonObject {
  const resources: JsonObject = { ...given(container, "resources") };
  let isChanged = false;
  for (const [field, from, word] of [
    ["requests", "defaultRequest", "request"],
    ["limits", "default", "limit"],
  ] as const) {
    const own = given(resources, field) ?? {};
    const added = given(usual, from) ?? {};
    const missing = Object.keys(added)
      .filter((name) => !Object.hasOwn(own, name))
      .sort();
    if (missing.length === 0) continue;
    isChanged = true;
    resources[field] = { ...added, ...own };
    said.push(`${missing.join(", ")} ${word} for ${what} ${text(container["name"])}`);
  }
  return isChanged ? { ...container, resources } : container;
}

/** What of an object is beyond a range, each thing once. */
export function brokenLimits(range: JsonObject, resource: string, object: JsonObject): readonly string[] {
  const broken = each(given(range, "spec"), "limits").flatMap((limit) => {
    const type = text(limit["type"]);
    return subjects(type, resource, object).flatMap((it) => beyond(limit, type, it));
  });
  return [...new Set(broken)];
}

interface Subject {
  readonly requests: Amounts;
  /** Undefined: it is of a kind that has no limits of its own. */
  readonly limits?: Amounts;
}

/** What a limit of this type is about in an object. */
function subjects(type: string, resource: string, object: JsonObject): readonly Subject[] {
  const of = (holder: JsonObject): Subject => ({
    requests: amountsIn(at(holder, "resources", "requests")),
    limits: amountsIn(at(holder, "resources", "limits")),
  });
  if (resource === "pods" && type === "Pod") return [podResources(object)];
  if (resource === "pods" && type === "Container") {
    const spec = given(object, "spec");
    return [...each(spec, "containers"), ...each(spec, "initContainers")].map(of);
  }
  if (resource === "persistentvolumeclaims" && type === "PersistentVolumeClaim")
    return [{ requests: amountsIn(at(object, "spec", "resources", "requests")) }];
  return [];
}

function beyond(limit: JsonObject, type: string, { requests, limits }: Subject): string[] {
  const each = (field: string) => [...amountsIn(limit[field])].sort(([a], [b]) => (a < b ? -1 : 1));
  const found: string[] = [];
  for (const [name, least] of each("min")) {
    const usage = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`;
    const [request, most] = [requests.get(name), limits?.get(name)];
    if (request === undefined) found.push(`${usage}.  No request is specified`);
    else if (compareQuantity(request, least) < 0) found.push(`${usage}, but request is ${formatQuantity(request)}`);
    else if (most !== undefined && compareQuantity(most, least) < 0)
      found.push(`${usage}, but limit is ${formatQuantity(most)}`);
  }
  for (const [name, most] of each("max")) {
    const usage = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
    const [request, own] = [requests.get(name), limits?.get(name)];
    if (limits !== undefined && own === undefined) found.push(`${usage}.  No limit is specified`);
    else if (limits === undefined && request === undefined) found.push(`${usage}.  No request is specified`);
    else if (own !== undefined && compareQuantity(own, most) > 0)
      found.push(`${usage}, but limit is ${formatQuantity(own)}`);
    else if (request !== undefined && compareQuantity(request, most) > 0)
      found.push(`${usage}, but request is ${formatQuantity(request)}`);
  }
  for (const [name, most] of each("maxLimitRequestRatio")) {
    const usage = `${name} max limit to request ratio per ${type} is ${formatQuantity(most)}`;
    const [request, own] = [requests.get(name)?.nano ?? 0n, limits?.get(name)?.nano ?? 0n];
    const ratio = Number(own) / Number(request);
    if (request === 0n) found.push(`${usage}, but no request is specified or request is 0`);
    else if (own === 0n) found.push(`${usage}, but no limit is specified or limit is 0`);
    else if (ratio > Number(most.nano) / 1e9) found.push(`${usage}, but provided ratio is ${ratio.toFixed(6)}`);
  }
  return found;
}
