// Options of requests: from the query string, and of deletions from the body. What is wrong is a 422 of group meta.k8s.io.
import { type Json, type JsonObject, member } from "../json.ts";
import {
  badRequest,
  type FieldError,
  forbiddenField,
  invalid,
  invalidField,
  notSupported,
  required,
  tooLong,
} from "../status.ts";
import { JsonError } from "./json.ts";
import { bodyMediaType } from "./media.ts";
import { parseBody, readTypeMeta, registeredIn, scheme } from "./parse-body.ts";
import { decodeMessage } from "./typed.ts";
import { ValueError } from "./values.ts";
import { WireError } from "./wire.ts";
import { YamlError } from "./yaml.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Of an apply patch; undefined when it was not given. */
  readonly force: boolean | undefined;
}

export type WriteVerb = "create" | "update" | "patch" | "apply";

const kinds: Readonly<Record<WriteVerb, string>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
  apply: "PatchOptions",
};

/** The options of a write; `apply` is a patch with the media type of apply. Throws 422. */
export function decodeQueryOptions(query: URLSearchParams, verb: WriteVerb): WriteOptions {
  const fieldManager = query.get("fieldManager") ?? "";
  const force = verb === "patch" || verb === "apply" ? queryBoolean(query, "force") : undefined;
  const validation = query.get("fieldValidation") ?? "";
  const errors: FieldError[] = [];
  if (verb === "patch" && query.has("force"))
    errors.push(forbiddenField("force", "may not be specified for non-apply patch"));
  if (verb === "apply" && fieldManager === "") errors.push(required("fieldManager", "is required for apply patch"));
  errors.push(...managerErrors(fieldManager), ...dryRunErrors(query.getAll("dryRun")));
  if (validation !== "" && !isFieldValidation(validation))
    errors.push(notSupported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]));
  if (errors.length > 0) throw invalid("meta.k8s.io", kinds[verb], "", errors);
  return {
    dryRun: query.has("dryRun"),
    fieldManager,
    fieldValidation: isFieldValidation(validation) ? validation : "Warn",
    force,
  };
}

const isFieldValidation = (text: string): text is FieldValidation =>
  text === "Ignore" || text === "Warn" || text === "Strict";

function dryRunErrors(given: readonly string[]): FieldError[] {
  return given.every((value) => value === "All") ? [] : [notSupported("dryRun", [...given], ["All"])];
}

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > 128) errors.push(tooLong("fieldManager", 128));
  let at = 0;
  for (const c of manager) {
    if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(c)) {
      const code = (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      errors.push(invalidField("fieldManager", manager, `invalid character U+${code} (at position ${at})`));
    }
    at += Buffer.byteLength(c);
  }
  return errors.slice(0, 100);
}

/** A boolean of the query: given means true, unless it says false or 0. */
export function queryBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const given = query.get(name);
  return given === null ? undefined : !/^(?:0|false)$/i.test(given);
}

/** An int64 of the query. Throws 400 with Go's text. */
export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  if (!/^[+-]?\d+$/.test(given)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(given)}: invalid syntax`);
  const exact = given.length > 40 ? 1n << 70n : BigInt(given.replace("+", ""));
  if (BigInt.asIntN(64, exact) !== exact)
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(given)}: value out of range`);
  return Number(exact);
}

export type Propagation = "Foreground" | "Background" | "Orphan";

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: Propagation;
  readonly orphanDependents?: boolean;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun: boolean;
  /** The options as an object: what admission sees. */
  readonly object: JsonObject;
}

/** The options of a deletion: the body as a whole, or the query when there is no body. Throws 400, 415 or 422. */
export async function decodeOptions(request: {
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
  readonly query: URLSearchParams;
}): Promise<DeleteOptions> {
  const object = request.bytes.length > 0 ? await optionsFromBody(request) : optionsFromQuery(request.query);
  const errors = deleteErrors(object);
  if (errors.length > 0) throw invalid("meta.k8s.io", "DeleteOptions", "", errors);
  const grace = object["gracePeriodSeconds"];
  const orphan = object["orphanDependents"];
  const policy = object["propagationPolicy"];
  const uid = member(object["preconditions"], "uid");
  const resourceVersion = member(object["preconditions"], "resourceVersion");
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(isPropagation(policy) ? { propagationPolicy: policy } : {}),
    ...(typeof orphan === "boolean" ? { orphanDependents: orphan } : {}),
    preconditions: {
      ...(typeof uid === "string" ? { uid } : {}),
      ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
    },
    dryRun: strings(object["dryRun"]).length > 0,
    object,
  };
}

const policies = ["Foreground", "Background", "Orphan"] as const;
const isPropagation = (value: Json | undefined): value is Propagation => policies.some((policy) => policy === value);

async function optionsFromBody(request: { contentType: string | undefined; bytes: Uint8Array }): Promise<JsonObject> {
  const mediaType = bodyMediaType(request.contentType);
  try {
    const parsed = await parseBody(request.bytes, mediaType, "merge", "meta.DeleteOptions");
    const type = readTypeMeta(parsed.value);
    const apiVersion = type.apiVersion || "meta.k8s.io/v1";
    if (type.kind !== "" && type.kind !== "DeleteOptions")
      throw badRequest(
        `no kind ${JSON.stringify(type.kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${scheme}"`,
      );
    registeredIn(apiVersion);
    const { object } = decodeMessage(parsed.value, "meta.DeleteOptions", parsed);
    return { ...object, kind: "DeleteOptions", apiVersion };
  } catch (error) {
    if (error instanceof ValueError || error instanceof YamlError || error instanceof WireError)
      throw badRequest(error.message);
    if (error instanceof JsonError) throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
}

function optionsFromQuery(query: URLSearchParams): JsonObject {
  const grace = queryInteger(query, "gracePeriodSeconds");
  const orphan = queryBoolean(query, "orphanDependents");
  const policy = query.get("propagationPolicy");
  const uid = query.get("uid");
  const resourceVersion = query.get("resourceVersion");
  const dryRun = query.getAll("dryRun");
  const preconditions: JsonObject = {
    ...(uid === null ? {} : { uid }),
    ...(resourceVersion === null ? {} : { resourceVersion }),
  };
  return {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(orphan === undefined ? {} : { orphanDependents: orphan }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}

function deleteErrors(object: JsonObject): FieldError[] {
  const policy = object["propagationPolicy"];
  const errors: FieldError[] = [];
  if (policy !== undefined && object["orphanDependents"] !== undefined)
    errors.push(
      invalidField("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  if (policy !== undefined && !isPropagation(policy))
    errors.push(notSupported("propagationPolicy", policy, [...policies, "nil"]));
  return [...errors, ...dryRunErrors(strings(object["dryRun"]))];
}

const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);
