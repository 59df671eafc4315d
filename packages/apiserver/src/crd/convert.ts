// Between versions of a custom resource. Strategy None changes the apiVersion; a webhook is asked in a ConversionReview, and what it
// answers is checked here. Section 12.6. The HTTP call itself is elsewhere.
import { isObject, type Json, type JsonObject, member, put, text } from "../json.ts";
import { raw, type StatusError } from "../status.ts";

/** Strategy None. What the other version's schema thinks of the result is up to its own reading. */
export function convertNone(object: JsonObject, apiVersion: string): JsonObject {
  return object["apiVersion"] === apiVersion ? object : { ...object, apiVersion };
}

/** What is asked of a webhook: only objects that are not at the wanted version yet. */
export interface ConversionRequest {
  readonly uid: string;
  readonly desired: string;
  readonly objects: readonly JsonObject[];
  /** Whether a list was asked for, which messages tell by an index. */
  readonly list: boolean;
}

export function conversionRequest(
  objects: readonly JsonObject[],
  desired: string,
  uid: string,
  list = objects.length !== 1,
): ConversionRequest {
  return { uid, desired, objects: objects.filter((o) => o["apiVersion"] !== desired), list };
}

/** The body of the call. */
export function conversionReview(request: ConversionRequest): JsonObject {
  return {
    kind: "ConversionReview",
    apiVersion: reviewVersion,
    request: { uid: request.uid, desiredAPIVersion: request.desired, objects: [...request.objects] },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
}

/** The converted objects, in the order of those that were asked about; throws what the server answers instead. */
export function checkConversionResponse(request: ConversionRequest, response: Json): JsonObject[] {
  const answered = readReview(request, response);
  if (answered.length !== request.objects.length) {
    throw failure(request, `returned ${answered.length} objects, expected ${request.objects.length}`);
  }
  return request.objects.map((object, i) => {
    const converted = asObject(answered[i]);
    const version = text(converted["apiVersion"]);
    const kind = text(converted["kind"]);
    if (version !== request.desired) {
      const detail = `invalid groupVersion (expected ${request.desired}, received ${version})`;
      throw failure(request, `returned invalid object at index ${i}: ${detail}`);
    }
    if (kind !== object["kind"]) {
      const detail = `invalid kind (expected ${text(object["kind"])}, received ${kind})`;
      throw failure(request, `returned invalid object at index ${i}: ${detail}`);
    }
    const where = (what: string) => (request.list ? ` ${what} in object at index ${i}` : ` ${what}`);
    const changed = changedIdentity(asObject(object["metadata"]), asObject(converted["metadata"]));
    if (changed !== undefined) {
      const told = request.list ? `invalid converted object at index ${i}` : "invalid object";
      throw failure(request, `returned ${told}: ${changed}`);
    }
    const metadata = restoreMetadata(object, converted);
    if (typeof metadata === "string") throw failure(request, `returned${where("invalid metadata")}: ${metadata}`);
    return { ...converted, metadata };
  });
}

/** The call itself failed: no connection, no 200, no JSON. */
export function conversionCallFailed(request: ConversionRequest, why: string): StatusError {
  return failure(request, `failed: ${why}`);
}

const reviewVersion = "apiextensions.k8s.io/v1";

function failure(request: ConversionRequest, what: string): StatusError {
  const [first] = request.objects;
  return raw(`conversion webhook for ${gvk(text(first?.["apiVersion"]), text(first?.["kind"]))} ${what}`);
}

/** `example.com/v1, Kind=Widget`; the core group shows as nothing before its slash. */
function gvk(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function readReview(request: ConversionRequest, review: Json): Json[] {
  const kind = gvk(text(member(review, "apiVersion")), text(member(review, "kind")));
  const wanted = gvk(reviewVersion, "ConversionReview");
  if (kind !== wanted) throw failure(request, `failed: expected webhook response of ${wanted}, got ${kind}`);
  const response = member(review, "response");
  if (!isObject(response)) throw failure(request, "failed: no response provided");
  const uid = text(response["uid"]);
  if (uid !== request.uid) {
    throw failure(request, `failed: expected response.uid=${JSON.stringify(request.uid)}, got ${JSON.stringify(uid)}`);
  }
  const result = asObject(response["result"]);
  const status = text(result["status"]);
  if (status !== "Success") {
    const why =
      text(result["message"]) || text(result["reason"]) || `response.result.status was '${status}', not 'Success'`;
    throw failure(request, `failed: ${why}`);
  }
  const converted = response["convertedObjects"];
  return Array.isArray(converted) ? converted : [];
}

function changedIdentity(before: JsonObject, after: JsonObject): string | undefined {
  for (const [name, shown] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const [a, b] = [text(before[name]), text(after[name])];
    if (a !== b) return `must have the same ${shown}: ${a} != ${b}`;
  }
  return undefined;
}

/** The old metadata with the labels and annotations of the new; a webhook may change nothing else. A string says what is wrong. */
function restoreMetadata(object: JsonObject, converted: JsonObject): JsonObject | string {
  const after = member(converted, "metadata");
  if (after === undefined) return "missing metadata in converted object";
  if (!isObject(after)) return `invalid metadata of type ${typeof after} in input object`;
  const metadata: JsonObject = { ...asObject(object["metadata"]) };
  for (const name of ["labels", "annotations"]) {
    const value = member(after, name);
    if (value === undefined || value === null) delete metadata[name];
    else if (!isObject(value)) return `invalid metadata.${name} of type ${typeof value} in converted object`;
    else {
      const texts: JsonObject = {};
      for (const [key, one] of Object.entries(value)) {
        if (typeof one !== "string")
          return `metadata.${name}[${JSON.stringify(key)}] in converted object is not a string`;
        put(texts, key, one);
      }
      metadata[name] = texts;
    }
  }
  return metadata;
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
