// Changes of somebody else's object that are meant for what was read: whoever was faster is not overwritten.
import { isConflict, type JsonPatchOperation } from "@telltale/client";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Failed, text } from "@telltale/status";
import type { MigrationHands } from "./act.ts";

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
