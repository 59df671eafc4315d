// JSON Merge Patch (RFC 7386): null deletes, objects merge, everything else replaces.
import { parseJson } from "../decode/json.ts";
import { maxBodyDepth } from "../decode/parse-body.ts";
import { isObject, type Json, type JsonObject, put } from "../json.ts";
import type { FieldValidation } from "../registry/resource.ts";
import { badRequest, invalid } from "../status.ts";
import { goType } from "./json-patch.ts";

export function decodeMergePatch(
  bytes: Uint8Array,
  validation: FieldValidation,
  warn: (text: string) => void,
): JsonObject {
  const { value, duplicates } = parsed(bytes, "error decoding patch: ");
  tellDuplicates(duplicates, validation, warn);
  return value;
}

/** A patch that has to be an object; `prefix` stands before what is wrong with it. */
export function parsed(bytes: Uint8Array, prefix: string): { value: JsonObject; duplicates: readonly string[] } {
  let result: ReturnType<typeof parseJson>;
  try {
    result = parseJson(bytes, { maxDepth: maxBodyDepth });
  } catch (error) {
    throw badRequest(`${prefix}${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(result.value)) {
    throw badRequest(
      `${prefix}json: cannot unmarshal ${goType(result.value)} into Go value of type map[string]interface {}`,
    );
  }
  return { value: result.value, duplicates: result.duplicates };
}

/** Members given twice: refused, told or passed over, as the client asked. */
export function tellDuplicates(
  duplicates: readonly string[],
  validation: FieldValidation,
  warn: (text: string) => void,
): void {
  const texts = duplicates.map((path) => `duplicate field "${path}"`);
  if (texts.length === 0 || validation === "Ignore") return;
  if (validation === "Warn") for (const text of texts) warn(text);
  else {
    throw invalid("", "", "", [
      { type: "FieldValueInvalid", field: "patch", body: `Invalid value: strict decoding error: ${texts.join(", ")}` },
    ]);
  }
}

export function applyMergePatch(document: JsonObject, patch: JsonObject): JsonObject {
  return merge(document, patch) as JsonObject;
}

function merge(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const out: JsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete out[name];
    else put(out, name, merge(Object.hasOwn(out, name) ? out[name] : undefined, value));
  }
  return out;
}
