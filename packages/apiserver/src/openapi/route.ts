// `/openapi/v2` and `/openapi/v3`. Nothing is made before somebody asks, and only what has changed is made again.
import { sha256Hex } from "@telltale/kinds";
import { type JsonObject, stringify } from "../json.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { Resource } from "../registry/resource.ts";
import type { ApiResponse, Call } from "../request.ts";
import type { Route } from "../route/handler.ts";
import { respond } from "../route/respond.ts";
import { indexKey } from "./names.ts";
import { encodeV2 } from "./protobuf.ts";
import { documentV2 } from "./v2.ts";
import { documentV3, versionDocument } from "./v3.ts";

export function openapiRoute(catalogue: Catalogue): Route {
  const documents = new Documents(catalogue);
  return async (call, info) => {
    if (info.isResource) return undefined;
    if (info.path === "/openapi/v2") return v2(documents, call);
    if (info.path === "/openapi/v3") {
      return respond(200, stringify(documents.index()), "text/plain; charset=utf-8");
    }
    if (!info.path.startsWith("/openapi/v3/")) return undefined;
    return v3(documents, call, info.path.slice("/openapi/v3/".length));
  };
}

interface Document<Body = string> {
  readonly body: Body;
  /** Changes with the body. */
  readonly hash: string;
}

class Documents {
  readonly #catalogue: Catalogue;
  readonly #v3 = new Map<string, Document & { readonly of: readonly Resource[] }>();
  #changes = -1;
  #v2: Document | undefined;
  #protobuf: Uint8Array | undefined;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  index(): JsonObject {
    this.#forget();
    const paths: JsonObject = {};
    for (const key of [...this.#served().keys(), "version"].sort()) {
      paths[key] = { serverRelativeURL: url(key, this.v3(key)?.hash ?? "") };
    }
    return { paths };
  }

  v3(key: string): Document | undefined {
    const resources = key === "version" ? [] : this.#served().get(key);
    if (resources === undefined) return undefined;
    const known = this.#v3.get(key);
    if (known !== undefined && same(known.of, resources)) return known;
    const made = hashed(stringify(key === "version" ? versionDocument() : documentV3(resources)));
    this.#v3.set(key, { ...made, of: resources });
    return made;
  }

  v2(): Document {
    this.#forget();
    this.#v2 ??= hashed(stringify(documentV2(this.#catalogue.all())));
    return this.#v2;
  }

  protobuf(): Uint8Array {
    this.#forget();
    this.#protobuf ??= encodeV2(documentV2(this.#catalogue.all()));
    return this.#protobuf;
  }

  #forget(): void {
    if (this.#changes === this.#catalogue.changes) return;
    this.#changes = this.#catalogue.changes;
    this.#v2 = undefined;
    this.#protobuf = undefined;
    const served = this.#served();
    for (const key of this.#v3.keys()) if (key !== "version" && !served.has(key)) this.#v3.delete(key);
  }

  #served(): Map<string, Resource[]> {
    const found = new Map<string, Resource[]>();
    for (const r of this.#catalogue.all()) {
      const key = indexKey(r.group, r.version);
      const known = found.get(key);
      if (known === undefined) found.set(key, [r]);
      else known.push(r);
    }
    return found;
  }
}

const same = (a: readonly Resource[], b: readonly Resource[]): boolean =>
  a.length === b.length && a.every((r, i) => r === b[i]);

const hashed = (body: string): Document => ({ body, hash: sha256Hex(body).toUpperCase() });

const url = (key: string, hash: string): string => `/openapi/v3/${key}?hash=${hash}`;

function v3(documents: Documents, call: Call, key: string): ApiResponse {
  const found = documents.v3(key);
  if (found === undefined) return { status: 404, headers: { "cache-control": "no-cache, private" }, body: "" };
  const headers: Record<string, string> = { etag: `"${found.hash}"`, vary: "Accept" };
  const given = call.query.get("hash") ?? "";
  if (given !== "" && given !== found.hash) {
    return respond(301, "", "application/json", { ...headers, location: url(key, found.hash) });
  }
  if (given !== "") {
    // The address changes with the content, so whoever has it need never ask again.
    headers["cache-control"] = "public, immutable";
    headers["expires"] = "Fri, 31 Dec 9999 23:59:59 GMT";
  }
  if (isKnown(call, found))
    return { status: 304, headers: { "cache-control": "no-cache, private", ...headers }, body: "" };
  return respond(200, found.body, "application/json", headers);
}

const isKnown = (call: Call, document: Document): boolean =>
  call.request.headers["if-none-match"] === `"${document.hash}"`;

const protobufAsked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
// With the `@` of the request Go's client could not read its own answer.
const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

function v2(documents: Documents, call: Call): ApiResponse {
  const vary = ["Accept-Encoding", "Accept"];
  const form = wanted(call.request.headers["accept"] ?? "");
  if (form === undefined) return { status: 406, headers: { "cache-control": "no-cache, private", vary }, body: "" };
  const document = documents.v2();
  const headers = { etag: `"${document.hash}"`, vary };
  if (isKnown(call, document))
    return { status: 304, headers: { "cache-control": "no-cache, private", ...headers }, body: "" };
  if (form === "json") return respond(200, document.body, "application/json", headers);
  return { ...respond(200, "", protobufType, headers), body: documents.protobuf() };
}

/** The first type of the list that we have. */
function wanted(accept: string): "json" | "protobuf" | undefined {
  if (accept.trim() === "") return "json";
  for (const clause of accept.split(",")) {
    const type = clause.split(";")[0]?.trim().toLowerCase() ?? "";
    if (type === protobufAsked || type === protobufType) return "protobuf";
    if (type === "application/json" || type === "application/*" || type === "*/*") return "json";
  }
  return undefined;
}
