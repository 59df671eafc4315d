// Everybody who watches over a run. Most want to know of little, and a run has much to tell: each is asked only for that.
import type { Watcher } from "./invariant.ts";

/** One who wants to know of it. */
type Hearing<K extends keyof Watcher> = Watcher & Required<Pick<Watcher, K>>;

export class Watchers {
  readonly #all: Watcher[];
  readonly #by = new Map<keyof Watcher, readonly Watcher[]>();

  constructor(all: Watcher[]) {
    this.#all = all;
  }

  add(watcher: Watcher): void {
    this.#all.push(watcher);
    this.#by.clear();
  }

  of<K extends keyof Watcher>(what: K): readonly Hearing<K>[] {
    const hears = (it: Watcher): it is Hearing<K> => it[what] !== undefined;
    const known = this.#by.get(what) as readonly Hearing<K>[] | undefined;
    if (known !== undefined) return known;
    const found = this.#all.filter(hears);
    this.#by.set(what, found);
    return found;
  }
}
