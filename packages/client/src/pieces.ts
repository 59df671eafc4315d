// Bytes that come in pieces, in as much memory as there are bytes: a peer that sends them one by one must not cost a hundred
// times that.

/** So many small pieces are made one. */
const many = 256;

export class Pieces {
  #large: Uint8Array[] = [];
  #small: Uint8Array[] = [];
  size = 0;

  /** The bytes are kept as they are: they must not change any more. */
  push(bytes: Uint8Array): void {
    this.#small.push(bytes);
    this.size += bytes.length;
    if (this.#small.length < many) return;
    this.#large.push(Buffer.concat(this.#small));
    this.#small = [];
    if (this.#large.length < many * many) return;
    this.#large = [Buffer.concat(this.#large)];
  }

  /** All of them in one. Nothing is left. */
  take(): Buffer {
    const all = this.#large.length === 0 ? this.#small : [...this.#large, ...this.#small];
    const [first] = all;
    this.#large = [];
    this.#small = [];
    this.size = 0;
    if (all.length !== 1 || first === undefined) return Buffer.concat(all);
    return Buffer.from(first.buffer, first.byteOffset, first.length);
  }
}
