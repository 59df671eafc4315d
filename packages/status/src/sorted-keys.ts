// A sorted set of names that takes and loses one among ten thousand at the price of one among ten: chunks of bounded length.

const chunkSize = 256;

export class SortedKeys {
  readonly #chunks: string[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: string): void {
    const c = this.#chunkOf(key);
    const chunk = this.#chunks[c];
    if (chunk === undefined) {
      this.#chunks.push([key]);
    } else {
      const at = position(chunk, key);
      if (chunk[at] === key) return;
      chunk.splice(at, 0, key);
      if (chunk.length > chunkSize) this.#chunks.splice(c + 1, 0, chunk.splice(chunkSize / 2));
    }
    this.#size += 1;
  }

  delete(key: string): void {
    const c = this.#chunkOf(key);
    const chunk = this.#chunks[c];
    if (chunk === undefined) return;
    const at = position(chunk, key);
    if (chunk[at] !== key) return;
    chunk.splice(at, 1);
    if (chunk.length === 0) this.#chunks.splice(c, 1);
    this.#size -= 1;
  }

  /** The first `n` in order. */
  first(n: number): string[] {
    const out: string[] = [];
    for (const chunk of this.#chunks) {
      for (const key of chunk) {
        if (out.length === n) return out;
        out.push(key);
      }
    }
    return out;
  }

  /** The chunk that holds the key, or would: the last one that does not begin after it. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#chunks[middle]?.[0] ?? "") <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function position(chunk: readonly string[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunk[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
