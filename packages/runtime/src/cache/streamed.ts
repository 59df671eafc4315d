// The events with which a stream begins: all there is, up to a bookmark that says so.
import type { WatchEvent } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";
import { type Key, keyOfObject } from "../key.ts";
import { NoStreamedList } from "./trouble.ts";

/** Bytes that were JSON are not yet an event. */
export function isWhole({ object }: WatchEvent<KubeObject>): boolean {
  const metadata = (object as KubeObject | null)?.metadata;
  return typeof metadata === "object" && metadata !== null;
}

export function isEndOfList({ type, object }: WatchEvent<KubeObject>): boolean {
  return type === "BOOKMARK" && object.metadata?.annotations?.["k8s.io/initial-events-end"] === "true";
}

/** What changes while the list is sent comes as changes of it. */
export function collect<T extends KubeObject>(listed: Map<Key, T>, event: WatchEvent<T>): void {
  if (event.type === "BOOKMARK") throw new NoStreamedList("a bookmark came before the list had ended");
  const key = keyOfObject(event.object);
  if (event.type === "DELETED") listed.delete(key);
  else listed.set(key, event.object);
}
