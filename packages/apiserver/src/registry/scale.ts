// `/scale`: the replicas of an object, seen and written as an object of its own.
import { formatSelector, type LabelSelector } from "@telltale/kinds";
import { scaleToParent, toScale } from "../apply/apply.ts";
import { at, isObject, type Json, type JsonObject, put } from "../json.ts";
import { conflict, internal, invalid, invalidField } from "../status.ts";
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

/** A patch may name the uid that it is for. Custom resources pass over it, as on a real server. */
export function checkScaleUid(r: Resource, parent: JsonObject, scale: JsonObject): JsonObject {
  const uid = uidOf(scale);
  if (!r.builtin) return withMetadata(scale, { uid: uidOf(parent) });
  if (uid === "" || uid === uidOf(parent)) return scale;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${uidOf(parent)}`;
  throw conflict({ group: r.group, resource: `${r.resource}/scale` }, nameOf(parent), why);
}

/** The parent after its Scale was written: with the uid and the version that the Scale names. */
export function rescaled(r: Resource, parts: ScalePart, parent: JsonObject, scale: JsonObject): JsonObject {
  checkReplicas(r, parts, parent, at(scale, "spec", "replicas"));
  const uid = uidOf(scale);
  const version = versionOf(scale);
  const next = withValue(parent, parts.spec, at(scale, "spec", "replicas") ?? 0);
  const managed = scaleToParent(
    at(parent, "metadata", "managedFields"),
    at(scale, "metadata", "managedFields"),
    paths(r, parts),
    r.apiVersion,
  );
  return withMetadata(next, {
    ...(uid === "" ? {} : { uid }),
    managedFields: managed.length === 0 ? undefined : managed,
    ...(version === "" ? { resourceVersion: undefined } : { resourceVersion: version }),
  });
}

function checkReplicas(r: Resource, parts: ScalePart, parent: JsonObject, replicas: Json | undefined): void {
  if (typeof replicas !== "number" || replicas >= 0) return;
  const name = nameOf(parent);
  if (!r.builtin)
    throw invalid(r.group, r.kind, name, [
      invalidField(dotted(parts.spec), replicas, "should be a non-negative integer"),
    ]);
  throw invalid("autoscaling", "Scale", name, [
    invalidField("spec.replicas", replicas, "must be greater than or equal to 0"),
  ]);
}

const dotted = (path: readonly string[]): string => `.${path.join(".")}`;
const paths = (r: Resource, parts: ScalePart) => ({ [r.apiVersion]: parts.spec });

function withValue(object: JsonObject, [head = "", ...rest]: readonly string[], value: Json): JsonObject {
  const copy: JsonObject = { ...object };
  const inner = copy[head];
  put(copy, head, rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value));
  return copy;
}
