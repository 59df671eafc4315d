// Pods by the node that they are on, and what is said of them from there.
import { isNotFound, type JsonPatchOperation } from "@telltale/client";
import type { KindRef } from "@telltale/kinds";
import { Pod } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";

/** `look.where(Pod, onNode, name)`, where the index is declared with `podsByNode`. */
export const onNode = "on-node";

export const podsByNode = ({ spec }: Pod): readonly string[] =>
  spec?.nodeName === undefined || spec.nodeName === "" ? [] : [spec.nodeName];

/** Whether it could be said: a pod that is gone needs to be told nothing. */
export async function told<K extends KindRef>(
  hands: Hands<K>,
  pod: Pod,
  operations: readonly JsonPatchOperation[],
): Promise<boolean> {
  try {
    await hands.patchStatus(Pod, pod, operations);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
