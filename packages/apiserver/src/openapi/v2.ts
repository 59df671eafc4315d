// OpenAPI v2: one document for everything, which kubectl up to 1.28 needs. Version 2 can say less than version 3, so custom
// schemas lose what it has no words for.
import { isObject, type Json, type JsonObject, put } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import { nameOfRef } from "./names.ts";
import { type Operation, type PathEntry, parameterType, pathsOf } from "./operations.ts";
import { mapMembers, schemasOf } from "./schemas.ts";
import { bearer, info } from "./v3.ts";

export function documentV2(resources: readonly Resource[]): JsonObject {
  const entries = resources.flatMap(pathsOf).sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    swagger: "2.0",
    info,
    paths: Object.fromEntries(entries.map((entry) => [entry.path, pathItem(entry)])),
    definitions: mapMembers(schemasOf(resources, entries), (schema) => degraded(schema)),
    parameters: {},
    securityDefinitions: bearer,
    security: [{ BearerToken: [] }],
  };
}

const refTo = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });

function pathItem(entry: PathEntry): JsonObject {
  return {
    ...Object.fromEntries(entry.operations.map((o) => [o.method, operation(o)])),
    parameters: entry.parameters.map((name): JsonObject => {
      const rest = { name, type: "string", uniqueItems: true };
      return name === "pretty" ? { ...rest, in: "query" } : { ...rest, in: "path", required: true };
    }),
  };
}

const reasons: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

function operation(o: Operation): JsonObject {
  const body: JsonObject[] =
    o.body === undefined
      ? []
      : [{ name: "body", in: "body", schema: refTo(o.body), ...(o.method === "delete" ? {} : { required: true }) }];
  const query = o.query.map(
    (name): JsonObject => ({ name, in: "query", type: parameterType(name), uniqueItems: true }),
  );
  return {
    description: o.description,
    consumes: [...(o.accepts ?? ["*/*"])],
    produces: ["application/json", "application/yaml"],
    schemes: ["https"],
    operationId: o.id,
    parameters: [...body, ...query],
    responses: Object.fromEntries([
      ...o.codes.map((code) => [
        code,
        { description: reasons[code] ?? "", schema: o.returns === undefined ? { type: "string" } : refTo(o.returns) },
      ]),
      [401, { description: "Unauthorized" }],
    ]),
    "x-kubernetes-action": o.action,
    "x-kubernetes-group-version-kind": { group: o.gvk.group, kind: o.gvk.kind, version: o.gvk.version },
  };
}

/** What version 2 cannot say of a node, and what nobody reads there. */
const dropped: ReadonlySet<string> = new Set([
  "default",
  "nullable",
  "oneOf",
  "anyOf",
  "not",
  "x-kubernetes-validations",
]);

/** A schema in version 2. */
export function degraded(value: Json, depth = 0): Json {
  if (!isObject(value)) return value;
  const described: JsonObject = typeof value["description"] === "string" ? { description: value["description"] } : {};
  if (value["nullable"] === true) return described;
  if (value["x-kubernetes-int-or-string"] === true) return { ...described, "x-kubernetes-int-or-string": true };
  if (value["format"] === "int-or-string") return { ...described, type: "string", format: "int-or-string" };
  const only = onlyRef(value);
  const out: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    if (dropped.has(name) || (only !== undefined && name === "allOf")) continue;
    put(out, name, member(name, inner, depth));
  }
  if (only !== undefined) out["$ref"] = refTo(nameOfRef(only))["$ref"] ?? "";
  // The quantity: a text or a number.
  if (Array.isArray(value["oneOf"]) && out["type"] === undefined && onlyTypes(value["oneOf"])) out["type"] = "string";
  // Whoever validates by properties would refuse what the server keeps. An object's own metadata is known all the same.
  if (value["x-kubernetes-preserve-unknown-fields"] === true && depth > 0) delete out["properties"];
  return out;
}

function member(name: string, inner: Json, depth: number): Json {
  if (name === "$ref" && typeof inner === "string") return `#/definitions/${nameOfRef(inner)}`;
  if (name === "properties" && isObject(inner)) return mapMembers(inner, (child) => degraded(child, depth + 1));
  if (name === "items" || name === "additionalProperties") return degraded(inner, depth + 1);
  if (name === "allOf" && Array.isArray(inner)) return inner.map((child) => degraded(child, depth + 1));
  return inner;
}

/** `allOf` around one reference is how version 3 writes a reference that has siblings. */
function onlyRef(value: JsonObject): string | undefined {
  const all = value["allOf"];
  if (!Array.isArray(all) || all.length !== 1 || !isObject(all[0])) return undefined;
  const ref = all[0]["$ref"];
  return typeof ref === "string" ? ref : undefined;
}

const onlyTypes = (choices: readonly Json[]): boolean =>
  choices.every((c) => isObject(c) && Object.keys(c).length === 1 && typeof c["type"] === "string");
