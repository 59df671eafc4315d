// `scale`: the replicas of an object in the same form for every kind that has them.
import { formatTime } from "@telltale/kinds";
import { applyConfig, trackUpdate } from "../apply/apply.ts";
import { FieldSet } from "../apply/fieldset.ts";
import { builtinSchema } from "../apply/schema.ts";
import { decodeApply } from "../decode/apply-body.ts";
import { decodeBody } from "../decode/body.ts";
import { negotiate } from "../decode/media.ts";
import { encodeObject } from "../encode/encode.ts";
import { at, type JsonObject, text } from "../json.ts";
import { applyJsonPatch, decodeJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch, decodeMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicPatch, decodeStrategicPatch } from "../patch/strategic.ts";
import { nameOf, versionOf } from "../registry/metadata.ts";
import { type WriteOptions, writeOptions } from "../registry/options.ts";
import { patchType } from "../registry/patch.ts";
import type { ScalePart } from "../registry/resource.ts";
import { rescaled, scaleOf, shownScale } from "../registry/scale.ts";
import type { ApiResponse } from "../request.ts";
import { notFound, raw } from "../status.ts";
import { checkName, live } from "./object.ts";
import type { Routed } from "./resources.ts";
import { respondObject } from "./respond.ts";

export async function scale(it: Routed, parts: ScalePart): Promise<ApiResponse> {
  const { s, call, info, r } = it;
  if (info.verb === "get") return scaleAnswer(it, scaleOf(r, parts, await live(it)));
  const change = info.verb === "update" ? await scaleBody(it) : await scalePatch(it);
  const type = info.verb === "patch" ? patchType(call.request.headers["content-type"], r.builtin) : undefined;
  const options = writeOptions(
    call.query,
    type === "apply" ? "apply" : info.verb === "patch" ? "patch" : "update",
    call.request.headers["user-agent"],
  );
  const target = { call, r, namespace: info.namespace, name: info.name, part: info.subresource, options };
  const written = await s.writer.update(target, (parent) => {
    if (parent === undefined) throw notFound(r, info.name);
    const before = scaleOf(r, parts, withReplicas(parent, parts));
    const next = tracked(change(before, options), before, type === "apply", options, formatTime(s.clock.now()));
    const object = rescaled(r, parts, parent, next);
    // A Scale may be put without a version, also where its parent may not.
    return { object, tracked: true, replaces: info.verb === "update" && versionOf(object) !== "" };
  });
  return scaleAnswer(it, scaleOf(r, parts, written.object));
}

function scaleAnswer({ s, call, r, warnings }: Routed, shown: JsonObject): Promise<ApiResponse> {
  const asked = negotiate(call.request.headers["accept"], {
    builtin: r.builtin,
    list: false,
    watch: false,
    discovery: false,
    protobuf: false,
  });
  return respondObject(200, encodeObject(r, shownScale(shown), asked, call.query, s.clock.now()), asked, warnings);
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

async function scaleBody({ call, r, info }: Routed): Promise<ScaleChange> {
  const { object } = await decodeBody({
    contentType: call.request.headers["content-type"],
    bytes: call.request.body,
    expect: { group: "autoscaling", version: "v1", kind: "Scale", builtin: true, alone: !r.builtin },
    fieldValidation: "Ignore",
  });
  checkName(object, info.name);
  return (before) => ({
    ...before,
    spec: object["spec"] ?? {},
    metadata: {
      ...(before["metadata"] as JsonObject),
      resourceVersion: at(object, "metadata", "resourceVersion") ?? "",
    },
  });
}

async function scalePatch({ s, call, r }: Routed): Promise<ScaleChange> {
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
    const object = applyConfig({
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
