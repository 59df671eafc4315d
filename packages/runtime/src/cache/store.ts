// The objects of one kind as far as they are known: from the server's lists and events, and from our own writes, which are
// there at once. An older state never overwrites a newer one, so that nobody acts on a world from before their own last write.
import { deepFreeze, type KubeObject } from "@telltale/kinds";
import { type Key, keyOfObject, type Name, namespaceOfKey } from "../key.ts";
import { isOlder } from "./version.ts";

/** Who wrote: to them their own change is no news. */
export type Author = object;

export interface Change<T> {
  readonly old: T | undefined;
  readonly new: T | undefined;
  readonly by?: Author | undefined;
}

export type Listener<T> = (change: Change<T>) => void;

export interface StoreOptions<T> {
  /** Objects that nobody can change, whoever holds them. For tests: it costs 24 us each. */
  readonly freeze?: boolean;
  /** Whether an object that we wrote belongs here. Undefined where only the server can tell. */
  readonly selects?: (object: T) => boolean | undefined;
  /** An index or a listener threw on this object. The object is kept, the others are not concerned. */
  readonly onError?: (error: unknown, object: T) => void;
}

/** What can be read. */
export interface Reader<T> {
  readonly size: number;
  get(name: Name): T | undefined;
  byKey(key: Key): T | undefined;
  values(): IterableIterator<T>;
  /** The objects for which the named index has this value. */
  where(index: string, value: string): T[];
}

/** Every object has one: the uids of its owners. */
export const ownerIndex = "owner";

export class Store<T extends KubeObject> implements Reader<T> {
  readonly #objects = new Map<Key, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #listeners = new Set<Listener<T>>();
  /** What we deleted, until the server says so too: an event from before must not bring it back. */
  readonly #deleted = new Set<string>();
  readonly #options: StoreOptions<T>;

  constructor(options: StoreOptions<T> = {}) {
    this.#options = options;
    this.index(ownerIndex, ({ metadata }) => metadata?.ownerReferences?.map(({ uid }) => uid) ?? none);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(name: Name): T | undefined {
    return this.#objects.get(`${name.namespace ?? ""}/${name.name}` as Key);
  }

  byKey(key: Key): T | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  where(index: string, value: string): T[] {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new Error(`there is no index "${index}"; declare it where the kind is read`);
    return Array.from(found.entries.get(value) ?? [], (key) => this.#objects.get(key)).filter((o) => o !== undefined);
  }

  /** Adds an index, also over what is already there. The same name again: the first one stays. */
  index(name: string, values: (object: T) => readonly string[]): void {
    if (this.#indexes.has(name)) return;
    const index: Index<T> = {
      values: (object) => this.#guarded(() => values(object), object) ?? none,
      entries: new Map(),
    };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) enter(index, key, object);
  }

  subscribe(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** An event of the server. */
  saw(type: "ADDED" | "MODIFIED" | "DELETED", object: T): void {
    const uid = object.metadata?.uid ?? "";
    const key = keyOfObject(object);
    const old = this.#objects.get(key);
    if (type === "DELETED") {
      this.#deleted.delete(uid);
      // Of another uid it is old news; and what left a selector may be back by our own hand.
      const isSame =
        old?.metadata?.uid === uid && !isOlder(object.metadata?.resourceVersion, old.metadata?.resourceVersion);
      if (old !== undefined && isSame) this.#set(key, old, undefined);
      return;
    }
    if (this.#deleted.has(uid) || (old !== undefined && !this.#isNews(old, object))) return;
    this.#set(key, old, object);
  }

  /** Our own write succeeded, and this is what came back. */
  wrote(object: T, by?: Author): void {
    const key = keyOfObject(object);
    const old = this.#objects.get(key);
    const belongs = this.#options.selects?.(object) ?? (this.#options.selects === undefined || old !== undefined);
    if (this.#deleted.has(object.metadata?.uid ?? "")) return;
    if (old !== undefined && !this.#isNews(old, object)) return;
    if (belongs) this.#set(key, old, object, by);
    else if (old !== undefined) this.#set(key, old, undefined, by);
  }

  /** Our own deletion succeeded, and the object is gone. */
  deleted(object: T, by?: Author): void {
    const key = keyOfObject(object);
    const old = this.#objects.get(key);
    const uid = object.metadata?.uid ?? "";
    if (old === undefined || old.metadata?.uid !== uid) return;
    this.#deleted.add(uid);
    this.#set(key, old, undefined, by);
  }

  /**
   * All there is, as of a version; with a namespace, all there is in it. What we wrote after that version stays. After a
   * `reset` the server's word alone counts: it has gone back in time, and newer is no longer better.
   */
  replace(objects: Iterable<T>, version: string, options: { namespace?: string; reset?: boolean } = {}): void {
    const { namespace, reset = false } = options;
    if (reset) this.#deleted.clear();
    const listed = new Set<Key>();
    const uids = new Set<string>();
    for (const object of objects) {
      const key = keyOfObject(object);
      const uid = object.metadata?.uid ?? "";
      uids.add(uid);
      if (this.#deleted.has(uid)) continue;
      listed.add(key);
      const old = this.#objects.get(key);
      const same = old?.metadata?.uid === uid && old.metadata?.resourceVersion === object.metadata?.resourceVersion;
      if (old === undefined || (!same && (reset || this.#isNews(old, object)))) this.#set(key, old, object);
    }
    for (const [key, old] of this.#objects) {
      if (listed.has(key) || (namespace !== undefined && namespaceOfKey(key) !== namespace)) continue;
      if (reset || !isOlder(version, old.metadata?.resourceVersion)) this.#set(key, old, undefined);
    }
    for (const uid of this.#deleted) if (!uids.has(uid)) this.#deleted.delete(uid);
  }

  #isNews(old: T, object: T): boolean {
    const [a, b] = [old.metadata?.resourceVersion, object.metadata?.resourceVersion];
    return a !== b && !isOlder(b, a);
  }

  #set(key: Key, old: T | undefined, object: T | undefined, by?: Author): void {
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, this.#options.freeze === true ? deepFreeze(object) : object);
    for (const index of this.#indexes.values()) {
      if (old !== undefined) leave(index, key, old);
      if (object !== undefined) enter(index, key, object);
    }
    const change = { old, new: object, by };
    for (const listener of this.#listeners) this.#guarded(() => listener(change), (object ?? old) as T);
  }

  #guarded<R>(call: () => R, object: T): R | undefined {
    try {
      return call();
    } catch (error) {
      this.#options.onError?.(error, object);
      return undefined;
    }
  }
}

const none: readonly string[] = [];

interface Index<T> {
  readonly values: (object: T) => readonly string[];
  readonly entries: Map<string, Set<Key>>;
}

function enter<T>({ values, entries }: Index<T>, key: Key, object: T): void {
  for (const value of values(object)) {
    const keys = entries.get(value);
    if (keys === undefined) entries.set(value, new Set([key]));
    else keys.add(key);
  }
}

function leave<T>({ values, entries }: Index<T>, key: Key, object: T): void {
  for (const value of values(object)) {
    const keys = entries.get(value);
    keys?.delete(key);
    if (keys?.size === 0) entries.delete(value);
  }
}
