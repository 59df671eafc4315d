// The body of a create or an update as an object of the expected kind: media type, JSON, version and kind, types, strictness.
import { isObject, type Json, type JsonObject, member, stringify, text } from "../json.ts";
import { badRequest, invalid, invalidField, type StatusError } from "../status.ts";
import { JsonError } from "./json.ts";
import { bodyMediaType, mediaTypes } from "./media.ts";
import { messageName } from "./message-name.ts";
import { normalize } from "./normalize.ts";
import type { FieldValidation } from "./options.ts";
import {
  asObject,
  internalType,
  isRegistered,
  type ParsedBody,
  parseBody,
  readTypeMeta,
  scheme,
  splitVersion,
} from "./parse-body.ts";
import { cannotBeHandled, decodeTyped } from "./typed.ts";
import { WireError } from "./wire.ts";
import { YamlError } from "./yaml.ts";

export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly builtin: boolean;
  /** The message of the type table, where it is not the one of the kind. */
  readonly message?: string;
  /** Other versions that have the same fields and are taken as well. */
  readonly alike?: readonly string[];
  /** The decoder knows no other kind: that of a custom resource's `scale`. */
  readonly alone?: boolean;
}

export interface BodyRequest {
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
  readonly expect: ExpectedKind;
  readonly fieldValidation: FieldValidation;
  /** Custom resources: drops what the schema does not have, and names it. */
  readonly prune?: (object: JsonObject) => { readonly object: JsonObject; readonly unknown: readonly string[] };
}

export interface DecodedBody {
  readonly object: JsonObject;
  readonly warnings: string[];
}

/** Throws 400, 415 or 422. */
export async function decodeBody(request: BodyRequest): Promise<DecodedBody> {
  const { bytes, expect } = request;
  const message = expect.builtin
    ? (expect.message ?? messageName(expect.group, expect.version, expect.kind))
    : undefined;
  // A custom resource has no message that protobuf could carry.
  const mediaType = bodyMediaType(
    request.contentType,
    expect.builtin ? mediaTypes : ["application/json", "application/yaml"],
  );
  const unrecognized = (why: string): StatusError =>
    badRequest(`the object provided is unrecognized (must be of type ${expect.kind}): ${why} (${snippet(bytes)})`);
  let parsed: ParsedBody;
  let type: TypeMeta;
  try {
    parsed = await parseBody(bytes, mediaType, expect.builtin ? "merge" : "replace", message);
    type = readTypeMeta(parsed.value);
  } catch (error) {
    if (error instanceof JsonError) throw unrecognized(`couldn't get version/kind; json parse error: ${error.message}`);
    if (error instanceof WireError && error.inside)
      throw cannotBeHandled(expect.kind, expect.version, expect.kind, error.message);
    if (error instanceof YamlError || error instanceof WireError) throw unrecognized(error.message);
    throw error;
  }
  if (splitVersion(type.apiVersion) === undefined)
    throw unrecognized(`unexpected GroupVersion string: ${type.apiVersion}`);
  if (message !== undefined) return decodeBuiltin(parsed, type, message, request);
  if (type.kind === "") {
    const shown = mediaType === "application/json" ? Buffer.from(bytes).toString() : stringify(parsed.value);
    throw unrecognized(`Object 'Kind' is missing in '${shown}'`);
  }
  return decodeCustom(parsed, type, request);
}

type TypeMeta = ReturnType<typeof readTypeMeta>;

const versionName = (group: string, version: string): string => (group === "" ? version : `${group}/${version}`);

function decodeBuiltin(
  parsed: ParsedBody,
  type: TypeMeta,
  message: string,
  { expect, fieldValidation }: BodyRequest,
): DecodedBody {
  const wanted = versionName(expect.group, expect.version);
  const apiVersion = type.apiVersion || wanted;
  const kind = type.kind || expect.kind;
  const [group = "", version = ""] = splitVersion(apiVersion) ?? [];
  const known = apiVersion === wanted || expect.alike?.includes(apiVersion) === true;
  if (!known || kind !== expect.kind) {
    if (expect.alone === true)
      throw badRequest(`no kind is registered for the type ${expect.version}.${expect.kind} in scheme "${scheme}"`);
    const elsewhere = expect.group === extensions && group !== extensions;
    if (elsewhere || !isRegistered(group, version, kind))
      throw cannotBeHandled(
        kind,
        version,
        expect.kind,
        `no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`,
      );
    if (kind === expect.kind) throw wrongVersion(apiVersion, wanted);
    const conversion = `converting (${version}.${kind}) to (${internalType(expect.group, expect.kind)}): unknown conversion`;
    throw cannotBeHandled(kind, version, expect.kind, conversion);
  }
  const { object, problems } = decodeTyped(parsed.value, message, expect, parsed);
  const warnings = judge(parsed.repeatedKeys, problems, expect, fieldValidation);
  return { object: withReset({ ...normalize(object, message, "as given"), kind, apiVersion }, parsed.value), warnings };
}

/** An empty list of managedFields says something: forget who owns what. */
function withReset(object: JsonObject, given: Json): JsonObject {
  const entries = member(member(given, "metadata"), "managedFields");
  const metadata = object["metadata"];
  if (!Array.isArray(entries) || entries.length > 0) return object;
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), managedFields: [] } };
}

/** Custom resource definitions live in a server of their own, with a scheme of its own. */
const extensions = "apiextensions.k8s.io";

const wrongVersion = (given: string, wanted: string): StatusError =>
  badRequest(`the API version in the data (${given}) does not match the expected API version (${wanted})`);

function decodeCustom(
  parsed: ParsedBody,
  type: TypeMeta,
  { expect, fieldValidation, prune }: BodyRequest,
): DecodedBody {
  if (parsed.overflow !== undefined)
    throw cannotBeHandled(
      expect.kind,
      expect.version,
      expect.kind,
      `json: cannot unmarshal number ${parsed.overflow} into Go value of type float64`,
    );
  const { metadata, unknown } = decodeMetadata(member(parsed.value, "metadata"), expect);
  const { metadata: _, ...rest } = asObject(parsed.value);
  const typed: JsonObject = metadata === undefined ? rest : { ...rest, metadata };
  const wanted = versionName(expect.group, expect.version);
  if (type.apiVersion !== wanted) throw wrongVersion(type.apiVersion, wanted);
  if (type.kind !== expect.kind)
    throw invalid(expect.group, type.kind, text(metadata?.["name"]), [
      invalidField("kind", type.kind, `must be ${expect.kind}`),
    ]);
  const pruned = prune?.(typed) ?? { object: typed, unknown: [] };
  const problems = [
    ...parsed.duplicates.map((path) => `duplicate field "${path}"`),
    ...[...unknown, ...pruned.unknown].sort().map((path) => `unknown field "${path}"`),
  ];
  return { object: pruned.object, warnings: judge(parsed.repeatedKeys, problems, expect, fieldValidation) };
}

/** Metadata of a custom resource: typed as that of every kind. Numbers were untyped before, so 1.0 is an integer here. */
export function decodeMetadata(
  metadata: Json | undefined,
  where: { readonly kind: string; readonly version: string },
): { readonly metadata: JsonObject | undefined; readonly unknown: string[] } {
  if (metadata === undefined || metadata === null) return { metadata: undefined, unknown: [] };
  const typed = decodeTyped(metadata, objectMeta, where);
  // The root of a document may say what it is; metadata may not.
  const stray = isObject(metadata) ? ["apiVersion", "kind"].filter((name) => Object.hasOwn(metadata, name)) : [];
  const { apiVersion: _, kind: __, ...rest } = normalize(typed.object, objectMeta);
  return { metadata: rest, unknown: [...typed.unknown, ...stray].map((path) => `metadata.${path}`) };
}

const objectMeta = "meta.ObjectMeta";

/** Strict refuses, Warn warns, Ignore is silent. */
function judge(
  repeatedKeys: readonly string[],
  problems: readonly string[],
  where: { readonly kind: string; readonly version: string },
  validation: FieldValidation,
): string[] {
  if (validation === "Ignore") return [];
  if (validation === "Warn") return [...repeatedKeys, ...problems];
  const keys = repeatedKeys.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${repeatedKeys.join("\n  ")}`];
  const all = [...keys, ...problems];
  if (all.length > 0)
    throw cannotBeHandled(where.kind, where.version, where.kind, `strict decoding error: ${all.join(", ")}`);
  return [];
}

/** The first 30 bytes: as text when they look like JSON, else in hexadecimal. */
function snippet(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const start = Buffer.from(bytes.subarray(0, 30));
  return `${bytes[0] === 0x7b ? start.toString() : start.toString("hex")}${bytes.length > 30 ? " ..." : ""}`;
}
