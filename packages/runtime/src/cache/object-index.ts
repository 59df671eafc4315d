// Which objects have a value: the keys of objects by what a function says of each.
import type { Key } from "../key.ts";

const none: readonly string[] = [];

export class ObjectIndex<T> {
  readonly #values: (object: T) => readonly string[];
  readonly #keys = new Map<string, Set<Key>>();

  constructor(values: (object: T) => readonly string[]) {
    this.#values = values;
  }

  keys(value: string): Iterable<Key> {
    return this.#keys.get(value) ?? [];
  }

  /** From what an object was to what it is; undefined where it was or is not there. */
  move(key: Key, old: T | undefined, next: T | undefined): void {
    const [before, after] = [
      old === undefined ? none : this.#values(old),
      next === undefined ? none : this.#values(next),
    ];
    if (before.length === after.length && before.every((value, i) => value === after[i])) return;
    this.#leave(key, before);
    this.#enter(key, after);
  }

  #enter(key: Key, values: readonly string[]): void {
    for (const value of values) {
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  #leave(key: Key, values: readonly string[]): void {
    for (const value of values) {
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
  }
}
