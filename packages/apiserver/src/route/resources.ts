// Requests for resources: which verb, on what, and how the answer is to look.
import { formatTime } from "@telltale/kinds";
import type { Authenticator } from "../authenticate/authenticate.ts";
import type { Authorizer } from "../authorize/authorizer.ts";
import { review } from "../authorize/reviews.ts";
import { decodeListOptions } from "../decode/list-options.ts";
import { checkConversion, isPretty, type Negotiated, negotiate } from "../decode/media.ts";
import { encodeList, encodeObject, framer, goType } from "../encode/encode.ts";
import type { JsonObject } from "../json.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { Deleter } from "../registry/delete.ts";
import { list, newer } from "../registry/list.ts";
import { nameOf } from "../registry/metadata.ts";
import { writeOptions } from "../registry/options.ts";
import { patching, patchType } from "../registry/patch.ts";
import type { Resource } from "../registry/resource.ts";
import { storageKey } from "../registry/resource.ts";
import { selection } from "../registry/selector.ts";
import type { WatchSettings } from "../registry/watch.ts";
import { watch, watchOptions } from "../registry/watch.ts";
import { type Backing, type Writer, writtenJson } from "../registry/write.ts";
import type { ApiResponse, Call } from "../request.ts";
import { badRequest, forbidden, methodNotAllowed, notFound, raw, StatusError, unknownResource } from "../status.ts";
import type { Route } from "./handler.ts";
import type { ResourceInfo } from "./info.ts";
import { checkName } from "./object.ts";
import { notFoundPage, respondJson, respondObject, type Warnings } from "./respond.ts";

/** One request for a resource, and all that is needed to answer it. */
export interface Routed {
  readonly s: ResourceStages;
  readonly call: Call;
  readonly info: ResourceInfo;
  readonly r: Resource;
  readonly warnings: Warnings;
}

/** How the answer is to look, on top. */
interface Asked extends Routed {
  readonly asked: Negotiated;
}

/** What an endpoint beside the object itself does; undefined: it does not know this request. */
export type SubresourceRoute = (it: Routed) => Promise<ApiResponse | undefined>;

export interface ResourceStages extends Backing {
  readonly catalogue: Catalogue;
  readonly writer: Writer;
  readonly deleter: Deleter;
  readonly watching: WatchSettings;
  /** Aborted when the server stops, and for one resource when it is no longer served. */
  readonly closing: (r: Resource) => AbortSignal;
  readonly subresource: SubresourceRoute;
  /** Who answers questions about users and permissions. */
  readonly reviews: { readonly authorizer: Authorizer; readonly authenticator: Authenticator };
}

export function resources(s: ResourceStages): Route {
  return async (call, info, warnings) => {
    if (!info.isResource) return undefined;
    const r = s.catalogue.find(info.group, info.version, info.resource);
    if (r === undefined) return unserved(s.catalogue, info);
    const misplaced = refusePlace(r, info);
    if (misplaced !== undefined) return misplaced;
    if (r.deprecation !== undefined) call.warn(r.deprecation);
    const routed: Routed = { s, call, info, r, warnings };
    if (info.subresource !== "" && !isPart(r, info.subresource)) {
      const answer = await s.subresource(routed);
      if (answer !== undefined) return answer;
      throw r.builtin ? unknownResource() : notFound(r, info.name);
    }
    return verb(routed);
  };
}

/** Endpoints that take and give the object itself, some of which they may write: status, finalize, approval. */
function isPart(r: Resource, name: string): boolean {
  return r.subresources.some((s) => s.name === name && s.kind === r.kind && s.verbs.includes("update"));
}

function unserved(c: Catalogue, info: ResourceInfo): ApiResponse {
  if (c.isBuiltinGroup(info.group)) throw unknownResource();
  return notFoundPage();
}

/** A namespaced resource asked for without one, and the reverse. */
function refusePlace(r: Resource, info: ResourceInfo): ApiResponse | undefined {
  const single =
    info.verb !== "list" && info.verb !== "watch" && info.verb !== "deletecollection" && info.verb !== "create";
  if (!r.namespaced && info.isInNamespace) {
    if (r.builtin) throw unknownResource();
    return notFoundPage();
  }
  if (r.namespaced && info.namespace === "" && (single || info.verb === "create" || info.verb === "deletecollection")) {
    if (!r.builtin) return notFoundPage();
    if (info.verb === "create" || info.verb === "deletecollection" || info.name === "") throw unsupported(r, info);
    throw unknownResource();
  }
  return undefined;
}

function unsupported(r: Resource, info: ResourceInfo): StatusError {
  if (r.builtin) return methodNotAllowed();
  const name = r.group === "" ? r.resource : `${r.resource}.${r.group}`;
  return new StatusError(405, "MethodNotAllowed", `${info.verb} is not supported on resources of kind "${name}"`, {
    group: r.group,
    kind: r.resource,
  });
}

async function verb(routed: Routed): Promise<ApiResponse> {
  const { s, call, info, r } = routed;
  const listing = info.verb === "list" || info.verb === "watch" || info.verb === "deletecollection";
  const { verbs } = r.subresources.find((s) => s.name === info.subresource) ?? r;
  if (r.builtin && call.request.method === "HEAD") throw unsupported(r, info);
  if (!verbs.includes(info.verb)) throw unsupported(r, info);
  if (r.builtin && info.name !== "" && info.verb === "create") throw unsupported(r, info);
  if (info.name === "" && (info.verb === "update" || info.verb === "patch")) {
    if (r.builtin) throw unsupported(r, info);
    throw badRequest("name must be provided");
  }
  const negotiated = negotiate(call.request.headers["accept"], {
    builtin: r.builtin,
    list: listing,
    watch: info.verb === "watch",
    discovery: false,
    protobuf: false,
  });
  const pretty = isPretty(call.query, call.request.headers["user-agent"], negotiated);
  const it: Asked = { ...routed, asked: { ...negotiated, pretty } };
  switch (info.verb) {
    case "get":
      return get(it);
    case "list":
      return listed(it);
    case "watch":
      return watched(it);
    case "create":
      return created(it);
    case "update":
      return updated(it);
    case "patch":
      return patched(it);
    case "delete":
      return s.deleter.one(call, info, r, (status, object) => answerObject(it, status, object));
    default:
      return s.deleter.many(call, info, r, (records, revision) =>
        answerList(it, { records, revision, continueToken: "", remaining: undefined }),
      );
  }
}

/** Waits, where a client wants to see no less than a state that is not there yet. */
async function readable({ s }: Routed, version: string): Promise<void> {
  if (version === "" || version === "0") return;
  const given = JSON.stringify(version);
  if (!/^\d+$/.test(version))
    throw raw(`resourceVersion: Invalid value: ${given}: strconv.ParseUint: parsing ${given}: invalid syntax`);
  if (Number(version) > s.store.revision) await newer(s.store, s.clock, Number(version));
}

/** A fault may show the past, as far as it is kept. */
const pastOf = ({ s, call }: Routed): number | undefined =>
  call.readAt === undefined ? undefined : Math.max(call.readAt, s.store.compacted);

async function get(it: Asked): Promise<ApiResponse> {
  const { s, call, info, r, asked, warnings } = it;
  await readable(it, call.query.get("resourceVersion") ?? "");
  const record = s.store.get(storageKey(r, info.namespace, info.name), pastOf(it));
  if (record === undefined) throw notFound(r, info.name);
  const ready = r.json(record);
  if (asked.conversion === undefined && ready !== undefined && !asked.pretty)
    return respondJson(200, ready, asked, warnings);
  return answerObject(it, 200, await r.read(record));
}

async function answerObject(it: Asked, status: number, object: JsonObject): Promise<ApiResponse> {
  const { s, call, r, asked, warnings } = it;
  if (object["kind"] === "Status") return respondObject(status, object, asked, warnings);
  checkConversion(asked.conversion, false, goType(r, false));
  const ready = writtenJson(object);
  if (asked.conversion === undefined && ready !== undefined && !asked.pretty)
    return respondJson(status, ready, asked, warnings);
  return respondObject(status, encodeObject(r, object, asked, call.query, s.clock.now()), asked, warnings);
}

async function listed(it: Asked): Promise<ApiResponse> {
  const { s, call, info, r } = it;
  const chosen = selection(r, call.query, info.name);
  const past = pastOf(it);
  const asOf = past === undefined ? {} : { resourceVersion: String(past), resourceVersionMatch: "Exact" as const };
  const options = { ...decodeListOptions(call.query), ...asOf };
  const found = await list(s.store, s.clock, r, info.namespace, chosen, options);
  return answerList(it, found);
}

async function answerList(it: Asked, found: Parameters<typeof encodeList>[1]): Promise<ApiResponse> {
  const { s, call, r, asked, warnings } = it;
  return respondJson(200, await encodeList(r, found, asked, call.query, s.clock.now()), asked, warnings);
}

async function watched(it: Asked): Promise<ApiResponse> {
  const { s, call, info, r, asked, warnings } = it;
  const chosen = selection(r, call.query, info.name);
  const options = watchOptions({ ...decodeListOptions(watchQuery(call.query)), watch: true });
  const frames = framer(s.store, r, asked, call.query, () => s.clock.now());
  const env = { store: s.store, clock: s.clock, random: s.random, settings: s.watching, closing: s.closing(r) };
  return {
    status: 200,
    headers: { "cache-control": "no-cache, private", "content-type": "application/json", ...warnings.headers() },
    body: (sink) => watch(env, r, info.namespace, chosen, options, frames, sink),
  };
}

/** A watch by its path is one whatever the query says. */
function watchQuery(query: URLSearchParams): URLSearchParams {
  const copy = new URLSearchParams(query);
  copy.set("watch", "true");
  return copy;
}

/** The object in the body, and how it is to be written. What was dropped from it is told. */
async function sent({ call, r }: Routed, verb: "create" | "update") {
  const { headers, body } = call.request;
  const options = writeOptions(call.query, verb, headers["user-agent"]);
  const { object, warnings } = await r.decode(body, headers["content-type"], options.fieldValidation);
  for (const warning of warnings) call.warn(warning);
  return { object, options };
}

async function created(it: Asked): Promise<ApiResponse> {
  const { s, call, info, r } = it;
  const { object, options } = await sent(it, "create");
  if (r.refuseCreate !== undefined) throw forbidden(r, nameOf(object), r.refuseCreate);
  if (r.virtual && r.kind === "Binding") {
    const pods = s.catalogue.find("", "v1", "pods");
    const there = { ...info, resource: "pods", name: nameOf(object), subresource: "binding" };
    const bound = pods && (await s.subresource({ ...it, info: there, r: pods }));
    if (bound !== undefined) return bound;
  }
  const target = { call, r, namespace: info.namespace, name: "", part: "", options };
  if (r.virtual) {
    const context = { user: call.user, namespace: info.namespace, clock: s.clock, ...s.reviews };
    return answerObject(it, 201, review(r.kind, await s.writer.owned(target, object), context));
  }
  return answerObject(it, 201, await s.writer.create(target, object));
}

async function updated(it: Asked): Promise<ApiResponse> {
  const { s, call, info, r } = it;
  const { object, options } = await sent(it, "update");
  checkName(object, info.name);
  const part = info.subresource;
  const target = { call, r, namespace: info.namespace, name: info.name, part, options };
  const written = await s.writer.update(target, () => ({
    object,
    create: part === "" && r.allowCreateOnUpdate,
    replaces: true,
  }));
  return answerObject(it, written.created ? 201 : 200, written.object);
}

async function patched(it: Asked): Promise<ApiResponse> {
  const { s, call, info, r } = it;
  const type = patchType(call.request.headers["content-type"], r.builtin);
  const options = writeOptions(call.query, type === "apply" ? "apply" : "patch", call.request.headers["user-agent"]);
  const change = await patching(
    r,
    {
      type,
      bytes: call.request.body,
      namespace: info.namespace,
      name: info.name,
      part: info.subresource,
      now: () => formatTime(s.clock.now()),
    },
    options,
    call.warn,
  );
  const target = { call, r, namespace: info.namespace, name: info.name, part: info.subresource, options };
  const written = await s.writer.update(target, change);
  return answerObject(it, written.created ? 201 : 200, written.object);
}
