// Putting a finalizer on an object and taking it off, as a change that is refused when somebody else has changed the list.
import type { JsonPatchOperation } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";

const path = "/metadata/finalizers";

export function withFinalizer({ metadata }: KubeObject, name: string): JsonPatchOperation[] {
  const before = metadata?.finalizers;
  if (before?.includes(name) === true) return [];
  return [
    { op: "test", path, value: before ?? null },
    { op: "add", path, value: [...(before ?? []), name] },
  ];
}

export function withoutFinalizer({ metadata }: KubeObject, name: string): JsonPatchOperation[] {
  const before = metadata?.finalizers ?? [];
  if (!before.includes(name)) return [];
  const after = before.filter((it) => it !== name);
  return [
    { op: "test", path, value: before },
    after.length === 0 ? { op: "remove", path } : { op: "replace", path, value: after },
  ];
}
