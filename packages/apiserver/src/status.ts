// Every refusal of the server is a Status. This file makes them: the table of section "Errors", one constructor a row.
import { type Json, type JsonObject, stringify } from "./json.ts";

/** What a resource is called in messages: `deployments.apps`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export const resourceName = (r: GroupResource): string => (r.group === "" ? r.resource : `${r.resource}.${r.group}`);

export interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** A refusal: thrown anywhere in the pipeline, answered as it is. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: Details | undefined;
  /** For a list that has expired: the token to go on with. */
  readonly continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, details?: Details, continueToken?: string) {
    super(message);
    this.name = "StatusError";
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }

  body(): JsonObject {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: "Failure",
      message: this.message,
      ...(this.reason === "" ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details as unknown as JsonObject }),
      code: this.code,
    };
  }
}

const about = (r: GroupResource, name: string): Details => ({
  ...(name === "" ? {} : { name }),
  ...(r.group === "" ? {} : { group: r.group }),
  ...(r.resource === "" ? {} : { kind: r.resource }),
});

const quoted = (r: GroupResource, name: string): string => `${resourceName(r)} "${name}"`;

export const notFound = (r: GroupResource, name: string): StatusError =>
  new StatusError(404, "NotFound", `${quoted(r, name)} not found`, about(r, name));
export const unknownResource = (): StatusError =>
  new StatusError(404, "NotFound", "the server could not find the requested resource", {});
export const methodNotAllowed = (): StatusError =>
  new StatusError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
export const alreadyExists = (r: GroupResource, name: string, prefix = ""): StatusError =>
  new StatusError(409, "AlreadyExists", `${prefix}${quoted(r, name)} already exists`, about(r, name));
export const conflict = (r: GroupResource, name: string, why: string): StatusError =>
  new StatusError(409, "Conflict", `Operation cannot be fulfilled on ${quoted(r, name)}: ${why}`, about(r, name));
export const modified = (r: GroupResource, name: string): StatusError =>
  conflict(r, name, "the object has been modified; please apply your changes to the latest version and try again");
export const badRequest = (message: string): StatusError => new StatusError(400, "BadRequest", message);
export const forbidden = (r: GroupResource, name: string, why: string, causes?: readonly Cause[]): StatusError =>
  new StatusError(
    403,
    "Forbidden",
    r.resource === "" ? `forbidden: ${why}` : `${name === "" ? resourceName(r) : quoted(r, name)} is forbidden: ${why}`,
    { ...about(r, name), ...(causes === undefined ? {} : { causes }) },
  );
export const unauthorized = (): StatusError => new StatusError(401, "Unauthorized", "Unauthorized");
export const internal = (why: string): StatusError =>
  new StatusError(500, "InternalError", `Internal error occurred: ${why}`, { causes: [{ message: why }] });
/** An error that upstream lets through as it is: 500 without a reason. */
export const raw = (message: string): StatusError => new StatusError(500, "", message);
export const expired = (message: string, continueToken?: string): StatusError =>
  new StatusError(410, "Expired", message, undefined, continueToken);
export const tooLarge = (message: string): StatusError =>
  new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  new StatusError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
export const notAcceptable = (accepted: readonly string[]): StatusError =>
  new StatusError(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);
export const versionTooLarge = (wanted: number | bigint, current: number): StatusError =>
  new StatusError(504, "Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });

/** The kinds of field errors, by the reason that a cause carries. */
export type FieldErrorType =
  | "FieldValueRequired"
  | "FieldValueForbidden"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueNotFound"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError";

/** One thing that is wrong with one field. `body` is the message without the path. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** `spec.containers[0].image`; the empty path prints as `<nil>`. */
  readonly field: string;
  readonly body: string;
}

/** A value as messages show it: strings quoted as Go does, scalars plain, the rest as compact JSON. */
export function shown(value: Json | undefined): string {
  if (typeof value === "string") return goQuote(value);
  return value === undefined ? "null" : stringify(value);
}

export const required = (field: string, detail = ""): FieldError => ({
  type: "FieldValueRequired",
  field,
  body: detail === "" ? "Required value" : `Required value: ${detail}`,
});
export const forbiddenField = (field: string, detail: string): FieldError => ({
  type: "FieldValueForbidden",
  field,
  body: `Forbidden: ${detail}`,
});
export const invalidField = (field: string, value: Json | undefined, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  body: `Invalid value: ${shown(value)}: ${detail}`,
});
export const notSupported = (field: string, value: Json | undefined, supported: readonly string[]): FieldError => ({
  type: "FieldValueNotSupported",
  field,
  body: `Unsupported value: ${shown(value)}: supported values: ${supported.map((s) => goQuote(s)).join(", ")}`,
});
export const duplicate = (field: string, value: Json | undefined): FieldError => ({
  type: "FieldValueDuplicate",
  field,
  body: `Duplicate value: ${shown(value)}`,
});
export const notFoundField = (field: string, value: Json | undefined): FieldError => ({
  type: "FieldValueNotFound",
  field,
  body: `Not found: ${shown(value)}`,
});
export const tooLong = (field: string, max: number): FieldError => ({
  type: "FieldValueTooLong",
  field,
  body: `Too long: may not be more than ${max} ${max === 1 ? "byte" : "bytes"}`,
});
export const tooMany = (field: string, count: number, max: number): FieldError => ({
  type: "FieldValueTooMany",
  field,
  body: `Too many: ${count}: must have at most ${max} ${max === 1 ? "item" : "items"}`,
});

/** 422 with all that is wrong. `kind` is the Kind, not the resource. */
export function invalid(group: string, kind: string, name: string, errors: readonly FieldError[]): StatusError {
  const lines = [...new Set(errors.map((e) => `${e.field === "" ? "<nil>" : e.field}: ${e.body}`))];
  const what = group === "" ? kind : `${kind}.${group}`;
  return new StatusError(
    422,
    "Invalid",
    `${what} "${name}" is invalid: ${lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`}`,
    {
      ...(name === "" ? {} : { name }),
      ...(group === "" ? {} : { group }),
      ...(kind === "" ? {} : { kind }),
      causes: errors.map((e) => ({ reason: e.type, message: e.body, field: e.field === "" ? "<nil>" : e.field })),
    },
  );
}

/** A string as Go's `%q` prints it. */
export function goQuote(value: string): string {
  let out = '"';
  for (const c of value) {
    const code = c.codePointAt(0) ?? 0;
    const named = (
      {
        '"': '\\"',
        "\\": "\\\\",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\u0007": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\v": "\\v",
      } as Record<string, string>
    )[c];
    if (named !== undefined) out += named;
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, "0")}`;
    else if (/[\p{C}\p{Z}]/u.test(c) && c !== " ")
      out += code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
    else out += c;
  }
  return `${out}"`;
}
