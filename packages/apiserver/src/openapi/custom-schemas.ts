// Schemas of custom resources: what their definition says, with the parts that every object has.
import type { Schema } from "../crd/schema.ts";
import { type JsonObject, put } from "../json.ts";
import { refTo, schemaName } from "./names.ts";

const conventions = "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

const apiVersion: JsonObject = {
  description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. ${conventions}#resources`,
  type: "string",
};
const kind: JsonObject = {
  description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. ${conventions}#types-kinds`,
  type: "string",
};
const metadata = (type: string, description: string): JsonObject => ({
  description: `${description} ${conventions}#${type === "ObjectMeta" ? "metadata" : "types-kinds"}`,
  allOf: [{ $ref: refTo(schemaName(`meta.${type}`)) }],
});

/** The schema of the object itself. */
export function customSchema(own: Schema | undefined): JsonObject {
  const full = complete(own ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true }, 0);
  const properties = full["properties"] as JsonObject | undefined;
  return {
    ...full,
    type: "object",
    properties: { ...properties, apiVersion, kind, metadata: metadata("ObjectMeta", "Standard object's metadata.") },
  };
}

export function customListSchema(itemName: string, kindName: string, plural: string): JsonObject {
  return {
    description: `${kindName}List is a list of ${kindName}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion,
      items: {
        description: `List of ${plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
        type: "array",
        items: { allOf: [{ $ref: refTo(itemName) }] },
      },
      kind,
      metadata: metadata("ListMeta", "Standard list metadata."),
    },
  };
}

// Deeper than any schema that a person writes; what is below is left open.
const deepest = 500;

/** A copy in which embedded objects have their apiVersion, kind and metadata. */
function complete(s: Schema, depth: number): JsonObject {
  if (depth > deepest) return { "x-kubernetes-preserve-unknown-fields": true };
  const { properties, items, additionalProperties, ...rest } = s;
  const out = { ...rest } as unknown as JsonObject;
  // A list of schemas for items is not structural, and no stored definition has one.
  if (items !== undefined && !isList(items)) out["items"] = complete(items, depth + 1);
  if (additionalProperties !== undefined) {
    out["additionalProperties"] =
      typeof additionalProperties === "boolean" ? additionalProperties : complete(additionalProperties, depth + 1);
  }
  if (properties !== undefined) {
    const inner: JsonObject = {};
    for (const [name, child] of Object.entries(properties)) put(inner, name, complete(child, depth + 1));
    out["properties"] = inner;
  }
  if (s["x-kubernetes-embedded-resource"] === true && depth > 0) {
    const inner = out["properties"] as JsonObject | undefined;
    const meta = metadata("ObjectMeta", "Standard object's metadata.");
    out["properties"] = { ...inner, apiVersion, kind, metadata: meta };
  }
  return out;
}

const isList = (items: Schema | readonly Schema[]): items is readonly Schema[] => Array.isArray(items);
