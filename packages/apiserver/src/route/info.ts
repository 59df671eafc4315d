// What a request asks for, read off its method and path alone.
import { queryBoolean } from "../decode/options.ts";

export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "" /* a method that no resource has */;

/** A request for a resource, or for anything else by its path. */
export type RequestInfo =
  | {
      readonly isResource: true;
      readonly verb: Verb;
      readonly group: string;
      readonly version: string;
      readonly namespace: string;
      /** The resource follows the namespace in the path, as in `namespaces/{namespace}/{resource}`. */
      readonly isInNamespace: boolean;
      readonly resource: string;
      readonly name: string;
      readonly subresource: string;
      /** What follows the subresource: the path of a proxy. */
      readonly rest: string;
      readonly path: string;
    }
  | { readonly isResource: false; readonly verb: string; readonly path: string };

export type ResourceInfo = Extract<RequestInfo, { isResource: true }>;

const verbs: ReadonlyMap<string, Verb> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const other: RequestInfo = { isResource: false, verb: method.toLowerCase(), path };
  const segments = path
    .split("/")
    .filter((s) => s !== "")
    .map(decode);
  const core = segments[0] === "api";
  if (!core && segments[0] !== "apis") return other;
  const head = core ? 2 : 3;
  if (segments.length <= head) return other;
  const group = core ? "" : (segments[1] ?? "");
  const version = segments[head - 1] ?? "";
  let parts = segments.slice(head);
  const watching = parts[0] === "watch";
  if (watching) parts = parts.slice(1);
  if (parts.length === 0) return other;
  let namespace = "";
  let isInNamespace = false;
  if (parts[0] === "namespaces" && parts.length > 1) {
    namespace = parts[1] ?? "";
    isInNamespace = parts.length > 2 && parts[2] !== "status" && parts[2] !== "finalize";
    if (isInNamespace) parts = parts.slice(2);
  }
  const [resource = "", name = "", subresource = "", ...rest] = parts;
  const selected = selectedName(query);
  const verb = refine(verbs.get(method) ?? "", name, watching, query);
  return {
    isResource: true,
    verb,
    group,
    version,
    namespace,
    isInNamespace,
    resource,
    name: name === "" && (verb === "list" || verb === "watch") ? selected : name,
    subresource,
    rest: rest.join("/"),
    path,
  };
}

function refine(verb: Verb, name: string, watching: boolean, query: URLSearchParams): Verb {
  if (verb === "delete") return name === "" ? "deletecollection" : "delete";
  if (verb !== "get") return verb;
  if (watching) return "watch";
  if (name !== "") return "get";
  return queryBoolean(query, "watch") === true ? "watch" : "list";
}

/** A list by exactly one name is about that one object, for permissions too. */
function selectedName(query: URLSearchParams): string {
  for (const term of (query.get("fieldSelector") ?? "").split(",")) {
    const match = /^metadata\.name==?([^=!]+)$/.exec(term.trim());
    if (match?.[1] !== undefined) return match[1];
  }
  return "";
}

/** A segment as text; one that does not decode is left as it is, and will not be found. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
