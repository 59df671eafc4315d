// Annotations as a guarded change.
import type { JsonPatchOperation } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";

/** Each annotation is tested for what it was: what somebody else wrote meanwhile is not overwritten. */
export function annotationPatch(
  { metadata }: KubeObject,
  annotations: Readonly<Record<string, string | undefined>>,
): JsonPatchOperation[] {
  const before = metadata?.annotations;
  const changes = Object.entries(annotations).filter(([name, value]) => before?.[name] !== value);
  if (changes.length === 0) return [];
  if (before === undefined) {
    return [
      { op: "test", path: "/metadata/annotations", value: null },
      { op: "add", path: "/metadata/annotations", value: Object.fromEntries(changes) },
    ];
  }
  return changes.flatMap(([name, value]): JsonPatchOperation[] => {
    const path = `/metadata/annotations/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const test = { op: "test", path, value: before[name] ?? null } as const;
    return [test, value === undefined ? { op: "remove", path } : { op: "add", path, value }];
  });
}
