// Defaults of a CRD's schema: each must fit the schema that it stands in, hold nothing unknown, and make valid metadata. Section 12.2.
import { deepEqual } from "@telltale/kinds";
import { type Json, type JsonObject, put } from "../json.ts";
import { type FieldError, invalidField } from "../status.ts";
import { coerceEmbedded, coerceRoot } from "./coerce.ts";
import { validateEmbedded } from "./embedded.ts";
import { prune } from "./prune.ts";
import { itemsOf, type Schema, typeMembers } from "./schema.ts";
import { validateValue } from "./validate.ts";

export function checkDefaults(schema: Schema, path: string): FieldError[] {
  return checkNode(schema, path, { resource: true, around: undefined });
}

interface Context {
  /** Whether the node is the root or an embedded resource. */
  readonly resource: boolean;
  /** Inside metadata of an embedded resource: the object that holds a value at this place. */
  readonly around: ((value: Json) => JsonObject) | undefined;
}

function checkNode(schema: Schema, path: string, context: Context): FieldError[] {
  const resource = context.resource || schema["x-kubernetes-embedded-resource"] === true;
  const errors: FieldError[] = [];
  if (schema.default !== undefined && schema.default !== null) {
    errors.push(...checkDefault(schema, schema.default, `${path}.default`, resource ? undefined : context.around));
  }
  const items = itemsOf(schema);
  const { around } = context;
  if (items !== undefined) {
    const inner = around === undefined ? undefined : (value: Json) => around([value]);
    errors.push(...checkNode(items, `${path}.items`, { resource: false, around: inner }));
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const holder = resource ? (typeMembers.has(name) ? rootAround : undefined) : around;
    const inner = holder === undefined ? undefined : (value: Json) => holder(holding(name, value));
    errors.push(...checkNode(child, `${path}.properties[${name}]`, { resource: false, around: inner }));
  }
  return errors;
}

function checkDefault(schema: Schema, value: Json, path: string, around: Context["around"]): FieldError[] {
  if (around !== undefined) {
    const wrong = wrongMetadata(around(value));
    if (wrong !== undefined) return [invalidField(path, value, `must result in valid metadata: ${wrong}`)];
    return validateValue(schema, value, { prefix: path });
  }
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const pruned = prune(schema, value, embedded).value;
  const errors = deepEqual(pruned, value) ? [] : [invalidField(path, value, "must not have unknown fields")];
  const refused = coerceAsMember(schema, value, path);
  if (refused !== undefined) return [...errors, refused];
  const resources = validateEmbedded(schema, value, path, embedded);
  return [...errors, ...(resources.length > 0 ? resources : validateValue(schema, value, { prefix: path }))];
}

/** Coerces a default as the member that it will be; the error names the place in the CRD. */
function coerceAsMember(schema: Schema, value: Json, path: string): FieldError | undefined {
  const member = "default";
  const coerced = coerceEmbedded({ properties: { [member]: schema } }, { [member]: value });
  if (!("refused" in coerced)) return undefined;
  const split = /^default(.*?): (Invalid value: .*)$/s.exec(coerced.refused);
  const [, rest = "", body = coerced.refused] = split ?? [];
  return { type: "FieldValueInvalid", field: `${path}${rest}`, body };
}

function wrongMetadata(object: JsonObject): string | undefined {
  const coerced = coerceRoot(object);
  if ("refused" in coerced) return coerced.refused;
  const errors = validateEmbedded({ type: "object" }, coerced.value, "", true);
  const texts = errors.map((e) => `${e.field}: ${e.body}`);
  return texts.length === 0 ? undefined : texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
}

const rootAround = (members: Json): JsonObject => ({
  apiVersion: "validation/v1",
  kind: "Validation",
  ...(members as JsonObject),
});

function holding(name: string, value: Json): JsonObject {
  const object: JsonObject = {};
  put(object, name, value);
  return object;
}
