// What is served, told in the three forms that clients ask for: legacy lists, the aggregated document, and by group.
import { sha256Hex } from "@telltale/kinds";
import { isPretty, type Negotiated, negotiate } from "../decode/media.ts";
import { type JsonObject, stringify } from "../json.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { Resource, Subresource } from "../registry/resource.ts";
import type { ApiResponse, Call } from "../request.ts";
import { methodNotAllowed, unknownResource } from "../status.ts";
import type { Route } from "./handler.ts";
import { respond, respondObject, Warnings } from "./respond.ts";

export function discovery(catalogue: Catalogue, serverAddress: () => string): Route {
  return async (call, info) => {
    if (info.isResource) return undefined;
    const parts = info.path.split("/").filter((p) => p !== "");
    if (parts[0] !== "api" && parts[0] !== "apis") return undefined;
    if (parts.length > 3 || (parts[0] === "api" && parts.length > 2)) return undefined;
    const answer = await document(catalogue, parts, call, serverAddress());
    if (answer === undefined) return undefined;
    if (call.request.method !== "GET") throw methodNotAllowed();
    return answer;
  };
}

async function document(
  c: Catalogue,
  parts: readonly string[],
  call: Call,
  address: string,
): Promise<ApiResponse | undefined> {
  const [root, group = "", version = ""] = parts;
  const core = root === "api";
  const form = { list: false, watch: false, protobuf: false };
  if (parts.length === 1) {
    const asked = negotiate(call.request.headers["accept"], { ...form, builtin: true, discovery: "aggregated" });
    if (asked.conversion?.as === "APIGroupDiscoveryList") return aggregated(c, core, call);
    return plain(core ? legacyCore(address) : legacyGroups(c), asked, call);
  }
  const found = core
    ? versionList(c, "", group)
    : parts.length === 2
      ? groupDocument(c, group)
      : versionList(c, group, version);
  if (found === undefined) return undefined;
  const builtin = core || c.isBuiltinGroup(group);
  return plain(found, negotiate(call.request.headers["accept"], { ...form, builtin, discovery: "plain" }), call);
}

function groupDocument(c: Catalogue, group: string): JsonObject | undefined {
  return c.serves(group) ? { kind: "APIGroup", apiVersion: "v1", ...groupEntry(c, group) } : undefined;
}

function versionList(c: Catalogue, group: string, version: string): JsonObject | undefined {
  return c.serves(group, version) ? resourceList(c, group, version) : missing(c, group);
}

/** An unknown version of a built-in group is an answer; anything else that is unknown is no path at all. */
function missing(c: Catalogue, group: string): undefined {
  if (c.isBuiltinGroup(group)) throw unknownResource();
  return undefined;
}

function plain(body: JsonObject, asked: Negotiated, call: Call): Promise<ApiResponse> {
  const pretty = isPretty(call.query, call.request.headers["user-agent"], asked);
  return respondObject(200, body, { ...asked, pretty }, new Warnings());
}

function legacyCore(address: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

function legacyGroups(c: Catalogue): JsonObject {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: c
      .groups()
      .filter((g) => g !== "")
      .map((g) => groupEntry(c, g)),
  };
}

function groupEntry(c: Catalogue, group: string): JsonObject {
  const versions = c.versions(group).map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions, preferredVersion: versions[0] ?? {} };
}

function resourceList(c: Catalogue, group: string, version: string): JsonObject {
  const groupVersion = group === "" ? version : `${group}/${version}`;
  const resources = c.resources(group, version).flatMap((r) => [entry(r), ...shown(r).map((s) => subEntry(r, s))]);
  return { kind: "APIResourceList", ...(group === "" ? {} : { apiVersion: "v1" }), groupVersion, resources };
}

function entry(r: Resource): JsonObject {
  return {
    name: r.resource,
    singularName: r.singular,
    namespaced: r.namespaced,
    kind: r.kind,
    verbs: [...(r.discoveryVerbs ?? r.verbs)],
    ...(r.shortNames.length === 0 ? {} : { shortNames: [...r.shortNames] }),
    ...(r.categories.length === 0 ? {} : { categories: [...r.categories] }),
    ...(r.verbs.includes("watch") ? { storageVersionHash: storageHash(r) } : {}),
  };
}

/** Tells clients whether the stored form changed; eight bytes of a hash, as upstream writes it. */
function storageHash(r: Resource): string {
  const text = `${r.storage.group}/${r.storageVersion}/${r.kind}`;
  return Buffer.from(sha256Hex(text, 16), "hex").toString("base64");
}

/** Subresources of built-in kinds by name; a custom resource has its status before its scale. */
const shown = ({ builtin, subresources }: Resource): readonly Subresource[] =>
  builtin ? [...subresources].sort((a, b) => (a.name < b.name ? -1 : 1)) : subresources;

function subEntry(r: Resource, s: Subresource): JsonObject {
  return {
    name: `${r.resource}/${s.name}`,
    singularName: "",
    namespaced: r.namespaced,
    ...(s.group === undefined ? {} : { group: s.group }),
    ...(s.version === undefined ? {} : { version: s.version }),
    kind: s.kind,
    verbs: [...s.verbs],
  };
}

function aggregated(c: Catalogue, core: boolean, call: Call): ApiResponse {
  const groups = core ? [""] : c.groups().filter((g) => g !== "");
  const body = stringify({
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map((group) => ({
      metadata: { ...(group === "" ? {} : { name: group }), creationTimestamp: null },
      versions: c.versions(group).map((version) => ({
        version,
        resources: c.resources(group, version).map(aggregatedEntry),
        freshness: "Current",
      })),
    })),
  });
  const etag = `"${sha256Hex(body).toUpperCase()}"`;
  const headers = { etag, vary: "Accept", "cache-control": "public" };
  if (call.request.headers["if-none-match"] === etag) return { status: 304, headers, body: "" };
  return respond(200, body, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", headers);
}

function aggregatedEntry(r: Resource): JsonObject {
  const own = r.builtin ? { group: "", version: "" } : { group: r.group, version: r.version };
  return {
    resource: r.resource,
    responseKind: { ...own, kind: r.kind },
    scope: r.namespaced ? "Namespaced" : "Cluster",
    singularResource: r.singular,
    verbs: [...(r.discoveryVerbs ?? r.verbs)],
    ...(r.shortNames.length === 0 ? {} : { shortNames: [...r.shortNames] }),
    ...(r.categories.length === 0 ? {} : { categories: [...r.categories] }),
    ...(r.subresources.length === 0
      ? {}
      : {
          subresources: shown(r).map((s) => ({
            subresource: s.name,
            responseKind: { group: s.group ?? own.group, version: s.version ?? own.version, kind: s.kind },
            verbs: [...s.verbs],
          })),
        }),
  };
}
