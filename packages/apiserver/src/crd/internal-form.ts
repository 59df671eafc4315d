// A few messages about CRDs show values as JSON of the server's internal Go types: other names, every field, nil as null.
import type { Json, JsonObject } from "../json.ts";
import { member } from "../json.ts";

/** `spec.versions` inside a message. What all versions share has been moved away from them and shows as null. */
export function internalVersions(versions: Json | undefined, shared: ReadonlySet<string>): Json {
  if (!Array.isArray(versions)) return null;
  return versions.map((version) => {
    const own = (name: string): Json => (shared.has(name) ? null : (member(version, name) ?? null));
    const schema = own("schema");
    return {
      Name: member(version, "name") ?? "",
      Served: member(version, "served") ?? false,
      Storage: member(version, "storage") ?? false,
      Deprecated: member(version, "deprecated") ?? false,
      DeprecationWarning: member(version, "deprecationWarning") ?? null,
      Schema: schema === null ? null : { OpenAPIV3Schema: internalSchema(member(schema, "openAPIV3Schema")) },
      Subresources: internalSubresources(own("subresources")),
      AdditionalPrinterColumns: each(own("additionalPrinterColumns"), internalColumn),
      SelectableFields: each(own("selectableFields"), (field) => ({ JSONPath: member(field, "jsonPath") ?? "" })),
    };
  });
}

/** A whole schema inside a message. */
export function internalSchema(schema: Json | undefined): Json {
  if (schema === undefined || schema === null) return null;
  const form: JsonObject = {};
  for (const [shown, name, zero] of fields) form[shown] = member(schema, name) ?? zero;
  for (const name of ["AllOf", "OneOf", "AnyOf"]) form[name] = each(form[name] ?? null, internalSchema);
  for (const name of ["Properties", "PatternProperties", "Definitions"]) form[name] = values(form[name] ?? null);
  form["Not"] = internalSchema(member(schema, "not"));
  form["Items"] = internalItems(member(schema, "items"));
  form["AdditionalProperties"] = internalOrBool(member(schema, "additionalProperties"));
  form["AdditionalItems"] = internalOrBool(member(schema, "additionalItems"));
  form["XValidations"] = each(form["XValidations"] ?? null, internalRule);
  return form;
}

/** A CEL rule inside a message. */
export function internalRule(rule: Json): Json {
  const get = (name: string, zero: Json): Json => member(rule, name) ?? zero;
  return {
    Rule: get("rule", ""),
    Message: get("message", ""),
    MessageExpression: get("messageExpression", ""),
    Reason: get("reason", null),
    FieldPath: get("fieldPath", ""),
    OptionalOldSelf: get("optionalOldSelf", null),
  };
}

/** Compact JSON as Go writes it, which keeps `<`, `>` and `&` out of HTML. */
export function goJson(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const fields: readonly [shown: string, name: string, zero: Json][] = [
  ["ID", "id", ""],
  ["Schema", "$schema", ""],
  ["Ref", "$ref", null],
  ["Description", "description", ""],
  ["Type", "type", ""],
  ["Nullable", "nullable", false],
  ["Format", "format", ""],
  ["Title", "title", ""],
  ["Default", "default", null],
  ["Maximum", "maximum", null],
  ["ExclusiveMaximum", "exclusiveMaximum", false],
  ["Minimum", "minimum", null],
  ["ExclusiveMinimum", "exclusiveMinimum", false],
  ["MaxLength", "maxLength", null],
  ["MinLength", "minLength", null],
  ["Pattern", "pattern", ""],
  ["MaxItems", "maxItems", null],
  ["MinItems", "minItems", null],
  ["UniqueItems", "uniqueItems", false],
  ["MultipleOf", "multipleOf", null],
  ["Enum", "enum", null],
  ["MaxProperties", "maxProperties", null],
  ["MinProperties", "minProperties", null],
  ["Required", "required", null],
  ["Items", "items", null],
  ["AllOf", "allOf", null],
  ["OneOf", "oneOf", null],
  ["AnyOf", "anyOf", null],
  ["Not", "not", null],
  ["Properties", "properties", null],
  ["AdditionalProperties", "additionalProperties", null],
  ["PatternProperties", "patternProperties", null],
  ["Dependencies", "dependencies", null],
  ["AdditionalItems", "additionalItems", null],
  ["Definitions", "definitions", null],
  ["ExternalDocs", "externalDocs", null],
  ["Example", "example", null],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", null],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", false],
  ["XIntOrString", "x-kubernetes-int-or-string", false],
  ["XListMapKeys", "x-kubernetes-list-map-keys", null],
  ["XListType", "x-kubernetes-list-type", null],
  ["XMapType", "x-kubernetes-map-type", null],
  ["XValidations", "x-kubernetes-validations", null],
];

/** The fields that a root schema may have beside the status subresource, as the refusal lists them. */
export const allowedAtRoot =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";

/** The first field of a root schema that the status subresource does not allow. */
export function notAllowedAtRoot(schema: Json): string | undefined {
  const allowed = new Set(allowedAtRoot.split(" "));
  return fields.find(([shown, name, zero]) => {
    const value = member(schema, name);
    return !allowed.has(shown) && value !== undefined && value !== null && value !== zero;
  })?.[0];
}

function internalSubresources(subresources: Json): Json {
  if (subresources === null) return null;
  const scale = member(subresources, "scale");
  return {
    Status: member(subresources, "status") ?? null,
    Scale:
      scale === undefined
        ? null
        : {
            SpecReplicasPath: member(scale, "specReplicasPath") ?? "",
            StatusReplicasPath: member(scale, "statusReplicasPath") ?? "",
            LabelSelectorPath: member(scale, "labelSelectorPath") ?? null,
          },
  };
}

function internalColumn(column: Json): Json {
  return {
    Name: member(column, "name") ?? "",
    Type: member(column, "type") ?? "",
    Format: member(column, "format") ?? "",
    Description: member(column, "description") ?? "",
    Priority: member(column, "priority") ?? 0,
    JSONPath: member(column, "jsonPath") ?? "",
  };
}

function internalItems(items: Json | undefined): Json {
  if (items === undefined) return null;
  if (Array.isArray(items)) return { Schema: null, JSONSchemas: items.map(internalSchema) };
  return { Schema: internalSchema(items), JSONSchemas: null };
}

function internalOrBool(value: Json | undefined): Json {
  if (value === undefined) return null;
  return typeof value === "boolean" ? { Allows: value, Schema: null } : { Allows: true, Schema: internalSchema(value) };
}

function each(list: Json, form: (item: Json) => Json): Json {
  return Array.isArray(list) ? list.map(form) : null;
}

function values(map: Json): Json {
  if (typeof map !== "object" || map === null || Array.isArray(map)) return null;
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((name) => [name, internalSchema(map[name])]),
  );
}
