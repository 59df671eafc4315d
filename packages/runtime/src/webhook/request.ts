// An admission request, as a handler sees it: typed by its kind, one shape for each operation.
import { convert, type KindRef, type KubeObject, type Version, type VersionedObject } from "@telltale/kinds";
import { BadReview } from "./answer.ts";
import { isObject, type Json, type JsonObject, text } from "./json.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE";

export interface UserInfo {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What every request tells. */
interface About {
  readonly uid: string;
  /** Empty where the server has yet to make one up. */
  readonly name: string;
  /** Empty for what is in no namespace. */
  readonly namespace: string;
  /** `status`, `scale`; empty for the object itself. */
  readonly subresource: string;
  readonly user: UserInfo;
  /** Nothing will be stored. */
  readonly dryRun: boolean;
}

interface Shapes<T> {
  readonly CREATE: About & { readonly operation: "CREATE"; readonly object: T };
  readonly UPDATE: About & { readonly operation: "UPDATE"; readonly object: T; readonly oldObject: T };
  readonly DELETE: About & { readonly operation: "DELETE"; readonly oldObject: T };
}

export type AdmissionRequest<T extends KubeObject, O extends Operation = Operation> = Shapes<T>[O];

/** A request whose objects are still in the version in which they came. */
export type RawRequest = Shapes<JsonObject>[Operation];

/** Reads `AdmissionReview.request`. Throws `BadReview`. */
export function readRequest(request: JsonObject, uid: string): RawRequest {
  const user = isObject(request["userInfo"]) ? request["userInfo"] : {};
  const about: About = {
    uid,
    name: text(request["name"]),
    namespace: text(request["namespace"]),
    subresource: text(request["subResource"]),
    user: {
      username: text(user["username"]),
      uid: text(user["uid"]),
      groups: texts(user["groups"]),
      extra: extraOf(user),
    },
    dryRun: request["dryRun"] === true,
  };
  const object = (name: "object" | "oldObject"): JsonObject => {
    const value = request[name];
    if (!isObject(value))
      throw new BadReview(`request.${name} is missing in a review of ${text(request["operation"])}`);
    return value;
  };
  switch (request["operation"]) {
    case "CREATE":
      return { ...about, operation: "CREATE", object: object("object") };
    case "UPDATE":
      return { ...about, operation: "UPDATE", object: object("object"), oldObject: object("oldObject") };
    case "DELETE":
      return { ...about, operation: "DELETE", oldObject: object("oldObject") };
    default:
      throw new BadReview(
        `request.operation is ${JSON.stringify(request["operation"] ?? null)}; CREATE, UPDATE and DELETE are known here`,
      );
  }
}

const texts = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(text) : []);

function extraOf(user: JsonObject): Record<string, readonly string[]> {
  const extra = isObject(user["extra"]) ? user["extra"] : {};
  return Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, texts(values)]));
}

/** The same request with its objects in the version of the handler's kind. */
export function typed<T extends KubeObject, O extends Operation>(
  kind: KindRef<T>,
  raw: Shapes<JsonObject>[O],
): AdmissionRequest<T, O> {
  const object = "object" in raw ? { object: inVersionOf(kind, raw.object) } : {};
  const oldObject = "oldObject" in raw ? { oldObject: inVersionOf(kind, raw.oldObject) } : {};
  return { ...raw, ...object, ...oldObject } as unknown as AdmissionRequest<T, O>; // bytes become values here
}

/** An object that came in another version of its kind, as rules without `matchPolicy: Equivalent` send it, is converted. */
export function inVersionOf(kind: KindRef, object: JsonObject): JsonObject {
  const { group, version } = versionOf(object);
  if (group !== kind.group || object["kind"] !== kind.kind) {
    throw new BadReview(
      `this webhook is for ${kind.kind} of ${kind.group || "the core group"}, not for ${text(object["kind"]) || "an object without a kind"} of ${text(object["apiVersion"]) || "no group"}; correct the rules that send it here`,
    );
  }
  return version === kind.version ? object : inVersion(kind, object, kind.version);
}

/** Converted by the kind itself. Throws `BadReview` where it knows no such version. */
export function inVersion(kind: KindRef, object: JsonObject, to: string): JsonObject {
  const from = versionOf(object).version;
  const known = [kind.version, ...(hasVersions(kind) ? kind.versions.map(({ name }) => name) : [])];
  if (!hasVersions(kind) || !known.includes(from)) {
    throw new BadReview(`${kind.kind} is known here in ${known.join(" and ")} only, not in "${from}"`);
  }
  return convert(kind, object as unknown as VersionedObject, to) as unknown as JsonObject;
}

function hasVersions(kind: KindRef): kind is KindRef & { readonly versions: readonly Version[] } {
  return "versions" in kind && Array.isArray(kind.versions);
}

export function versionOf(object: JsonObject): { readonly group: string; readonly version: string } {
  return splitVersion(text(object["apiVersion"]));
}

export function splitVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
