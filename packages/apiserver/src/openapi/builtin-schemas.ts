// Schemas of the built-in types, out of the type table. Which fields there are and of what type; no prose.
import { type Field, type FieldType, type Message, message, type Scalar } from "@telltale/kinds/core";
import type { JsonObject } from "../json.ts";
import { refTo, schemaName } from "./names.ts";
import { requiredFields } from "./required.ts";

/** The schema of a message by its schema name's source, `apps.Deployment`; undefined when nothing is known of it. */
export function messageSchema(name: string): JsonObject | undefined {
  const own = special[name];
  if (own !== undefined) return own;
  const found = message(name);
  return found === undefined ? undefined : objectSchema(found);
}

const atomic = { "x-kubernetes-map-type": "atomic" } as const;

/** Types that write their JSON themselves, and those that only OpenAPI knows. */
const special: Readonly<Record<string, JsonObject>> = {
  "meta.Time": { type: "string", format: "date-time" },
  "meta.MicroTime": { type: "string", format: "date-time" },
  "meta.Duration": { type: "string" },
  "meta.FieldsV1": { type: "object" },
  "meta.Patch": { type: "object" },
  "meta.ShardInfo": {
    type: "object",
    required: ["selector"],
    properties: { selector: { type: "string", default: "" } },
  },
  "resource.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
  "intstr.IntOrString": { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  "runtime.RawExtension": { type: "object" },
  "apiextensions.JSON": {},
  "apiextensions.JSONSchemaPropsOrArray": {},
  "apiextensions.JSONSchemaPropsOrBool": {},
  "apiextensions.JSONSchemaPropsOrStringArray": {},
};

/** These have metadata but are no objects of their own. */
const templates: ReadonlySet<string> = new Set([
  "core.PodTemplateSpec",
  "core.PersistentVolumeClaimTemplate",
  "batch.JobTemplateSpec",
]);

/** Whether the type stands by itself, with an apiVersion and a kind. */
export function isObjectMessage(m: Message): boolean {
  if (m.name === "meta.DeleteOptions" || m.name === "meta.Status") return true;
  if (templates.has(m.name)) return false;
  return m.fields.some((f) => f.name === "metadata" && f.type.of === "message" && f.type.message === "meta.ObjectMeta");
}

export const typeMeta: JsonObject = { apiVersion: { type: "string" }, kind: { type: "string" } };

function objectSchema(m: Message): JsonObject {
  const properties: JsonObject = isObjectMessage(m) ? { ...typeMeta } : {};
  const fields = spread(m);
  for (const field of fields) properties[field.name] = propertySchema(field);
  const required = [...(requiredFields[m.name] ?? fields.filter((f) => f.always).map((f) => f.name))];
  if (m.name === "meta.ListMeta") properties["shardInfo"] = { allOf: [{ $ref: refTo(schemaName("meta.ShardInfo")) }] };
  return {
    type: "object",
    ...(required.length === 0 ? {} : { required: required.sort() }),
    ...(Object.keys(properties).length === 0 ? {} : { properties: sorted(properties) }),
    ...(m.atomic ? atomic : {}),
  };
}

function sorted(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A message's fields with those of its inline members in their place. */
function spread(m: Message): Field[] {
  return m.fields.flatMap((field) => {
    if (!field.inline || field.type.of !== "message") return field.wireOnly ? [] : [field];
    const inner = message(field.type.message);
    return inner === undefined ? [] : spread(inner);
  });
}

function propertySchema(field: Field): JsonObject {
  const { type } = field;
  const schema: JsonObject = { ...typeSchema(type, !field.pointer) };
  if (type.of === "scalar") {
    if (field.default !== undefined) schema["default"] = field.default;
    else if (field.always && !field.pointer && type.scalar !== "bytes") schema["default"] = zero(type.scalar);
  }
  if (type.of === "list") {
    schema["x-kubernetes-list-type"] = field.listMapKeys !== undefined ? "map" : field.set === true ? "set" : "atomic";
    if (field.listMapKeys !== undefined) schema["x-kubernetes-list-map-keys"] = [...field.listMapKeys];
  } else if (field.atomic === true) Object.assign(schema, atomic);
  const strategy = [
    ...(field.mergeKey !== undefined || field.mergeList === true ? ["merge"] : []),
    ...(field.retainKeys === true ? ["retainKeys"] : []),
  ];
  if (field.mergeKey !== undefined) schema["x-kubernetes-patch-merge-key"] = field.mergeKey;
  if (strategy.length > 0) schema["x-kubernetes-patch-strategy"] = strategy.join(",");
  return schema;
}

/** `filled`: a struct that is always there has the default `{}`. */
function typeSchema(type: FieldType, filled: boolean): JsonObject {
  switch (type.of) {
    case "scalar":
      return scalarSchemas[type.scalar];
    case "message":
      if (type.message.endsWith(".ExtraValue")) return { type: "array", items: itemSchema(stringType) };
      return {
        ...(filled && !Object.hasOwn(special, type.message) ? { default: {} } : {}),
        allOf: [{ $ref: refTo(schemaName(type.message)) }],
      };
    case "list":
      return { type: "array", items: itemSchema(type.item) };
    case "map":
      return { type: "object", additionalProperties: itemSchema(type.value) };
  }
}

const stringType: FieldType = { of: "scalar", scalar: "string" };

function itemSchema(type: FieldType): JsonObject {
  if (type.of !== "scalar" || type.scalar === "bytes") return typeSchema(type, true);
  return { ...scalarSchemas[type.scalar], default: zero(type.scalar) };
}

const zero = (scalar: Scalar): string | number | boolean =>
  scalar === "string" || scalar === "bytes" ? "" : scalar === "bool" ? false : 0;

const scalarSchemas: Readonly<Record<Scalar, JsonObject>> = {
  string: { type: "string" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  bool: { type: "boolean" },
  bytes: { type: "string", format: "byte" },
  double: { type: "number", format: "double" },
  uint32: { type: "integer", format: "int64" },
  uint64: { type: "integer", format: "int64" },
};
