// `/scale`: the replicas of an object, seen and written as an object of its own.
import { formatSelector, type LabelSelector } from "@telltale/kinds";
import { scaleToParent, toScale } from "../apply/apply.ts";
import { at, isObject, type Json, type JsonObject, put, text } from "../json.ts";
import { conflict, type FieldError, internal, invalid, invalidField } from "../status.ts";
import { metadataOf, nameOf, uidOf, versionOf, withMetadata } from "./metadata.ts";
import type { Resource, ScalePart } from "./resource.ts";

const apiVersion = "autoscaling/v1";

/** The Scale of an object. */
export function scaleOf(r: Resource, parts: ScalePart, parent: JsonObject): JsonObject {
  const replicas = at(parent, ...parts.spec);
  if (replicas === undefined && !r.builtin) {
    throw internal(`the spec replicas field "${dotted(parts.spec)}" does not exist`);
  }
  const meta = metadataOf(parent);
  const managed = toScale(meta["managedFields"], paths(r, parts));
  const status = Number(at(parent, ...parts.status) ?? 0);
  const selector = parts.selector === undefined ? undefined : shownSelector(at(parent, ...parts.selector));
  return {
    kind: "Scale",
    apiVersion,
    metadata: {
      name: nameOf(parent),
      ...(meta["namespace"] === undefined ? {} : { namespace: meta["namespace"] }),
      uid: uidOf(parent),
      resourceVersion: versionOf(parent),
      ...(meta["creationTimestamp"] === undefined ? {} : { creationTimestamp: meta["creationTimestamp"] }),
      ...(managed.length === 0 ? {} : { managedFields: managed }),
    },
    spec: Number(replicas ?? 0) === 0 ? {} : { replicas: Number(replicas) },
    status: { replicas: status, ...(selector === undefined || selector === "" ? {} : { selector }) },
  };
}

/** A selector is told as text, whichever form the object has it in. */
function shownSelector(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  return isObject(value) ? formatSelector(value as unknown as LabelSelector) : undefined;
}

/** What a client sees of a Scale: ownership is told on the parent only. */
export const shownScale = (scale: JsonObject): JsonObject => withMetadata(scale, { managedFields: undefined });

/** The parent after its Scale was written. */
export function rescaled(r: Resource, parts: ScalePart, parent: JsonObject, scale: JsonObject): JsonObject {
  const errors = scaleErrors(scale);
  if (errors.length > 0) throw invalid("autoscaling", "Scale", nameOf(parent), errors);
  const uid = text(at(scale, "metadata", "uid"));
  if (uid !== "" && uid !== uidOf(parent)) {
    throw conflict(
      r,
      nameOf(parent),
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${uidOf(parent)}`,
    );
  }
  const version = versionOf(scale);
  const next = withValue(parent, parts.spec, at(scale, "spec", "replicas") ?? 0);
  const managed = scaleToParent(
    at(parent, "metadata", "managedFields"),
    at(scale, "metadata", "managedFields"),
    paths(r, parts),
    r.apiVersion,
  );
  return withMetadata(next, {
    managedFields: managed.length === 0 ? undefined : managed,
    ...(version === "" ? { resourceVersion: undefined } : { resourceVersion: version }),
  });
}

function scaleErrors(scale: JsonObject): FieldError[] {
  const replicas = at(scale, "spec", "replicas");
  return typeof replicas === "number" && replicas < 0
    ? [invalidField("spec.replicas", replicas, "must be greater than or equal to 0")]
    : [];
}

const dotted = (path: readonly string[]): string => `.${path.join(".")}`;
const paths = (r: Resource, parts: ScalePart) => ({ [r.apiVersion]: parts.spec });

function withValue(object: JsonObject, [head = "", ...rest]: readonly string[], value: Json): JsonObject {
  const copy: JsonObject = { ...object };
  const inner = copy[head];
  put(copy, head, rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value));
  return copy;
}
