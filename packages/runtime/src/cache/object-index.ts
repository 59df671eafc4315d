// Which objects have a value: the keys of objects by what a function says of each.
import type { Key } from "../key.ts";

export class ObjectIndex<T> {
  readonly #values: (object: T) => readonly string[];
  readonly #keys = new Map<string, Set<Key>>();

  constructor(values: (object: T) => readonly string[]) {
    this.#values = values;
  }

  keys(value: string): Iterable<Key> {
    return this.#keys.get(value) ?? [];
  }

  enter(key: Key, object: T): void {
    for (const value of this.#values(object)) {
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  leave(key: Key, object: T): void {
    for (const value of this.#values(object)) {
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
  }
}
