// Who follows the store, and the delivery: every event to every follower in the order of revisions, whoever writes meanwhile.
import type { StoreEvent } from "./history.ts";

export type Listener = (event: StoreEvent) => void;

export class Subscribers {
  readonly #byResource = new Map<string, Set<Subscription>>();
  readonly #queue: StoreEvent[] = [];
  #delivering = false;

  /** Delivers what `since` gives, then everything that comes. `since` is asked again until it has nothing new. */
  add(subscription: Subscription, since: (revision: number) => readonly StoreEvent[]): () => void {
    for (;;) {
      const kept = since(subscription.seen);
      if (kept.length === 0) break;
      for (const event of kept) hand(subscription, event);
    }
    const resource = resourceOf(subscription.prefix);
    const followers = this.#byResource.get(resource) ?? new Set();
    followers.add(subscription);
    this.#byResource.set(resource, followers);
    return () => {
      subscription.open = false;
      followers.delete(subscription);
    };
  }

  deliver(event: StoreEvent): void {
    this.#queue.push(event);
    // A listener that writes gets its event delivered after this one, to all.
    if (this.#delivering) return;
    this.#delivering = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      for (const resource of [resourceOf(next.key), ""]) {
        for (const subscription of this.#byResource.get(resource) ?? []) hand(subscription, next);
      }
    }
    this.#delivering = false;
  }

  /** Lets everybody go, and tells them. */
  end(): void {
    const all = [...this.#byResource.values()].flatMap((followers) => [...followers]);
    this.#byResource.clear();
    this.#queue.length = 0;
    for (const subscription of all) {
      if (!subscription.open) continue;
      subscription.open = false;
      subscription.ended?.();
    }
  }
}

export interface Subscription {
  readonly prefix: string;
  readonly listener: Listener;
  readonly ended: (() => void) | undefined;
  /** The revision up to which it has been told everything. */
  seen: number;
  open: boolean;
}

/** The part of a key, or of a prefix of keys, that names the resource: `/apps/deployments/`. Empty when it names none. */
export function resourceOf(key: string): string {
  const group = key.indexOf("/", 1);
  return group < 0 ? "" : key.slice(0, key.indexOf("/", group + 1) + 1);
}

function hand(subscription: Subscription, event: StoreEvent): void {
  if (!subscription.open || event.revision <= subscription.seen) return;
  subscription.seen = event.revision;
  if (!event.key.startsWith(subscription.prefix)) return;
  try {
    subscription.listener(event);
  } catch (error) {
    // The write has happened and the others must hear of it: the error goes where uncaught ones go.
    queueMicrotask(() => {
      throw error;
    });
  }
}
