// Whether what a pass is about is still there, where there is a doubt.
import { deepEqual, type KubeObject } from "@telltale/kinds";
import { isOlder } from "../cache/version.ts";
import { isVanished } from "../write/vanished.ts";
import { type PassState, refOf } from "./hands.ts";
import { honorRetryAfter } from "./retry-after.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * A child is missing, and all was in order before: somebody took it away. Where its owner is gone too, and the watch has not
 * told yet, whatever we make is collected at once, again and again. It is looked up once in a pass.
 */
export async function isOwnerGone(around: Surroundings, state: PassState): Promise<boolean> {
  const { client, cache, controller } = around;
  if (state.isOwnerSeen) return false;
  state.isOwnerSeen = true;
  const { object } = state;
  const { name, namespace } = refOf(object);
  try {
    const asked = client.get(controller.kind, name, namespace === undefined ? {} : { namespace });
    const live = await honorRetryAfter(asked, around, state);
    cache.wrote(controller.kind, live);
    const [known, now] = [object.metadata, live.metadata];
    return known?.uid !== now?.uid || known?.deletionTimestamp !== now?.deletionTimestamp;
  } catch (error) {
    if (!isVanished(error, object)) return false; // nobody knows: the watch will tell
    cache.vanished(controller.kind, object);
    return true;
  }
}

/** Whether a pass has been through with the object as it is. */
export function isSettled(object: KubeObject): boolean {
  const { status } = object as { readonly status?: { readonly observedGeneration?: unknown } };
  return status?.observedGeneration !== undefined && status.observedGeneration === object.metadata?.generation;
}

/** Whether the server itself shows another past than the one that we know: it was put back to an earlier state. */
export function isOfAnotherLife(live: KubeObject, known: KubeObject): boolean {
  const [now, then] = [live.metadata?.resourceVersion, known.metadata?.resourceVersion];
  return isOlder(now, then) || (now === then && !deepEqual(live, known));
}
