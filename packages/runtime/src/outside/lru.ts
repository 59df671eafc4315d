// A map that holds at most so many entries: whoever was not asked for the longest goes first.

export class Lru<K, V> {
  readonly #max: number;
  readonly #entries = new Map<K, V>();
  /** Where it stands all before are gone: to begin anew would pass over the gaps that they have left. */
  readonly #oldest = this.#entries.keys();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return;
    const oldest = this.#oldest.next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
