// What happened lately, oldest first, for as long and as much as the limits allow.
import type { StoredRecord } from "./record.ts";

export interface StoreEvent {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly key: string;
  /** The new state; of a deletion the last state, with the deletion's revision as its resourceVersion. */
  readonly record: StoredRecord;
  readonly previous?: StoredRecord;
}

export interface HistoryLimits {
  readonly maxEvents: number;
  readonly maxAgeMs: number;
  /** Of JSON text: events of large objects go before there are `maxEvents` of them. */
  readonly maxLength: number;
}

export const historyLimits: HistoryLimits = { maxEvents: 100_000, maxAgeMs: 300_000, maxLength: 512 * 2 ** 20 };

/** A history to go back to. It costs nothing to take: the entries are shared, and only ever added to. */
export interface HistoryMark {
  readonly entries: readonly Entry[];
  readonly head: number;
  readonly end: number;
  readonly length: number;
}

export class History {
  readonly #limits: HistoryLimits;
  #entries: Entry[];
  #head: number;
  #length: number;

  constructor(limits: HistoryLimits, from?: HistoryMark) {
    this.#limits = limits;
    this.#entries = from?.entries.slice(from.head, from.end) ?? [];
    this.#head = 0;
    this.#length = from?.length ?? 0;
  }

  mark(): HistoryMark {
    return { entries: this.#entries, head: this.#head, end: this.#entries.length, length: this.#length };
  }

  add(event: StoreEvent, now: number): void {
    this.#entries.push({ event, time: now });
    this.#length += event.record.json.length;
  }

  /** Drops what exceeds the limits. Gives the revision of the newest event dropped. */
  trim(now: number): number | undefined {
    const { maxEvents, maxAgeMs, maxLength } = this.#limits;
    let dropped: number | undefined;
    for (;;) {
      const oldest = this.#entries[this.#head];
      if (oldest === undefined) break;
      const count = this.#entries.length - this.#head;
      if (count <= maxEvents && this.#length <= maxLength && now - oldest.time <= maxAgeMs) break;
      dropped = oldest.event.revision;
      this.#drop(oldest);
    }
    this.#release();
    return dropped;
  }

  /** Drops everything up to and with a revision. */
  dropThrough(revision: number): void {
    for (;;) {
      const oldest = this.#entries[this.#head];
      if (oldest === undefined || oldest.event.revision > revision) break;
      this.#drop(oldest);
    }
    this.#release();
  }

  /** The events behind a revision, oldest first. */
  since(revision: number): StoreEvent[] {
    return this.#entries.slice(this.#firstBehind(revision)).map(({ event }) => event);
  }

  /** The revision of the first event that came after a time. */
  firstAfter(time: number): number | undefined {
    let first: number | undefined;
    for (let i = this.#entries.length - 1; i >= this.#head; i--) {
      const entry = this.#entries[i];
      if (entry === undefined || entry.time <= time) break;
      first = entry.event.revision;
    }
    return first;
  }

  #firstBehind(revision: number): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.event.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drop(oldest: Entry): void {
    this.#length -= oldest.event.record.json.length;
    this.#head += 1;
  }

  /** Gives the memory back once half of the list is dropped. A new list, as a mark may still share the old one. */
  #release(): void {
    if (this.#head < 64 || this.#head < this.#entries.length / 2) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }
}

interface Entry {
  readonly event: StoreEvent;
  readonly time: number;
}
