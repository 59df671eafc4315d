// The annotation that carries what `v1` has no field for. Its value comes from outside whenever a `v1` object does: it is read
// as plain data, and anything else about it means that there is none.
import type { ObjectMeta } from "@telltale/kinds";
import { isRecord } from "./shape.ts";

export const conversionData = "locust.io/conversion-data";
/** Stands in its place when there is too much to carry. */
export const conversionLossy = "locust.io/conversion-lossy";

/** All annotations of an object together may have 256 KiB. */
const maxBytes = 200 * 1024;
const maxDepth = 64;
const version = 2;

/** The metadata of a `v1` object that carries this spec. */
export function carrying(metadata: ObjectMeta, spec: unknown): ObjectMeta {
  const value = JSON.stringify({ v: version, spec });
  const isCarried = Buffer.byteLength(value) <= maxBytes && isPlain({ spec });
  const carried = isCarried ? { [conversionData]: value } : { [conversionLossy]: "true" };
  const rest = carryingNothing(metadata);
  return { ...rest, annotations: { ...rest.annotations, ...carried } };
}

/** The metadata without what only a `v1` object has. */
export function carryingNothing(metadata: ObjectMeta): ObjectMeta {
  const { annotations, ...rest } = metadata;
  if (!isRecord(annotations)) return metadata;
  const kept = Object.entries(annotations).filter(([key]) => key !== conversionData && key !== conversionLossy);
  if (kept.length === Object.keys(annotations).length) return metadata;
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}

/** The spec that a `v1` object carries, as it was found, or undefined. */
export function carriedBy({ annotations }: ObjectMeta): unknown {
  if (!isRecord(annotations) || !Object.hasOwn(annotations, conversionData)) return undefined;
  const value = parsed(annotations[conversionData]);
  if (!isRecord(value) || !isPlain(value)) return undefined;
  return value["v"] === version ? value["spec"] : undefined;
}

function parsed(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // whoever wrote it, it was not us
  }
}

const prototypeKeys: readonly string[] = ["__proto__", "constructor", "prototype"];

/** Whether a value ends at some depth, and none of its keys could be taken for a part of a prototype. */
function isPlain(value: unknown, depth = 1): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > maxDepth) return false;
  return Object.entries(value).every(([key, member]) => !prototypeKeys.includes(key) && isPlain(member, depth + 1));
}
