// Why the server does not take an object, in words that repeat nothing of what was in it: a value may come from a variable or a
// Secret (13.3). Pure.
import type { ApiError } from "@telltale/client";
import { names, type SafeText, text } from "@telltale/status";
import { sanitize } from "./sanitize.ts";

/** What a server says of a field, by its word for it. */
const words: Readonly<Record<string, string>> = {
  FieldValueDuplicate: "is there twice",
  FieldValueForbidden: "may not be set",
  FieldValueInvalid: "has a value that is not valid",
  FieldValueNotFound: "names something that is not there",
  FieldValueNotSupported: "has a value that is not supported",
  FieldValueRequired: "is missing",
  FieldValueTooLong: "is too long",
  FieldValueTooMany: "has too many items",
  FieldValueTypeInvalid: "has a value of another type",
};

/** A field that the server's definition lacks stands in the message alone. */
const unknownField = /([\w.[\]"=-]+): field not declared in schema/;

/** `spec.forProvider.source has a value that is not supported` */
export function refusalOf({ code, causes, status }: Pick<ApiError, "code" | "causes" | "status">): SafeText {
  const [, unknown] = unknownField.exec(status.message ?? "") ?? [];
  if (unknown !== undefined) return text`${sanitize(unknown)}: field not declared in schema`;
  const said = causes.map(({ field = "", reason = "" }) => `${sanitize(field)} ${words[reason] ?? "is not accepted"}`);
  return said.length > 0 ? names([...new Set(said)]) : text`HTTP ${code}`;
}
