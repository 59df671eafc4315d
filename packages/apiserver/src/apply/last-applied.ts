// The annotation that client-side apply leaves: `kubectl apply --server-side` may take over what it says, and keeps it up to date.
import { at, isObject, type Json, type JsonObject, put, stringify } from "../json.ts";
import { compare } from "./compare.ts";
import { FieldSet } from "./fieldset.ts";
import type { TypedSchema } from "./schema.ts";
import { validateTyped } from "./validate.ts";
import { toFieldSet } from "./value.ts";

export const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Fields that still have the value of the last client-side apply: taking them from others is no conflict. */
export function allowedByLastApplied(live: JsonObject, schema: TypedSchema): FieldSet {
  const config = parsed(at(live, "metadata", "annotations", lastApplied));
  if (config === undefined || validateTyped(config, schema, "allowed").length > 0) return FieldSet.empty;
  const { added, modified, removed } = compare(config, live, schema);
  return toFieldSet(config, schema).difference(modified).difference(added).difference(removed);
}

/** The object with the annotation set to what has been applied now, where the live object has one. */
export function withLastApplied(object: JsonObject, live: JsonObject, config: JsonObject): JsonObject {
  if (at(live, "metadata", "annotations", lastApplied) === undefined) return object;
  const metadata = record(object["metadata"]);
  const annotations = { ...record(metadata["annotations"]), [lastApplied]: `${goJson(unannotated(config))}\n` };
  return { ...object, metadata: { ...metadata, annotations } };
}

function parsed(annotation: Json | undefined): JsonObject | undefined {
  if (typeof annotation !== "string") return undefined;
  try {
    const value = JSON.parse(annotation) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const record = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** The configuration as kubectl writes it: without the annotation itself. */
function unannotated(config: JsonObject): JsonObject {
  const metadata = record(config["metadata"]);
  if (!isObject(metadata["annotations"])) return config;
  const { [lastApplied]: _, ...annotations } = metadata["annotations"];
  return { ...config, metadata: { ...metadata, annotations } };
}

/** As Go's encoder writes it, which is careful about HTML. */
const goJson = (value: Json): string =>
  stringify(sorted(value)).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const name of Object.keys(value).sort()) put(out, name, sorted(value[name] ?? null));
  return out;
}
