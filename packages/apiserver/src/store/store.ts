// The objects of the server in memory: one counter of revisions, every resource sorted by key, and the recent past.
// What makes writes survive is the journal's business.
import type { Clock } from "@telltale/clock";
import type { ApiObject } from "../json.ts";
import { type Expectation, Expired, RevisionMismatch, StoreFailed } from "./errors.ts";
import { History, type HistoryLimits, type HistoryMark, historyLimits, type StoreEvent } from "./history.ts";
import { ParsedObjects, StoredRecord } from "./record.ts";
import { type Listener, resourceOf, Subscribers } from "./subscribers.ts";
import { Table } from "./table.ts";

export type { StoreEvent } from "./history.ts";

export interface Change {
  /** The revision that the key must have, or that it must not exist; left out, anything goes. */
  readonly expect?: number | "absent";
  /** The new state, or undefined to delete. */
  readonly object: ApiObject | undefined;
}

export interface Commit {
  /** The record as stored; of a deletion the last state at the deletion's revision. */
  readonly record: StoredRecord;
  /** Resolves once the write is as safe as the sync mode promises. Rejects with `StoreFailed` when it may be lost. */
  durable(): Promise<void>;
}

export interface ScanOptions {
  /** The revision to read at: now, unless told. */
  readonly at?: number;
  /** Keys behind this one only. */
  readonly after?: string;
  /** No more than so many; 0 and less are no limit. */
  readonly limit?: number;
}

export interface Scan {
  readonly records: readonly StoredRecord[];
  readonly revision: number;
  /** Whether keys remain behind the last record. */
  readonly more: boolean;
  /** How many records there are with the prefix behind `after`, those beyond the limit included. */
  count(): number;
}

/** Where writes are put down before anybody hears of them. Another backend implements this. */
export interface Journal {
  /** Takes a write into the next group; throws `StoreFailed` when it takes no more. The result waits until it is safe. */
  append(entry: JournalEntry): () => Promise<void>;
  /** Makes sure that no revision up to this one is ever given out again. */
  reserve(revision: number): void;
  /** Tells when it takes no more writes: those behind `written` are lost. */
  onFailure(listener: (written: number, error: StoreFailed) => void): void;
  close(revision: number): Promise<void>;
  /** Stops where it is, as a crash would. */
  abandon(): Promise<void>;
}

export interface JournalEntry {
  readonly revision: number;
  readonly key: string;
  /** undefined deletes. */
  readonly json: string | undefined;
}

/** Everything at one revision. It shares what has not changed since, and can be restored any number of times. */
export interface StoreSnapshot {
  readonly revision: number;
  readonly compacted: number;
  readonly tables: ReadonlyMap<string, Table>;
  readonly history: HistoryMark;
}

export interface StoreOptions {
  readonly clock: Clock;
  readonly history?: Partial<HistoryLimits>;
  /** What a backend has recovered. Its past is gone: `compacted` is its revision. */
  readonly recovered?: {
    readonly revision: number;
    readonly tables: ReadonlyMap<string, Table>;
    readonly parsed: ParsedObjects;
  };
  readonly journal?: Journal;
}

const firstRevision = 1;
const keptPasts = 32;

export class Store {
  readonly #clock: Clock;
  readonly #journal: Journal | undefined;
  readonly #limits: HistoryLimits;
  readonly #parsed: ParsedObjects;
  readonly #subscribers = new Subscribers();
  /** Tables as they were, by resource and revision: the pages of one list read the same one. */
  readonly #pasts = new Map<string, { readonly revision: number; readonly table: Table }>();
  #tables: Map<string, Table>;
  #history: History;
  #revision: number;
  #compacted: number;
  #closed = false;
  #failure: StoreFailed | undefined;

  constructor({ clock, history, recovered, journal }: StoreOptions) {
    this.#clock = clock;
    this.#journal = journal;
    this.#limits = { ...historyLimits, ...history };
    this.#parsed = recovered?.parsed ?? new ParsedObjects();
    this.#tables = new Map(recovered?.tables);
    this.#history = new History(this.#limits);
    this.#revision = recovered?.revision ?? firstRevision;
    this.#compacted = recovered?.revision ?? 0;
    journal?.onFailure((written, error) => this.#fail(written, error));
  }

  /** Why no write is taken any more; undefined while all is well. */
  get failure(): StoreFailed | undefined {
    return this.#failure;
  }

  /** Whether it is no longer used: nothing is written to it again. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** The oldest revision that can be read, and that can be followed from. */
  get compacted(): number {
    this.#trim();
    return this.#compacted;
  }

  get(key: string, at?: number): StoredRecord | undefined {
    if (at === undefined || at === this.#revision) return this.#tables.get(resourceOf(key))?.get(key);
    return this.#tableAt(resourceOf(key), at).get(key);
  }

  /** The records with a prefix in the order of the bytes of their keys. Throws `Expired`. */
  scan(prefix: string, { at = this.#revision, after, limit = 0 }: ScanOptions = {}): Scan {
    this.#readable(at);
    const most = limit > 0 ? limit : Number.POSITIVE_INFINITY;
    const resources = this.#resources(prefix);
    const parts = [];
    let [length, count] = [0, 0];
    for (const resource of resources) {
      const part = this.#tableAt(resource, at).range(prefix, after, most - length);
      length += part.records.length;
      count += part.count;
      parts.push(part.records);
    }
    const [only] = resources;
    // The next page reads this revision: keep it while that is free.
    if (count > length && only !== undefined && resources.length === 1) this.#keep(only, at, this.#tableAt(only, at));
    return {
      records: parts.length === 1 ? (parts[0] ?? []) : parts.flat(),
      revision: at,
      more: count > length,
      count: () => count,
    };
  }

  /** Writes one key. Throws `RevisionMismatch`, or `StoreFailed` with nothing changed. Followers have heard on return. */
  commit(key: string, { expect, object }: Change): Commit {
    this.#writable();
    const table = this.#tableOf(key);
    const current = table.get(key);
    if (expect !== undefined) check(key, expect, current);
    if (object === undefined) check(key, "present", current);
    const revision = this.#revision + 1;
    if (!Number.isSafeInteger(revision)) throw new StoreFailed(`no revision is left behind ${this.#revision}`);
    const place = { key, revision, created: current?.created ?? revision };
    const record = StoredRecord.of(place, object ?? current?.object() ?? {}, this.#parsed);
    const json = object === undefined ? undefined : record.json;
    const durable = this.#journal?.append({ revision, key, json }) ?? (() => Promise.resolve());

    this.#apply({
      revision,
      type: object === undefined ? "DELETED" : current === undefined ? "ADDED" : "MODIFIED",
      key,
      record,
      ...(current === undefined ? {} : { previous: current }),
    });
    return { record, durable };
  }

  #apply(event: StoreEvent): void {
    const table = this.#tableOf(event.key);
    if (event.type === "DELETED") table.delete(event.key);
    else table.set(event.record);
    this.#revision = event.revision;
    this.#history.add(event, this.#clock.now());
    this.#trim();
    this.#subscribers.deliver(event);
  }

  /** Takes back the writes that could not be stored, the last one first: nobody reads what was answered with an error. */
  #fail(written: number, error: StoreFailed): void {
    this.#failure = error;
    for (const { type, key, record, previous } of this.#history.since(written).reverse()) {
      const revision = this.#revision + 1;
      if (type === "ADDED") {
        const last = StoredRecord.of({ key, revision, created: record.created }, record.object(), this.#parsed);
        this.#apply({ revision, type: "DELETED", key, record: last, previous: record });
      } else if (previous !== undefined) {
        const restored = previous.moved(revision);
        const now = type === "MODIFIED" ? { previous: record } : {};
        this.#apply({ revision, type: type === "MODIFIED" ? "MODIFIED" : "ADDED", key, record: restored, ...now });
      }
    }
  }

  /**
   * Tells of every event with the prefix behind a revision: what is kept before this returns, then each as it happens.
   * `ended` is called when the store lets its followers go: it is closed or restored. Throws `Expired`.
   */
  subscribe(prefix: string, from: number, listener: Listener, ended?: () => void): () => void {
    this.#trim();
    if (from < this.#compacted) throw new Expired(from, this.#compacted);
    const subscription = { prefix, listener, ended, seen: from, open: true };
    return this.#subscribers.add(subscription, (seen) => this.#history.since(seen));
  }

  /** The events kept behind a revision, oldest first. Throws `Expired`. */
  events(from: number): readonly StoreEvent[] {
    this.#trim();
    if (from < this.#compacted) throw new Expired(from, this.#compacted);
    return this.#history.since(from);
  }

  /** The revision that was the newest so long ago, as far as the history goes back. */
  revisionBefore(ms: number): number {
    const first = this.#history.firstAfter(this.#clock.now() - ms);
    return first === undefined ? this.#revision : first - 1;
  }

  /** Forgets what was before a revision, the current one unless told. */
  compact(revision = this.#revision): void {
    if (revision > this.#revision)
      throw new RangeError(`cannot compact at ${revision}: the store is at ${this.#revision}`);
    if (revision <= this.#compacted) return;
    this.#history.dropThrough(revision);
    this.#forget(revision);
  }

  /** Jumps forward: the next write gets the revision behind this one. */
  setRevision(revision: number): void {
    this.#writable();
    if (!Number.isSafeInteger(revision) || revision < this.#revision) {
      throw new RangeError(`the revision can go from ${this.#revision} up to 2^53-1, not to ${revision}`);
    }
    this.#journal?.reserve(revision);
    this.#revision = revision;
  }

  snapshot(): StoreSnapshot {
    const tables = new Map([...this.#tables].map(([resource, table]) => [resource, table.fork()] as const));
    return { revision: this.#revision, compacted: this.compacted, tables, history: this.#history.mark() };
  }

  /** Makes everything as it was, revision and past included. Followers are let go: their future did not happen. */
  restore(snapshot: StoreSnapshot): void {
    this.#writable();
    if (this.#journal !== undefined) {
      throw new Error(
        "a store on disk cannot be restored to a snapshot, as it would give out revisions twice; use memory",
      );
    }
    this.#tables = new Map([...snapshot.tables].map(([resource, table]) => [resource, table.fork()] as const));
    this.#history = new History(this.#limits, snapshot.history);
    this.#revision = snapshot.revision;
    this.#compacted = snapshot.compacted;
    this.#pasts.clear();
    this.#subscribers.end();
  }

  /** Writes down what is not yet, and lets go of the folder and of all followers. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#subscribers.end();
    await this.#journal?.close(this.#revision);
  }

  /** Stops as a crash would: what is not yet written is lost, and the next start finds an unclean folder. */
  async abandon(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#subscribers.end();
    await this.#journal?.abandon();
  }

  #writable(): void {
    if (this.#closed) throw new StoreFailed("the store is closed");
  }

  #readable(at: number): void {
    if (at > this.#revision) throw new RangeError(`cannot read at ${at}: the store is at ${this.#revision}`);
    if (at === this.#revision) return;
    this.#trim();
    if (at < this.#compacted) throw new Expired(at, this.#compacted);
  }

  #tableOf(key: string): Table {
    const resource = resourceOf(key);
    if (resource === "" || resource === key || key.includes("\0")) {
      throw new TypeError(`${JSON.stringify(key)} is not a key: /<group>/<resource>/<name>`);
    }
    const known = this.#tables.get(resource);
    if (known !== undefined) return known;
    const table = new Table();
    this.#tables.set(resource, table);
    return table;
  }

  /** The resources in which keys with the prefix are, in the order of their keys. */
  #resources(prefix: string): string[] {
    const resource = resourceOf(prefix);
    if (resource !== "") return [resource];
    return [...this.#tables.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  #tableAt(resource: string, at: number): Table {
    const table = this.#tables.get(resource) ?? new Table();
    if (at === this.#revision) return table;
    this.#readable(at);
    const known = this.#pasts.get(`${at} ${resource}`);
    if (known !== undefined) return known.table;
    const past = table.fork();
    for (const event of this.#history.since(at).reverse()) {
      if (resourceOf(event.key) !== resource) continue;
      if (event.previous === undefined) past.delete(event.key);
      else past.set(event.previous);
    }
    this.#keep(resource, at, past);
    return past;
  }

  #keep(resource: string, revision: number, table: Table): void {
    const name = `${revision} ${resource}`;
    if (this.#pasts.has(name)) return;
    this.#pasts.set(name, { revision, table: table.fork() });
    const [oldest] = this.#pasts.keys();
    if (this.#pasts.size > keptPasts && oldest !== undefined) this.#pasts.delete(oldest);
  }

  #trim(): void {
    const dropped = this.#history.trim(this.#clock.now());
    if (dropped !== undefined) this.#forget(dropped);
  }

  #forget(revision: number): void {
    this.#compacted = revision;
    for (const [name, past] of this.#pasts) if (past.revision < revision) this.#pasts.delete(name);
  }
}

function check(key: string, expect: Expectation, current: StoredRecord | undefined): void {
  const met =
    typeof expect === "number" ? current?.revision === expect : (current === undefined) === (expect === "absent");
  if (!met) throw new RevisionMismatch(key, expect, current?.revision);
}
