// The body of an apply: YAML (so JSON too), taken as it is. What it may hold is up to the typed view of its kind.
import { isObject, type JsonObject } from "../json.ts";
import { badRequest } from "../status.ts";
import type { FieldValidation } from "./options.ts";
import { maxBodyDepth } from "./parse-body.ts";
import { goKind } from "./typed.ts";
import { parseYaml, YamlError } from "./yaml.ts";

export async function decodeApply(
  bytes: Uint8Array,
  validation: FieldValidation,
  warn: (text: string) => void,
): Promise<JsonObject> {
  let parsed: Awaited<ReturnType<typeof parseYaml>>;
  try {
    parsed = await parseYaml(bytes, maxBodyDepth);
  } catch (error) {
    if (error instanceof YamlError)
      throw badRequest(
        `error decoding YAML: ${error.message.replace(/^yaml: /, "error converting YAML to JSON: yaml: ")}`,
      );
    throw error;
  }
  if (parsed.duplicates.length > 0 && validation === "Strict") {
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${parsed.duplicates.join("\n  ")}`,
    );
  }
  if (validation === "Warn") for (const text of parsed.duplicates) warn(text);
  if (parsed.value === null) return {};
  if (!isObject(parsed.value)) {
    const kind = goKind(parsed.value);
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    );
  }
  return parsed.value;
}
