// Objects that live for a while after their last write, as events do: then they are deleted like any other.
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { StoreFailed } from "./errors.ts";
import type { Store } from "./store.ts";

/**
 * Deletes every object with the prefix so long after its last write. What is there at the start, or after a restore, is
 * given the whole time anew, as nothing tells when it was written. Gives what ends it.
 */
export function expire(store: Store, clock: Clock, prefix: string, after: Ms): () => void {
  // All live equally long, so the first to be written is the first to go. A later write leaves an entry that finds nothing.
  let waiting: Waiting[] = [];
  let timer: Timer | undefined;
  let unsubscribe = () => {};
  const wait = () => {
    const [first] = waiting;
    if (first !== undefined) timer ??= clock.after(first.at - clock.now(), wake);
  };
  const wake = () => {
    timer = undefined;
    const due = waiting.findIndex(({ at }) => at > clock.now());
    const gone = due < 0 ? waiting : waiting.slice(0, due);
    waiting = due < 0 ? [] : waiting.slice(due);
    try {
      for (const { key, revision } of gone) {
        if (store.get(key)?.revision === revision) store.commit(key, { expect: revision, object: undefined });
      }
      wait();
    } catch (error) {
      // The store has told why it takes no more writes: nothing expires any longer.
      if (!(error instanceof StoreFailed)) throw error;
      end();
    }
  };
  const end = () => {
    unsubscribe();
    timer?.cancel();
    timer = undefined;
    waiting = [];
  };
  const begin = () => {
    const from = clock.now();
    waiting = store.scan(prefix).records.map(({ key, revision }) => ({ key, revision, at: from + after }));
    unsubscribe = store.subscribe(
      prefix,
      store.revision,
      ({ type, key, revision }) => {
        if (type !== "DELETED") waiting.push({ key, revision, at: clock.now() + after });
        wait();
      },
      () => {
        end();
        if (!store.closed) begin(); // it was restored
      },
    );
    wait();
  };
  begin();
  return () => end();
}

interface Waiting {
  readonly key: string;
  readonly revision: number;
  readonly at: number;
}
