// A binary heap: what comes first by a given order is at hand, whatever the order in which it came.

export class Heap<T> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#items.values();
  }

  clear(): void {
    this.#items.length = 0;
  }

  push(item: T): void {
    const heap = this.#items;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up];
      if (parent === undefined || !this.#before(item, parent)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = item;
  }

  pop(): T | undefined {
    const heap = this.#items;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const left = heap[child];
      if (left === undefined) break;
      const right = heap[child + 1];
      if (right !== undefined && this.#before(right, left)) child += 1;
      const smaller = heap[child];
      if (smaller === undefined || !this.#before(smaller, last)) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
