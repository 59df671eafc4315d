// An AdmissionReview: what a webhook is told of a request, and what its answer must look like to count.
import { parseJson } from "../decode/json.ts";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { decodeJsonPatch, goType, type Operation } from "../patch/json-patch.ts";
import type { Resource } from "../registry/resource.ts";
import type { User } from "../request.ts";
import { goQuote, StatusError } from "../status.ts";
import type { Attributes } from "./admission.ts";
import { isNamespace } from "./match.ts";

/** The objects of a request in the version in which somebody wants to see them. */
export interface Versioned {
  readonly resource: Resource;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
}

/** The request without the objects, as expressions see it too. */
export function admissionRequest(a: Attributes, shown: Versioned, uid: string): JsonObject {
  const kind = kindOf(shown.object ?? shown.oldObject, shown.resource);
  const original = kindOf(a.object ?? a.oldObject, a.resource);
  const namespace = isNamespace(a.resource) ? a.name : a.namespace;
  return {
    uid,
    kind,
    resource: resourceOf(shown.resource),
    ...(a.subresource === "" ? {} : { subResource: a.subresource }),
    requestKind: original,
    requestResource: resourceOf(a.resource),
    ...(a.subresource === "" ? {} : { requestSubResource: a.subresource }),
    ...(a.name === "" ? {} : { name: a.name }),
    ...(namespace === "" ? {} : { namespace }),
    operation: a.operation,
    userInfo: userInfo(a.user),
    dryRun: a.dryRun,
    // Whatever version the client wrote its options in.
    options: a.operation === "CONNECT" ? null : { ...a.options, apiVersion: "meta.k8s.io/v1" },
  };
}

export type ReviewVersion = "v1" | "v1beta1";

export const admissionReview = (version: ReviewVersion, request: JsonObject, shown: Versioned): JsonObject => ({
  kind: "AdmissionReview",
  apiVersion: `${group}/${version}`,
  request: { ...request, object: shown.object ?? null, oldObject: shown.oldObject ?? null },
});

const group = "admission.k8s.io";

function kindOf(object: JsonObject | undefined, r: Resource): JsonObject {
  const apiVersion = text(object?.["apiVersion"]) || r.apiVersion;
  const slash = apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind: text(object?.["kind"]) || r.kind,
  };
}

const resourceOf = (r: Resource): JsonObject => ({ group: r.group, version: r.version, resource: r.resource });

const userInfo = ({ username, uid, groups, extra }: User): JsonObject => ({
  username,
  ...(uid === "" ? {} : { uid }),
  groups: [...groups],
  ...(Object.keys(extra).length === 0
    ? {}
    : { extra: Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]])) }),
});

/** An answer that is none. */
export class BadResponse extends Error {}

/** What a webhook decided. */
export interface Decision {
  readonly allowed: boolean;
  readonly status: JsonObject;
  readonly warnings: readonly string[];
  readonly patch: string;
  readonly patchType: string;
}

/** Throws `BadResponse`. */
export function readResponse(answer: Json, version: ReviewVersion, uid: string, mutating: boolean): Decision {
  checkType(answer, version);
  const response = at(answer, "response");
  const invalid = (why: string) => new BadResponse(`received invalid webhook response: ${why}`);
  if (response === undefined || response === null) throw invalid("webhook response was absent");
  checkMembers(response);
  const [patch, patchType] = [text(response["patch"]), response["patchType"]];
  if (version === "v1") {
    const wanted = `${group}/v1, Kind=AdmissionReview`;
    const got = gvk(text(at(answer, "apiVersion")), text(at(answer, "kind")));
    if (got !== wanted) throw invalid(`expected webhook response of ${wanted}, got ${got}`);
    const echoed = text(response["uid"]);
    if (echoed !== uid) throw invalid(`expected response.uid=${goQuote(uid)}, got ${goQuote(echoed)}`);
    if (mutating) {
      if (patch !== "" && patchType === undefined)
        throw invalid("webhook returned response.patch but not response.patchType");
      if (patch === "" && patchType !== undefined)
        throw invalid("webhook returned response.patchType but not response.patch");
    } else {
      if (patch !== "") throw invalid("validating webhook may not return response.patch");
      if (patchType !== undefined) throw invalid("validating webhook may not return response.patchType");
    }
  }
  const warnings = response["warnings"];
  const status = response["status"];
  return {
    allowed: response["allowed"] === true,
    status: isObject(status) ? status : {},
    warnings: Array.isArray(warnings) ? warnings.map((warning) => text(warning)) : [],
    patch: mutating ? patch : "",
    // The older review has one kind of patch, and need not name it.
    patchType: text(patchType) || (version === "v1beta1" ? "JSONPatch" : ""),
  };
}

const gvk = (apiVersion: string, kind: string): string =>
  `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;

const members: Readonly<Record<string, string>> = {
  uid: "types.UID",
  allowed: "bool",
  status: "v1.Status",
  patch: "string",
  patchType: "v1.PatchType",
  warnings: "[]string",
};

/** What Go's decoder says of members that are of another type than they should be. */
function checkMembers(response: Json): asserts response is JsonObject {
  const failed = (why: string) => new BadResponse(`failed to call webhook: ${why}`);
  const mismatch = (value: Json, field: string, type: string) =>
    failed(`json: cannot unmarshal ${goType(value)} into Go struct field ${field} of type ${type}`);
  if (!isObject(response)) throw mismatch(response, "AdmissionReview.response", "v1.AdmissionResponse");
  for (const [name, type] of Object.entries(members)) {
    const value = response[name] ?? null;
    const wanted =
      type === "bool" ? "bool" : type === "v1.Status" ? "object" : type === "[]string" ? "array" : "string";
    if (value !== null && goType(value) !== wanted) throw mismatch(value, `AdmissionResponse.response.${name}`, type);
  }
  const wrong = illegalBase64(text(response["patch"]));
  if (wrong !== undefined) throw failed(`illegal base64 data at input byte ${wrong}`);
}

/** The place of the first character that is none of base64. */
function illegalBase64(value: string): number | undefined {
  const plain = value.replace(/[\r\n]/g, "");
  const good = /^[A-Za-z0-9+/]*/.exec(plain)?.[0].length ?? 0;
  const whole = /^=*$/.test(plain.slice(good)) && plain.length % 4 === 0 && plain.length - good <= 2;
  return whole ? undefined : good === plain.length ? good - (good % 4) : good;
}

/** The scheme that Go's messages name. */
const scheme = "pkg/runtime/scheme.go:111";

function checkType(answer: Json, version: ReviewVersion): void {
  const kind = text(at(answer, "kind")) || "AdmissionReview";
  const apiVersion = text(at(answer, "apiVersion")) || `${group}/${version}`;
  const known = [`${group}/v1`, `${group}/v1beta1`].includes(apiVersion);
  if (kind !== "AdmissionReview" || !known) {
    throw new BadResponse(
      `failed to call webhook: no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme ${goQuote(scheme)}`,
    );
  }
  if (apiVersion !== `${group}/${version}`) {
    const other = apiVersion.slice(group.length + 1);
    throw new BadResponse(
      `failed to call webhook: converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`,
    );
  }
}

/** The operations of a patch; none for an empty one, whatever its type. Throws `BadResponse`. */
export function readPatch({ patch, patchType }: Decision): Operation[] {
  if (patch === "") return [];
  const bytes = Buffer.from(patch, "base64");
  let operations: Operation[];
  try {
    const { value } = parseJson(bytes);
    if (!Array.isArray(value))
      throw new Error(`json: cannot unmarshal ${goType(value)} into Go value of type jsonpatch.Patch`);
    operations = decodeJsonPatch(bytes);
  } catch (error) {
    throw new BadResponse(
      `received undecodable patch in webhook response: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (operations.length > 0 && patchType !== "JSONPatch") {
    throw new BadResponse(`unsupported patch type ${goQuote(patchType)}`);
  }
  return operations;
}

/** The refusal that a client gets when a webhook says no. */
export function denied(name: string, { status }: Decision): StatusError {
  const code = typeof status["code"] === "number" && status["code"] >= 400 ? status["code"] : 400;
  const by = `admission webhook ${goQuote(name)} denied the request`;
  const why = text(status["message"]) || text(status["reason"]);
  const details = status["details"];
  return new StatusError(
    code,
    text(status["reason"]),
    why === "" ? `${by} without explanation` : `${by}: ${why}`,
    isObject(details) ? ordered(details) : undefined,
  );
}

/** Details with the members that they have, in the order in which they are always written. */
function ordered(details: JsonObject): JsonObject {
  const causes = details["causes"];
  const known = picked(details, ["name", "group", "kind", "uid", "causes", "retryAfterSeconds"]);
  if (!Array.isArray(causes)) return known;
  return { ...known, causes: causes.filter(isObject).map((cause) => picked(cause, ["reason", "message", "field"])) };
}

const picked = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])));
