// Annotations and labels as a guarded change.
import type { JsonPatchOperation } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";

/** What to set, and what to take away. */
type Marks = Readonly<Record<string, string | undefined>>;

/** Each annotation is tested for what it was: what somebody else wrote meanwhile is not overwritten. */
export const annotationPatch = (object: KubeObject, marks: Marks): JsonPatchOperation[] =>
  markPatch(object, "annotations", marks);

/** The same for labels. */
export const labelPatch = (object: KubeObject, marks: Marks): JsonPatchOperation[] =>
  markPatch(object, "labels", marks);

function markPatch({ metadata }: KubeObject, field: "annotations" | "labels", marks: Marks): JsonPatchOperation[] {
  const before = metadata?.[field];
  const changes = Object.entries(marks).filter(([name, value]) => before?.[name] !== value);
  if (changes.length === 0) return [];
  const at = `/metadata/${field}`;
  if (before === undefined) {
    return [
      { op: "test", path: at, value: null },
      { op: "add", path: at, value: Object.fromEntries(changes) },
    ];
  }
  return changes.flatMap(([name, value]): JsonPatchOperation[] => {
    const path = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const test = { op: "test", path, value: before[name] ?? null } as const;
    return [test, value === undefined ? { op: "remove", path } : { op: "add", path, value }];
  });
}
