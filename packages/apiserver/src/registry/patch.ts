// PATCH: which kind of patch it is, and what it makes of the live object.
import { applyConfig } from "../apply/apply.ts";
import { limitDepth } from "../crd/schema.ts";
import type { JsonObject } from "../json.ts";
import { applyJsonPatch, decodeJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch, decodeMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicPatch, decodeStrategicPatch, refusedPatch } from "../patch/strategic.ts";
import { badRequest, invalid, StatusError, unsupportedMediaType } from "../status.ts";
import { converting } from "./conversions.ts";
import { nameOf } from "./metadata.ts";
import type { WriteOptions } from "./options.ts";
import { type PatchedKind, readPatched, shownPatched } from "./patched.ts";
import type { FieldValidation, Part, Resource } from "./resource.ts";
import type { Change } from "./write.ts";

export type PatchType = "json" | "merge" | "strategic" | "apply";

const mediaTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** The kind of patch that a content type names; custom resources know no strategic merge. */
export function patchType(contentType: string | undefined, builtin: boolean): PatchType {
  const media = (contentType ?? "").split(";")[0]?.trim() ?? "";
  const type = Object.hasOwn(mediaTypes, media) ? mediaTypes[media] : undefined;
  if (type !== undefined && (builtin || type !== "strategic")) return type;
  if (builtin && type === undefined)
    throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  throw unsupportedMediaType(Object.keys(mediaTypes).filter((m) => builtin || mediaTypes[m] !== "strategic"));
}

export interface PatchRequest {
  readonly type: PatchType;
  readonly bytes: Uint8Array;
  readonly namespace: string;
  readonly name: string;
  readonly part: Part;
  readonly now: () => string;
}

/** What turns the live object into the next one. Decoding is done once, applying at each try. */
export async function patching(
  r: Resource,
  p: PatchRequest,
  options: WriteOptions,
  warn: (text: string) => void,
): Promise<(live: JsonObject | undefined) => Promise<Change>> {
  if (p.type === "apply") return applying(r, p, options, warn);
  const patched = patchedAs(r, { type: p.type, bytes: p.bytes, name: p.name }, options.fieldValidation, warn);
  return async (live) => ({ object: live === undefined ? {} : patched(live) });
}

/** What turns an object into the patched one, which is read again as what it has to be: a patch may put anything anywhere. */
export function patchedAs(
  r: PatchedKind,
  p: { readonly type: Exclude<PatchType, "apply">; readonly bytes: Uint8Array; readonly name: string },
  validation: FieldValidation,
  warn: (text: string) => void,
): (live: JsonObject) => JsonObject {
  const strategic = p.type === "strategic" ? decodeStrategicPatch(p.bytes, validation, warn) : undefined;
  const apply =
    strategic === undefined
      ? decodePatch(p, validation, warn)
      : (live: JsonObject) => applyStrategicPatch(live, strategic, r.message ?? "");
  return (live) => {
    const patched = apply(live);
    limitDepth(patched); // a few operations can put deep values into each other
    const { object, unknown, refused } = readPatched(r, patched, validation);
    if (refused !== undefined)
      throw strategic === undefined
        ? badPatch(shownPatched(r, live, patched), refused)
        : refusedPatch(strategic, refused);
    if (validation === "Warn") for (const u of unknown) warn(`unknown field "${u}"`);
    checkName(nameOf(object), p.name);
    return object;
  };
}

function decodePatch(
  p: { readonly type: PatchType; readonly bytes: Uint8Array },
  validation: FieldValidation,
  warn: (text: string) => void,
): (live: JsonObject) => JsonObject {
  if (p.type === "json") {
    const operations = decodeJsonPatch(p.bytes);
    return (live) => applyJsonPatch(live, operations);
  }
  const patch = decodeMergePatch(p.bytes, validation, warn);
  return (live) => applyMergePatch(live, patch);
}

async function applying(
  r: Resource,
  p: PatchRequest,
  options: WriteOptions,
  warn: (text: string) => void,
): Promise<(live: JsonObject | undefined) => Promise<Change>> {
  const config = await r.decodeApply(p.bytes, options.fieldValidation, warn);
  const itsKind = config["apiVersion"] === r.apiVersion && config["kind"] === r.kind;
  if (itsKind) checkName(nameOf(config), p.name); // what is no object of this kind is refused as that
  return async (live) => {
    const object = await converting(r, (convert) =>
      applyConfig({
        live,
        config,
        manager: options.fieldManager,
        apiVersion: r.apiVersion,
        subresource: p.part,
        force: options.force,
        schema: r.schema(),
        reset: r.reset(p.part),
        now: p.now(),
        resource: r,
        convert,
        schemaOf: r.schemaOf,
      }),
    );
    const { object: decoded } = r.redecode(object, "Ignore", true);
    return { object: decoded, create: p.part === "", tracked: true };
  };
}

function checkName(given: string, name: string): void {
  if (given === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** 422 for a patch whose result is no object of the kind; the result is shown. */
function badPatch(text: string, why: string): StatusError {
  return invalid("", "", "", [
    { type: "FieldValueInvalid", field: "patch", body: `Invalid value: ${JSON.stringify(text)}: ${why}` },
  ]);
}
