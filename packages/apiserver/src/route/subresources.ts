// The endpoints beside an object: its scale, and what single kinds have (binding, eviction, token, log, exec).

import type { KeyObject } from "node:crypto";
import type { Random } from "@telltale/clock";
import { formatTime } from "@telltale/kinds";
import { applyConfig, trackUpdate } from "../apply/apply.ts";
import { FieldSet } from "../apply/fieldset.ts";
import { builtinSchema } from "../apply/schema.ts";
import { type TokenIssuer, tokenRequest } from "../authorize/token-request.ts";
import { decodeApply } from "../decode/apply-body.ts";
import { decodeBody } from "../decode/body.ts";
import { negotiate } from "../decode/media.ts";
import { decodeOptions } from "../decode/options.ts";
import { encodeObject } from "../encode/encode.ts";
import { at, type JsonObject, stringify, text } from "../json.ts";
import { bindPod } from "../kinds/binding.ts";
import { evictionDecision, evictionNameError } from "../kinds/eviction.ts";
import { applyJsonPatch, decodeJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch, decodeMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicPatch, decodeStrategicPatch } from "../patch/strategic.ts";
import type { PodAccess } from "../pods/access.ts";
import { nameOf, versionOf, withMetadata } from "../registry/metadata.ts";
import { type WriteOptions, writeOptions } from "../registry/options.ts";
import { patchType } from "../registry/patch.ts";
import { type Resource, type ScalePart, storageKey } from "../registry/resource.ts";
import { rescaled, scaleOf, shownScale } from "../registry/scale.ts";
import type { ApiResponse, Call } from "../request.ts";
import { badRequest, methodNotAllowed, notFound, raw, StatusError } from "../status.ts";
import { RevisionMismatch } from "../store/errors.ts";
import { connect, log } from "./connect.ts";
import type { ResourceInfo } from "./info.ts";
import type { ResourceStages, SubresourceRoute } from "./resources.ts";
import { respondObject, type Warnings } from "./respond.ts";

const json = { mediaType: "application/json", pretty: false } as const;

export interface SubresourceEnv {
  readonly stages: () => ResourceStages;
  readonly tokenKey: () => KeyObject;
  readonly random: Random;
  /** Who reaches what runs in pods. */
  readonly pods: PodAccess | undefined;
}

export function subresources(env: SubresourceEnv): SubresourceRoute {
  return async (call, info, r, warnings) => {
    const known = r.subresources.find((s) => s.name === info.subresource);
    if (known === undefined) return undefined;
    if (!known.verbs.includes(info.verb)) throw methodNotAllowed();
    const s = env.stages();
    if (info.subresource === "scale" && r.scale !== undefined) return scale(s, call, info, r, r.scale, warnings);
    const place = `${r.group}/${r.resource}/${info.subresource}`;
    if (place === "/pods/binding") return binding(s, call, info, r, warnings);
    if (place === "/pods/eviction") return eviction(s, call, info, r, warnings);
    const connection = { s, call, info, r, access: env.pods, random: env.random };
    if (place === "/pods/log") return log(connection);
    if (place === "/serviceaccounts/token") return token(env, s, call, info, r, warnings);
    if (connects.has(info.subresource)) return connect(connection, known.kind);
    throw new StatusError(501, "NotImplemented", `${info.subresource} needs pods that run as processes`);
  };
}

/** What leads into a pod. */
const connects: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"]);

async function live(s: ResourceStages, r: Resource, info: ResourceInfo): Promise<JsonObject> {
  const record = s.store.get(storageKey(r, info.namespace, info.name));
  if (record === undefined) throw notFound(r, info.name);
  return r.read(record);
}

const target = (call: Call, info: ResourceInfo, r: Resource, options: WriteOptions) => ({
  call,
  r,
  namespace: info.namespace,
  name: info.name,
  part: info.subresource,
  options,
});

async function scale(
  s: ResourceStages,
  call: Call,
  info: ResourceInfo,
  r: Resource,
  parts: ScalePart,
  warnings: Warnings,
): Promise<ApiResponse> {
  if (info.verb === "get") return scaleAnswer(s, call, r, scaleOf(r, parts, await live(s, r, info)), warnings);
  const change = info.verb === "update" ? await scaleBody(call, r, info.name) : await scalePatch(s, call, r, parts);
  const type = info.verb === "patch" ? patchType(call.request.headers["content-type"], r.builtin) : undefined;
  const options = writeOptions(
    call.query,
    type === "apply" ? "apply" : info.verb === "patch" ? "patch" : "update",
    call.request.headers["user-agent"],
  );
  const written = await s.writer.update(target(call, info, r, options), (parent) => {
    if (parent === undefined) throw notFound(r, info.name);
    const before = scaleOf(r, parts, withReplicas(parent, parts));
    const next = tracked(change(before, options), before, type === "apply", options, formatTime(s.clock.now()));
    const object = rescaled(r, parts, parent, next);
    // A Scale may be put without a version, also where its parent may not.
    return { object, tracked: true, replaces: info.verb === "update" && versionOf(object) !== "" };
  });
  return scaleAnswer(s, call, r, scaleOf(r, parts, written.object), warnings);
}

function scaleAnswer(
  s: ResourceStages,
  call: Call,
  r: Resource,
  scale: JsonObject,
  warnings: Warnings,
): Promise<ApiResponse> {
  const asked = negotiate(call.request.headers["accept"], {
    builtin: r.builtin,
    list: false,
    watch: false,
    discovery: false,
    protobuf: false,
  });
  return respondObject(200, encodeObject(r, shownScale(scale), asked, call.query, s.clock.now()), asked, warnings);
}

/** Writing the replicas of an object that has none yet begins with zero. */
function withReplicas(parent: JsonObject, parts: ScalePart): JsonObject {
  if (at(parent, ...parts.spec) !== undefined) return parent;
  const put = (object: JsonObject, [head = "", ...rest]: readonly string[]): JsonObject => ({
    ...object,
    [head]: rest.length === 0 ? 0 : put((object[head] as JsonObject | undefined) ?? {}, rest),
  });
  return put(parent, parts.spec);
}

type ScaleChange = (before: JsonObject, options: WriteOptions) => JsonObject;

function tracked(
  next: JsonObject,
  before: JsonObject,
  applied: boolean,
  options: WriteOptions,
  now: string,
): JsonObject {
  if (applied) return next;
  return trackUpdate({
    live: before,
    next,
    manager: options.fieldManager,
    apiVersion: "autoscaling/v1",
    subresource: "scale",
    schema: builtinSchema("autoscaling.Scale"),
    reset: FieldSet.empty,
    now,
    create: false,
    builtin: true,
  });
}

async function scaleBody(call: Call, r: Resource, name: string): Promise<ScaleChange> {
  const { object } = await decodeBody({
    contentType: call.request.headers["content-type"],
    bytes: call.request.body,
    expect: { group: "autoscaling", version: "v1", kind: "Scale", builtin: true, alone: !r.builtin },
    fieldValidation: "Ignore",
  });
  const given = nameOf(object);
  if (given === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  return (before) => ({
    ...before,
    spec: object["spec"] ?? {},
    metadata: {
      ...(before["metadata"] as JsonObject),
      resourceVersion: at(object, "metadata", "resourceVersion") ?? "",
    },
  });
}

async function scalePatch(s: ResourceStages, call: Call, r: Resource, _parts: ScalePart): Promise<ScaleChange> {
  const type = patchType(call.request.headers["content-type"], r.builtin);
  const bytes = call.request.body;
  if (type === "json") {
    const operations = decodeJsonPatch(bytes);
    return (before) => applyJsonPatch(before, operations);
  }
  if (type === "merge") {
    const patch = decodeMergePatch(bytes, "Ignore", call.warn);
    return (before) => applyMergePatch(before, patch);
  }
  if (type === "strategic") {
    const patch = decodeStrategicPatch(bytes, "Ignore", call.warn);
    return (before) => applyStrategicPatch(before, patch, "autoscaling.Scale");
  }
  const config = await decodeApply(bytes, "Ignore", call.warn);
  return (before, options) => {
    const { object } = applyConfig({
      live: before,
      config,
      manager: options.fieldManager,
      apiVersion: "autoscaling/v1",
      subresource: "scale",
      force: options.force,
      schema: builtinSchema("autoscaling.Scale"),
      reset: FieldSet.empty,
      now: formatTime(s.clock.now()),
      resource: { ...r, kind: "Scale" },
    });
    if (!r.builtin) {
      const place = `${text(at(before, "metadata", "namespace"))}/${nameOf(before)}`;
      throw raw(
        `failed to convert new object (${place}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
      );
    }
    return object;
  };
}

async function binding(
  s: ResourceStages,
  call: Call,
  info: ResourceInfo,
  r: Resource,
  warnings: Warnings,
): Promise<ApiResponse> {
  const options = writeOptions(call.query, "create", call.request.headers["user-agent"]);
  const { object } = await decodeBody({
    contentType: call.request.headers["content-type"],
    bytes: call.request.body,
    expect: { group: "", version: "v1", kind: "Binding", builtin: true },
    fieldValidation: options.fieldValidation,
  });
  const key = storageKey(r, info.namespace, info.name);
  for (;;) {
    const record = s.store.get(key);
    if (record === undefined) throw notFound(r, info.name);
    const bound = bindPod(await r.read(record), object, formatTime(s.clock.now()));
    if ("error" in bound) throw bound.error;
    if (options.dryRun) break;
    try {
      await s.writer.put(r, key, record.revision, bound.pod);
      break;
    } catch (error) {
      if (!(error instanceof RevisionMismatch)) throw error; // somebody was faster: look again
    }
  }
  return respondObject(201, created, json, warnings);
}

const created: JsonObject = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

async function eviction(
  s: ResourceStages,
  call: Call,
  info: ResourceInfo,
  r: Resource,
  warnings: Warnings,
): Promise<ApiResponse> {
  const { object } = await decodeBody({
    contentType: call.request.headers["content-type"],
    bytes: call.request.body,
    expect: { group: "policy", version: "v1", kind: "Eviction", builtin: true, alike: ["policy/v1beta1"] },
    fieldValidation: "Ignore",
  });
  const wrong = evictionNameError(object, info.name);
  if (wrong !== undefined) throw wrong;
  const pod = await live(s, r, info);
  const budgets = s.catalogue.find("policy", "v1", "poddisruptionbudgets");
  const all = budgets === undefined ? [] : s.store.scan(`/policy/poddisruptionbudgets/${info.namespace}/`).records;
  const decided = evictionDecision(
    pod,
    all.map((record) => record.object()),
    formatTime(s.clock.now()),
  );
  if (decided.do === "refuse") throw decided.error;
  const bytes = Buffer.from(stringify((at(object, "deleteOptions") as JsonObject | undefined) ?? {}));
  const deletion = await decodeOptions({ contentType: "application/json", bytes, query: call.query });
  if (decided.budget !== undefined && budgets !== undefined && !deletion.dryRun) {
    const key = storageKey(budgets, info.namespace, nameOf(decided.budget));
    const record = s.store.get(key);
    if (record !== undefined)
      await s.writer.put(budgets, key, record.revision, withMetadata(decided.budget, { resourceVersion: undefined }));
  }
  await s.deleter.object(call, r, info.namespace, info.name, deletion);
  return respondObject(201, created, json, warnings);
}

async function token(
  env: SubresourceEnv,
  s: ResourceStages,
  call: Call,
  info: ResourceInfo,
  r: Resource,
  warnings: Warnings,
): Promise<ApiResponse> {
  const account = await live(s, r, info);
  const { object } = await decodeBody({
    contentType: call.request.headers["content-type"],
    bytes: call.request.body,
    expect: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", builtin: true },
    fieldValidation: "Ignore",
  });
  return respondObject(201, tokenRequest(object, account, issuerOf(env, s, call)), json, warnings);
}

function issuerOf(env: SubresourceEnv, s: ResourceStages, call: Call): TokenIssuer {
  return {
    key: env.tokenKey(),
    clock: s.clock,
    random: env.random,
    manager: writeOptions(call.query, "create", call.request.headers["user-agent"]).fieldManager,
    find: (resource, namespace, name) =>
      s.store.get(`//${resource}/${namespace === "" ? "" : `${namespace}/`}${name}`)?.object(),
  };
}
