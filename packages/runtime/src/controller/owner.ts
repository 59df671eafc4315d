// Whether what a pass is about is still there, where there is a doubt.
import { isVanished } from "../write/vanished.ts";
import { type PassState, refOf } from "./hands.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * A child had to be made, and nothing else is new: somebody took it away. Where its owner is gone too, and the watch has not
 * told yet, whatever we make is collected at once, again and again.
 */
export async function isOwnerGone(
  { client, cache, controller }: Surroundings,
  { object }: PassState,
): Promise<boolean> {
  const { name, namespace } = refOf(object);
  try {
    const live = await client.get(controller.kind, name, namespace === undefined ? {} : { namespace });
    cache.wrote(controller.kind, live);
    return live.metadata?.uid !== object.metadata?.uid;
  } catch (error) {
    if (!isVanished(error, object)) return false; // nobody knows: the watch will tell
    cache.deleted(controller.kind, object);
    return true;
  }
}
