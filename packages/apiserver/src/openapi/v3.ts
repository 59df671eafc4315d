// OpenAPI v3: one document for each group and version.
import type { JsonObject } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import { refTo } from "./names.ts";
import { type Operation, type PathEntry, parameterType, pathsOf } from "./operations.ts";
import { schemasOf } from "./schemas.ts";

export const info: JsonObject = { title: "Kubernetes", version: "1.36" };

export const bearer: JsonObject = {
  BearerToken: { type: "apiKey", description: "Bearer Token authentication", name: "authorization", in: "header" },
};

/** The document of one group-version. */
export function documentV3(resources: readonly Resource[]): JsonObject {
  const entries = resources.flatMap(pathsOf).sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    openapi: "3.0.0",
    info,
    paths: Object.fromEntries(entries.map((entry) => [entry.path, pathItem(entry)])),
    components: { schemas: schemasOf(resources, entries), securitySchemes: bearer },
  };
}

/** `/version` is in the index as well. */
export const versionDocument = (): JsonObject => ({
  openapi: "3.0.0",
  info,
  paths: {
    "/version/": {
      get: {
        tags: ["version"],
        description: "get the version information for this server",
        operationId: "getCodeVersion",
        responses: { 200: { description: "OK", content: { "application/json": { schema: { type: "object" } } } } },
      },
    },
  },
  components: { securitySchemes: bearer },
});

function pathItem(entry: PathEntry): JsonObject {
  return {
    ...Object.fromEntries(entry.operations.map((o) => [o.method, operation(o)])),
    parameters: entry.parameters.map((name): JsonObject => {
      const schema = { type: "string", uniqueItems: true };
      return name === "pretty"
        ? { name, in: "query", schema }
        : { name, in: "path", description: `${name} of the ${entry.kind}`, required: true, schema };
    }),
  };
}

const bodyTypes = ["application/json", "application/yaml"];

function content(types: readonly string[], schema: string | undefined): JsonObject {
  const shown: JsonObject = schema === undefined ? { type: "string" } : { $ref: refTo(schema) };
  return Object.fromEntries(types.map((type) => [type, { schema: shown }]));
}

const reasons: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

function operation(o: Operation): JsonObject {
  return {
    description: o.description,
    operationId: o.id,
    ...(o.query.length === 0
      ? {}
      : {
          parameters: o.query.map((name) => ({
            name,
            in: "query",
            schema: { type: parameterType(name), uniqueItems: true },
          })),
        }),
    ...(o.body === undefined
      ? {}
      : {
          requestBody: {
            content: content(o.accepts ?? ["*/*"], o.body),
            ...(o.method === "delete" ? {} : { required: true }),
          },
        }),
    responses: Object.fromEntries([
      ...o.codes.map((code) => [
        code,
        {
          description: reasons[code] ?? "",
          content: content(o.returns === undefined ? ["*/*"] : bodyTypes, o.returns),
        },
      ]),
      [401, { description: "Unauthorized" }],
    ]),
    "x-kubernetes-action": o.action,
    "x-kubernetes-group-version-kind": { group: o.gvk.group, version: o.gvk.version, kind: o.gvk.kind },
  };
}
