// Changes of somebody else's object that are meant for what was read: whoever was faster is not overwritten.
import { isConflict, type JsonPatchOperation } from "@telltale/client";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Failed, text } from "@telltale/status";
import type { MigrationHands } from "./act.ts";

type Marks = Readonly<Record<string, string | undefined>>;

/** Annotations or labels to set, or to take away. */
export function marked(object: KubeObject, field: "annotations" | "labels", marks: Marks): JsonPatchOperation[] {
  const known = object.metadata?.[field];
  const path = `/metadata/${field}`;
  if (known === undefined) {
    const value = Object.fromEntries(Object.entries(marks).filter(([, it]) => it !== undefined));
    if (Object.keys(value).length === 0) return [];
    return [
      { op: "test", path, value: null },
      { op: "add", path, value },
    ];
  }
  return Object.entries(marks).flatMap(([name, value]): JsonPatchOperation[] => {
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (known[name] === value) return [];
    const test: JsonPatchOperation = { op: "test", path: at, value: known[name] ?? null };
    return [test, value === undefined ? { op: "remove", path: at } : { op: "add", path: at, value }];
  });
}

export async function changed<T extends KubeObject>(
  kind: KindRef<T>,
  object: T,
  operations: readonly JsonPatchOperation[],
  hands: MigrationHands,
): Promise<T> {
  if (operations.length === 0) return object;
  try {
    return await hands.patch(kind, object, operations);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new Failed({ class: "conflict", reason: "Outdated", message: text`${kind.kind} has changed meanwhile` });
  }
}
