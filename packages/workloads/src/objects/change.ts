// A change of fields of an object that others may write as well: refused when the object is no longer the one that was read.
import type { JsonPatchOperation } from "@telltale/client";
import { deepEqual, type KubeObject } from "@telltale/kinds";

/** A field by its JSON pointer, and what it shall be: `{ "/spec/claimRef": {...} }`. Undefined takes it away. */
export type Fields = Readonly<Record<`/${string}`, unknown>>;

/** Empty where everything is as it shall be. */
export function change(object: KubeObject, fields: Fields): readonly JsonPatchOperation[] {
  const changes = Object.entries(fields).flatMap(([path, value]): JsonPatchOperation[] => {
    const before = valueAt(object, path);
    if (deepEqual(before, value) || (isNothing(before) && isNothing(value))) return [];
    return [isNothing(value) ? { op: "remove", path } : { op: "add", path, value }];
  });
  if (changes.length === 0) return [];
  return [{ op: "test", path: "/metadata/resourceVersion", value: object.metadata?.resourceVersion }, ...changes];
}

/** A server keeps no empty list and no empty map. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function valueAt(object: unknown, path: string): unknown {
  return path
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((at, step) => (isRecord(at) ? at[step] : undefined), object);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
