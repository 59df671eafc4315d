// The records of one resource, sorted by key: chunks of bounded length, shared with forks until one of the two writes.
import type { StoredRecord } from "./record.ts";

const chunkSize = 256;

export class Table implements Iterable<StoredRecord> {
  #chunks: Chunk[] = [];
  /** Who may change a chunk in place: the table whose mark it carries. */
  #mark: object = {};
  #sharesList = false;

  /** An independent table of the same records, at a price that does not depend on how many they are. */
  fork(): Table {
    const other = new Table();
    other.#chunks = this.#chunks;
    other.#sharesList = true;
    this.#sharesList = true;
    this.#mark = {};
    return other;
  }

  get(key: string): StoredRecord | undefined {
    const chunk = this.#chunks[this.#chunkOf(key)];
    if (chunk === undefined) return undefined;
    const record = chunk.records[position(chunk.records, key)];
    return record?.key === key ? record : undefined;
  }

  /** Puts a record in the place of the one with its key. */
  set(record: StoredRecord): void {
    const c = this.#chunkOf(record.key);
    if (c === this.#chunks.length) {
      this.#list().push({ mark: this.#mark, records: [record] });
      return;
    }
    const records = this.#own(c);
    const at = position(records, record.key);
    if (records[at]?.key === record.key) {
      records[at] = record;
      return;
    }
    records.splice(at, 0, record);
    if (records.length <= chunkSize) return;
    // Keys that come in order leave full chunks behind, not half-full ones.
    const last = c === this.#chunks.length - 1 && at === records.length - 1;
    const rest = records.splice(last ? at : chunkSize / 2);
    this.#list().splice(c + 1, 0, { mark: this.#mark, records: rest });
  }

  delete(key: string): void {
    const c = this.#chunkOf(key);
    const found = this.#chunks[c]?.records;
    if (found === undefined) return;
    const at = position(found, key);
    if (found[at]?.key !== key) return;
    if (found.length === 1) this.#list().splice(c, 1);
    else this.#own(c).splice(at, 1);
  }

  /** The records whose key begins with the prefix and comes behind `after`; `count` is how many there are without the limit. */
  range(prefix: string, after: string | undefined, limit: number): { records: StoredRecord[]; count: number } {
    const from = after !== undefined && after >= prefix ? this.#behind(after) : this.#place(prefix);
    const until = prefix === "" ? { chunk: this.#chunks.length, index: 0 } : this.#place(successor(prefix));
    const records: StoredRecord[] = [];
    let count = 0;
    for (let c = from.chunk; c <= until.chunk; c++) {
      const chunk = this.#chunks[c]?.records ?? [];
      const first = c === from.chunk ? from.index : 0;
      const end = c === until.chunk ? until.index : chunk.length;
      if (end <= first) continue;
      count += end - first;
      for (let i = first; i < end && records.length < limit; i++) {
        const record = chunk[i];
        if (record !== undefined) records.push(record);
      }
    }
    return { records, count };
  }

  *[Symbol.iterator](): Iterator<StoredRecord> {
    for (const chunk of this.#chunks) yield* chunk.records;
  }

  /** Where the first key is that does not come before this one. */
  #place(key: string): Place {
    const c = this.#chunkOf(key);
    return { chunk: c, index: position(this.#chunks[c]?.records ?? [], key) };
  }

  #behind(key: string): Place {
    const { chunk, index } = this.#place(key);
    return { chunk, index: this.#chunks[chunk]?.records[index]?.key === key ? index + 1 : index };
  }

  /** The chunk that holds the key, or would: the last one that does not begin after it. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#chunks[middle]?.records[0]?.key ?? "") <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #list(): Chunk[] {
    if (this.#sharesList) {
      this.#chunks = this.#chunks.slice();
      this.#sharesList = false;
    }
    return this.#chunks;
  }

  #own(c: number): StoredRecord[] {
    const chunk = this.#chunks[c];
    if (chunk?.mark === this.#mark) return chunk.records;
    const records = chunk?.records.slice() ?? [];
    this.#list()[c] = { mark: this.#mark, records };
    return records;
  }
}

interface Chunk {
  readonly mark: object;
  readonly records: StoredRecord[];
}

interface Place {
  readonly chunk: number;
  readonly index: number;
}

function position(records: readonly StoredRecord[], key: string): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle]?.key ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first text that comes behind everything with this prefix. */
function successor(prefix: string): string {
  const last = prefix.length - 1;
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
}
