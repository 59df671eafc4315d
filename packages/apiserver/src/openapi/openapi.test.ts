import { describe, expect, it } from "vitest";
import { at, isObject, type Json, type JsonObject } from "../json.ts";
import { allStrategies } from "../kinds/builtin.ts";
import { builtinResource } from "../registry/builtin.ts";
import { Catalogue } from "../registry/catalogue.ts";
import type { Resource } from "../registry/resource.ts";
import type { ApiResponse, Call } from "../request.ts";
import { requestInfo } from "../route/info.ts";
import { Warnings } from "../route/respond.ts";
import { openapiRoute } from "./route.ts";
import { degraded } from "./v2.ts";

const widget = {
  group: "example.com",
  version: "v1",
  apiVersion: "example.com/v1",
  resource: "widgets",
  kind: "Widget",
  listKind: "WidgetList",
  namespaced: true,
  builtin: false,
  verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
  subresources: [
    { name: "status", kind: "Widget", verbs: ["get", "patch", "update"] },
    { name: "scale", kind: "Scale", group: "autoscaling", version: "v1", verbs: ["get", "patch", "update"] },
  ],
  structural: {
    type: "object",
    description: "d",
    properties: {
      spec: {
        type: "object",
        properties: { n: { type: "integer", minimum: 1 }, s: { type: "string", nullable: true, default: "x" } },
      },
      status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
} as unknown as Resource;

function catalogue(): Catalogue {
  const allocator = {} as Parameters<typeof builtinResource>[1];
  const groups = [...new Set(allStrategies.map((s) => s.kind.group))];
  const made = new Catalogue(
    allStrategies.map((s) => builtinResource(s, allocator)),
    groups,
  );
  made.replaceCustom([widget]);
  return made;
}

const served = catalogue();
const route = openapiRoute(served);

async function get(url: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const [path = "", search = ""] = url.split("?");
  const query = new URLSearchParams(search);
  const request = { method: "GET", url, headers, body: new Uint8Array(), signal: new AbortController().signal };
  const user = { username: "u", uid: "", groups: [], extra: {} };
  const call: Call = { request, query, user, warn: () => {} };
  const answer = await route(call, requestInfo("GET", path, query), new Warnings());
  if (answer === undefined) throw new Error(`nobody answers ${url}`);
  return answer;
}

const body = (answer: ApiResponse): JsonObject => JSON.parse(String(answer.body));
const document = async (url: string): Promise<JsonObject> => body(await get(url));

function refs(value: Json | undefined, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) refs(item, found);
  if (!isObject(value)) return found;
  const ref = value["$ref"];
  if (typeof ref === "string") found.add(ref);
  for (const inner of Object.values(value)) refs(inner, found);
  return found;
}

describe("the index and its documents", () => {
  it("D29 every served version is there, with the hash of its document", async () => {
    const answer = await get("/openapi/v3");
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    const paths = body(answer)["paths"] as JsonObject;
    for (const r of served.all())
      expect(paths).toHaveProperty([r.group === "" ? `api/${r.version}` : `apis/${r.apiVersion}`]);
    expect(paths).toHaveProperty("version");
    for (const key of Object.keys(paths))
      expect((await get(String(at(paths, key, "serverRelativeURL")))).status).toBe(200);
  });

  it("D30 hashes, redirects and entity tags", async () => {
    const wrong = await get("/openapi/v3/api/v1?hash=WRONG");
    expect(wrong.status).toBe(301);
    const location = String(wrong.headers["location"]);
    const right = await get(location);
    expect(right.status).toBe(200);
    expect(right.headers["cache-control"]).toBe("public, immutable");
    expect(right.headers).toHaveProperty("expires");
    const plain = await get("/openapi/v3/api/v1");
    expect(plain.headers).toMatchObject({
      "cache-control": "no-cache, private",
      vary: "Accept",
      "content-type": "application/json",
    });
    const again = await get("/openapi/v3/api/v1", { "if-none-match": String(plain.headers["etag"]) });
    expect([again.status, again.body]).toEqual([304, ""]);
    const nowhere = await get("/openapi/v3/apis/nope/v1");
    expect([nowhere.status, nowhere.body]).toEqual([404, ""]);
  });

  it("every reference in every document leads somewhere", async () => {
    const paths = (await document("/openapi/v3"))["paths"] as JsonObject;
    for (const key of Object.keys(paths)) {
      const found = await document(`/openapi/v3/${key}`);
      const schemas = Object.keys((at(found, "components", "schemas") ?? {}) as JsonObject);
      for (const ref of refs(found)) expect(schemas).toContain(ref.replace("#/components/schemas/", ""));
    }
    const two = await document("/openapi/v2");
    const definitions = Object.keys(two["definitions"] as JsonObject);
    for (const ref of refs(two)) expect(definitions).toContain(ref.replace("#/definitions/", ""));
  });

  it("a changed definition changes its own document only", async () => {
    const changing = catalogue();
    const other = openapiRoute(changing);
    const hashes = async () => {
      const url = "/openapi/v3";
      const request = { method: "GET", url, headers: {}, body: new Uint8Array(), signal: new AbortController().signal };
      const call = { request, query: new URLSearchParams(), warn: () => {} } as unknown as Call;
      const answer = await other(call, { isResource: false, verb: "get", path: url }, new Warnings());
      return answer === undefined ? {} : (body(answer)["paths"] as JsonObject);
    };
    const before = await hashes();
    changing.replaceCustom([{ ...widget, structural: { type: "object", description: "e" } }]);
    const after = await hashes();
    expect(after["apis/example.com/v1"]).not.toEqual(before["apis/example.com/v1"]);
    expect({ ...after, "apis/example.com/v1": 0 }).toEqual({ ...before, "apis/example.com/v1": 0 });
    changing.replaceCustom([]);
    expect(await hashes()).not.toHaveProperty(["apis/example.com/v1"]);
  });
});

describe("built-in schemas", () => {
  const schema = async (key: string, name: string) =>
    at(await document(`/openapi/v3/${key}`), "components", "schemas", name);

  it("D30 a kind says which it is, a list how it is merged", async () => {
    expect(await schema("api/v1", "io.k8s.api.core.v1.ConfigMap")).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "", kind: "ConfigMap", version: "v1" }],
    });
    expect(at((await schema("api/v1", "io.k8s.api.core.v1.PodSpec")) ?? null, "properties", "containers")).toEqual({
      type: "array",
      items: { default: {}, allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.Container" }] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge",
    });
  });

  it("inline members stand in their parent, and what users must give is required", async () => {
    const volume = (await schema("api/v1", "io.k8s.api.core.v1.Volume")) as JsonObject;
    expect(volume["properties"]).toHaveProperty("hostPath");
    expect(volume["required"]).toEqual(["name"]);
    const spec = (await schema("apis/apps/v1", "io.k8s.api.apps.v1.DeploymentSpec")) as JsonObject;
    expect(spec["required"]).toEqual(["selector", "template"]);
    expect(at(spec, "properties", "replicas")).toEqual({ type: "integer", format: "int32" });
  });

  it("types that write themselves are what they look like in JSON", async () => {
    expect(await schema("api/v1", "io.k8s.apimachinery.pkg.apis.meta.v1.Time")).toEqual({
      type: "string",
      format: "date-time",
    });
    expect(await schema("api/v1", "io.k8s.apimachinery.pkg.util.intstr.IntOrString")).toEqual({
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    });
  });
});

describe("custom resources", () => {
  const root = "/apis/example.com/v1";

  it("D29 the schema keeps what the definition says, and paths and their parameters are told", async () => {
    const found = await document(`/openapi/v3${root}`);
    expect(Object.keys(found)).toEqual(["openapi", "info", "paths", "components"]);
    const own = at(found, "components", "schemas", "com.example.v1.Widget") as JsonObject;
    expect(own).toMatchObject({
      description: "d",
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1" }],
      properties: {
        metadata: {
          allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
          description:
            "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
        },
        spec: {
          properties: { n: { minimum: 1, type: "integer" }, s: { default: "x", nullable: true, type: "string" } },
          type: "object",
        },
        status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    });
    const item = at(found, "paths", `${root}/namespaces/{namespace}/widgets/{name}`) as JsonObject;
    expect(Object.keys(item).sort()).toEqual(["delete", "get", "parameters", "patch", "put"]);
    expect(at(item, "patch", "x-kubernetes-action")).toBe("patch");
    expect(at(item, "patch", "x-kubernetes-group-version-kind")).toEqual({
      group: "example.com",
      kind: "Widget",
      version: "v1",
    });
    // With a strategic patch on offer `kubectl apply` would send one.
    expect(Object.keys(at(item, "patch", "requestBody", "content") as JsonObject)).toEqual([
      "application/apply-patch+yaml",
      "application/json-patch+json",
      "application/merge-patch+json",
    ]);
    const names = (at(item, "patch", "parameters") as JsonObject[]).map((p) => p["name"]);
    expect(names).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
    expect(Object.keys(found["paths"] as JsonObject)).toEqual([
      `${root}/namespaces/{namespace}/widgets`,
      `${root}/namespaces/{namespace}/widgets/{name}`,
      `${root}/namespaces/{namespace}/widgets/{name}/scale`,
      `${root}/namespaces/{namespace}/widgets/{name}/status`,
      `${root}/widgets`,
    ]);
  });

  it("a schema of ten thousand levels is cut, not followed", async () => {
    let deep: JsonObject = { type: "object" };
    for (let i = 0; i < 10_000; i++) deep = { type: "object", properties: { a: deep } };
    const changing = catalogue();
    changing.replaceCustom([{ ...widget, structural: deep } as unknown as Resource]);
    const other = openapiRoute(changing);
    for (const path of ["/openapi/v3/apis/example.com/v1", "/openapi/v2"]) {
      for (const accept of ["application/json", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"]) {
        const request = {
          method: "GET",
          url: path,
          headers: { accept },
          body: new Uint8Array(),
          signal: new AbortController().signal,
        };
        const call = { request, query: new URLSearchParams(), warn: () => {} } as unknown as Call;
        expect((await other(call, { isResource: false, verb: "get", path }, new Warnings()))?.status).toBe(200);
      }
    }
  });
});

describe("version 2", () => {
  it("D31 content types", async () => {
    const old = await get("/openapi/v2?timeout=32s", {
      accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    });
    expect(old.headers).toMatchObject({
      "content-type": "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
      vary: ["Accept-Encoding", "Accept"],
    });
    expect(
      Buffer.from(old.body as Uint8Array)
        .subarray(0, 4)
        .toString("hex"),
    ).toBe("0a03322e");
    const plain = await get("/openapi/v2");
    expect(Object.keys(body(plain)).sort()).toEqual([
      "definitions",
      "info",
      "parameters",
      "paths",
      "security",
      "securityDefinitions",
      "swagger",
    ]);
    expect((await get("/openapi/v2", { accept: "text/html" })).status).toBe(406);
    expect((await get("/openapi/v2", { "if-none-match": String(plain.headers["etag"]) })).status).toBe(304);
  });

  it("references stand alone, and what version 2 cannot say is left out", () => {
    const ref = "#/components/schemas/X";
    expect(degraded({ default: {}, allOf: [{ $ref: ref }], "x-kubernetes-map-type": "atomic" })).toEqual({
      $ref: "#/definitions/X",
      "x-kubernetes-map-type": "atomic",
    });
    expect(degraded({ type: "string", nullable: true, description: "d" })).toEqual({ description: "d" });
    expect(
      degraded({ type: "integer", oneOf: [{ minimum: 1 }], anyOf: [], not: {}, "x-kubernetes-validations": [] }),
    ).toEqual({ type: "integer" });
    expect(
      degraded({
        type: "object",
        properties: { a: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { b: {} } } },
      }),
    ).toEqual({ type: "object", properties: { a: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } });
  });
});
