// Which requests a resource answers, as both versions of OpenAPI tell them.
import type { Resource, Subresource } from "../registry/resource.ts";
import { builtinName, customName, type GroupVersionKind, indexKey, schemaName } from "./names.ts";

type Method = "get" | "put" | "post" | "delete" | "patch";

export interface Operation {
  readonly method: Method;
  /** `x-kubernetes-action`. kubectl finds what it may ask for by this and the kind. */
  readonly action: string;
  readonly id: string;
  readonly description: string;
  readonly gvk: GroupVersionKind;
  readonly query: readonly string[];
  /** The schema of the body, and the media types that it may have; none: any. */
  readonly body?: string;
  readonly accepts?: readonly string[];
  /** The schema of the answer; undefined: text, or a stream. */
  readonly returns: string | undefined;
  readonly codes: readonly number[];
}

export interface PathEntry {
  readonly path: string;
  readonly kind: string;
  readonly parameters: readonly string[];
  readonly operations: readonly Operation[];
}

const writeQuery = ["dryRun", "fieldManager", "fieldValidation"];
const patchQuery = [...writeQuery, "force"];
const listQuery = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "shardSelector",
  "timeoutSeconds",
  "watch",
];
const deleteQuery = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
];
const deleteManyQuery = [
  ...listQuery.filter((n) => n !== "watch" && n !== "allowWatchBookmarks"),
  ...deleteQuery,
].sort();

/** Query parameters that are no strings. */
const otherTypes: Readonly<Record<string, string>> = {
  allowWatchBookmarks: "boolean",
  force: "boolean",
  gracePeriodSeconds: "integer",
  ignoreStoreReadErrorWithClusterBreakingPotential: "boolean",
  limit: "integer",
  orphanDependents: "boolean",
  sendInitialEvents: "boolean",
  timeoutSeconds: "integer",
  watch: "boolean",
};

export const parameterType = (name: string): string => otherTypes[name] ?? "string";

const patchTypes = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
// `kubectl apply` sends this one wherever it is offered, and custom resources refuse it.
const strategicPatch = "application/strategic-merge-patch+json";

export const patchSchema = schemaName("meta.Patch");
const statusSchema = schemaName("meta.Status");
const deleteOptions = schemaName("meta.DeleteOptions");

/** What the schema of a kind is called that this resource takes or gives. */
export function kindName(r: Resource, gvk: GroupVersionKind): string {
  return !r.builtin && gvk.group === r.group ? customName(gvk) : builtinName(gvk);
}

export function pathsOf(r: Resource): PathEntry[] {
  const gvk: GroupVersionKind = { group: r.group, version: r.version, kind: r.kind };
  const root = `/${indexKey(r.group, r.version)}`;
  const base = r.namespaced ? `${root}/namespaces/{namespace}/${r.resource}` : `${root}/${r.resource}`;
  const scope = r.namespaced ? ["namespace", "pretty"] : ["pretty"];
  const make = operationMaker(r, gvk);
  const found: PathEntry[] = [
    { path: base, kind: r.kind, parameters: scope, operations: some(r, ["list", "create", "deletecollection"], make) },
    {
      path: `${base}/{name}`,
      kind: r.kind,
      parameters: ["name", ...scope],
      operations: some(r, ["get", "update", "delete", "patch"], make),
    },
  ];
  if (r.namespaced && r.verbs.includes("list")) {
    const everywhere = { ...make("list"), id: `${make("list").id}ForAllNamespaces`.replace("Namespaced", "") };
    found.push({ path: `${root}/${r.resource}`, kind: r.kind, parameters: ["pretty"], operations: [everywhere] });
  }
  for (const s of r.subresources) {
    const inner: GroupVersionKind = { group: s.group ?? r.group, version: s.version ?? r.version, kind: s.kind };
    const makeInner = isConnection(s) ? connectMaker(r, inner, s.name) : operationMaker(r, inner, s.name);
    found.push({
      path: `${base}/{name}/${s.name}`,
      kind: r.kind,
      parameters: ["name", ...scope],
      operations: some(s, ["get", "update", "create", "delete", "patch"], makeInner),
    });
  }
  return found.filter((entry) => entry.operations.length > 0);
}

/** `exec`, `proxy` and the like: what they take are options, and what they give is no object. */
const isConnection = (s: Subresource): boolean => s.kind.endsWith("Options");

function connectMaker(r: Resource, gvk: GroupVersionKind, subresource: string): Make {
  const make = operationMaker(r, gvk, subresource);
  return (verb) => {
    const { method } = make(verb);
    const scope = r.namespaced ? "Namespaced" : "";
    const id = `connect${camel(r.group) || "Core"}${camel(r.version)}${camel(method)}${scope}${r.kind}${camel(subresource)}`;
    const description = `connect ${method.toUpperCase()} requests to ${subresource} of ${r.kind}`;
    return { method, action: "connect", id, description, gvk, query: [], returns: undefined, codes: [200] };
  };
}

type Make = (verb: string) => Operation;

const some = (of: { readonly verbs: readonly string[] }, verbs: readonly string[], make: Make): Operation[] =>
  verbs.filter((verb) => of.verbs.includes(verb)).map(make);

function operationMaker(r: Resource, gvk: GroupVersionKind, subresource = ""): Make {
  const self = kindName(r, gvk);
  const list = kindName(r, { ...gvk, kind: r.listKind });
  const name = (word: string, many = ""): string =>
    `${word}${camel(r.group) || "Core"}${camel(r.version)}${many}${r.namespaced ? "Namespaced" : ""}${r.kind}${camel(subresource)}`;
  const make = (
    method: Method,
    action: string,
    id: string,
    description: string,
    more: Partial<Operation>,
  ): Operation => ({
    method,
    action,
    id,
    description: `${description}${subresource === "" ? "" : ` (${subresource})`}`,
    gvk,
    query: [],
    returns: self,
    codes: [200],
    ...more,
  });
  return (verb) => {
    switch (verb) {
      case "list":
        return make("get", "list", name("list"), `list or watch objects of kind ${r.kind}`, {
          query: listQuery,
          returns: list,
        });
      case "create":
        return make("post", "post", name("create"), `create a ${r.kind}`, {
          query: writeQuery,
          body: self,
          codes: [200, 201, 202],
        });
      case "deletecollection":
        return make("delete", "deletecollection", name("delete", "Collection"), `delete collection of ${r.kind}`, {
          query: deleteManyQuery,
          body: deleteOptions,
          returns: statusSchema,
        });
      case "update":
        return make("put", "put", name("replace"), `replace the specified ${r.kind}`, {
          query: writeQuery,
          body: self,
          codes: [200, 201],
        });
      case "patch":
        return make("patch", "patch", name("patch"), `partially update the specified ${r.kind}`, {
          query: patchQuery,
          body: patchSchema,
          accepts: r.builtin ? [...patchTypes, strategicPatch] : patchTypes,
          codes: [200, 201],
        });
      case "delete":
        return make("delete", "delete", name("delete"), `delete a ${r.kind}`, {
          query: deleteQuery,
          body: deleteOptions,
          returns: statusSchema,
          codes: [200, 202],
        });
      default:
        return make("get", "get", name("read"), `read the specified ${r.kind}`, {});
    }
  };
}

/** `RbacAuthorization` for `rbac.authorization.k8s.io`. */
function camel(group: string): string {
  return group
    .replace(/\.k8s\.io$/, "")
    .split(/[^A-Za-z0-9]/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
}
