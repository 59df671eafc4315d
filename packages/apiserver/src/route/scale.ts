// `scale`: the replicas of an object in the same form for every kind that has them.
import { formatTime } from "@telltale/kinds";
import { applyConfig, trackUpdate } from "../apply/apply.ts";
import { FieldSet } from "../apply/fieldset.ts";
import { builtinSchema } from "../apply/schema.ts";
import { decodeApply } from "../decode/apply-body.ts";
import { decodeBody } from "../decode/body.ts";
import { negotiate } from "../decode/media.ts";
import { normalize } from "../decode/normalize.ts";
import { decodeTyped } from "../decode/typed.ts";
import { encodeObject } from "../encode/encode.ts";
import { at, type JsonObject, text } from "../json.ts";
import { nameOf, uidOf, versionOf, withMetadata } from "../registry/metadata.ts";
import { type WriteOptions, writeOptions } from "../registry/options.ts";
import { patchedAs, patchType } from "../registry/patch.ts";
import type { PatchedKind } from "../registry/patched.ts";
import type { ScalePart } from "../registry/resource.ts";
import { checkScaleUid, rescaled, scaleOf, shownScale } from "../registry/scale.ts";
import type { ApiResponse } from "../request.ts";
import { badRequest, notFound, raw } from "../status.ts";
import { checkName, live } from "./object.ts";
import type { Routed } from "./resources.ts";
import { respondObject } from "./respond.ts";

export async function scale(it: Routed, parts: ScalePart): Promise<ApiResponse> {
  const { s, call, info, r } = it;
  if (info.verb === "get") return scaleAnswer(it, scaleOf(r, parts, await live(it)));
  const type = info.verb === "patch" ? patchType(call.request.headers["content-type"], r.builtin) : undefined;
  const options = writeOptions(
    call.query,
    type === "apply" ? "apply" : info.verb === "patch" ? "patch" : "update",
    call.request.headers["user-agent"],
  );
  const change = info.verb === "update" ? await scaleBody(it) : await scalePatch(it, options);
  const target = { call, r, namespace: info.namespace, name: info.name, part: info.subresource, options };
  const written = await s.writer.update(target, (parent) => {
    if (parent === undefined) throw notFound(r, info.name);
    const before = scaleOf(r, parts, withReplicas(parent, parts));
    const changed = tracked(change(before, options), before, type === "apply", options, formatTime(s.clock.now()));
    checkNamespace(changed, info.namespace);
    const next = info.verb === "patch" ? checkScaleUid(r, parent, changed) : changed;
    const object = rescaled(r, parts, parent, next);
    // A Scale may be put without a version, also where its parent may not.
    const named = versionOf(next) !== "" || uidOf(next) !== "";
    return { object, tracked: true, replaces: info.verb === "update" && named };
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

const message = "autoscaling.Scale";
const scaleKind: PatchedKind = {
  group: "autoscaling",
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  builtin: true,
  message,
  redecode(object) {
    const { object: typed, unknown } = decodeTyped(object, message, { kind: "Scale", version: "v1" });
    const { managedFields } = (object["metadata"] as JsonObject | undefined) ?? {};
    return { object: withMetadata(normalize(typed, message, "as given"), { managedFields }), unknown: [...unknown] };
  },
};

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

function checkNamespace(scale: JsonObject, namespace: string): void {
  const named = text(at(scale, "metadata", "namespace"));
  if (named === "" || named === namespace) return;
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
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
      uid: at(object, "metadata", "uid") ?? "",
      resourceVersion: at(object, "metadata", "resourceVersion") ?? "",
    },
  });
}

async function scalePatch({ s, call, r, info }: Routed, { fieldValidation }: WriteOptions): Promise<ScaleChange> {
  const type = patchType(call.request.headers["content-type"], r.builtin);
  const bytes = call.request.body;
  if (type !== "apply") return patchedAs(scaleKind, { type, bytes, name: info.name }, fieldValidation, call.warn);
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
