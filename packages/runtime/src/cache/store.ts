// The objects of one kind as far as they are known: from the server's lists and events, and from our own writes, which are
// there at once. An older state never overwrites a newer one, so that nobody acts on a world from before their own last write.
import { deepEqual, deepFreeze, type KubeObject } from "@telltale/kinds";
import { type Key, keyOf, keyOfObject, type Name, namespaceOfKey } from "../key.ts";
import type { Trust } from "./follow-state.ts";
import { Gone } from "./gone.ts";
import { ObjectIndex } from "./object-index.ts";
import { share } from "./share.ts";
import { isNoNewer, isOlder } from "./version.ts";

export interface Change<T> {
  readonly old: T | undefined;
  readonly new: T | undefined;
  /** The server was put back to an earlier state, or may have been: what it had said since is not true any more. */
  readonly restored?: true;
}

export type Listener<T> = (change: Change<T>) => void;

export interface StoreOptions<T> {
  /** Objects that nobody can change, whoever holds them. For tests: it costs 24 us each. */
  readonly freeze?: boolean;
  /** Whether an object that we wrote belongs here. Undefined where only the server can tell. */
  readonly selects?: (object: T) => boolean | undefined;
  /** Up to which version the server has told everything about objects like this one. Empty: nothing yet. */
  readonly told?: (object: T) => string;
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

/** Under which values an index has an object. */
export type IndexValues<T> = (object: T) => readonly string[];

export class Store<T extends KubeObject> implements Reader<T> {
  readonly #objects = new Map<Key, T>();
  readonly #counts = new Map<string, number>();
  readonly #indexes = new Map<string, { readonly index: ObjectIndex<T>; readonly values: IndexValues<T> }>();
  readonly #listeners = new Set<Listener<T>>();
  readonly #gone = new Gone();
  /** What is still to be told: a listener that writes is heard of after its own change, by all. */
  readonly #untold: { readonly change: Change<T>; readonly subject: T }[] = [];
  #isTelling = false;
  #written = "";
  readonly #options: StoreOptions<T>;

  constructor(options: StoreOptions<T> = {}) {
    this.#options = options;
    this.index(ownerIndex, ({ metadata }) => metadata?.ownerReferences?.map(({ uid }) => uid) ?? none);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** How many there are in a namespace. */
  count(namespace: string): number {
    return this.#counts.get(namespace) ?? 0;
  }

  get(name: Name): T | undefined {
    return this.#objects.get(keyOf(name));
  }

  byKey(key: Key): T | undefined {
    return this.#objects.get(key);
  }

  /** The newest version that came back from a write of ours. Empty: none yet. */
  get written(): string {
    return this.#written;
  }

  /** How many ends are known so far: a list says how many were when it was asked for. */
  get ends(): number {
    return this.#gone.count;
  }

  /** The one with the newest version, of one namespace where that is given. */
  newest(namespace?: string): T | undefined {
    let found: T | undefined;
    for (const it of this.#objects.values()) {
      if (namespace !== undefined && it.metadata?.namespace !== namespace) continue;
      if (found === undefined || isOlder(found.metadata?.resourceVersion, it.metadata?.resourceVersion)) found = it;
    }
    return found;
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  /** By name: of the keys that are there, not of one made for each comparison. */
  where(index: string, value: string): T[] {
    const found = this.#indexes.get(index)?.index;
    if (found === undefined) throw new Error(`there is no index "${index}"; declare it where the kind is read`);
    const keys = [...found.keys(value)].sort();
    return keys.map((key) => this.#objects.get(key)).filter((o) => o !== undefined);
  }

  /** Adds an index, also over what is already there. A name belongs to the whole store: it takes one function, once or several times. */
  index(name: string, values: IndexValues<T>): void {
    const known = this.#indexes.get(name);
    if (known?.values === values) return;
    if (known !== undefined) {
      throw new Error(
        `there are two different functions for the index "${name}"; give one of them another name, or declare the same function`,
      );
    }
    const index = new ObjectIndex<T>((object) => this.#guarded(() => values(object), object) ?? none);
    this.#indexes.set(name, { index, values });
    for (const [key, object] of this.#objects) index.move(key, undefined, object);
  }

  subscribe(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** An event of the server. */
  saw(type: "ADDED" | "MODIFIED" | "DELETED", object: T): void {
    const key = keyOfObject(object);
    const old = this.#objects.get(key);
    if (type !== "DELETED") {
      if (!this.#gone.has(key, object) && (old === undefined || isNews(old, object))) this.#set(key, old, object);
      return;
    }
    const { uid, resourceVersion } = object.metadata ?? {};
    this.#gone.told(object);
    // Of another uid it is old news; and what left a selection may be back by our own hand.
    const isSame = old?.metadata?.uid === uid && !isOlder(resourceVersion, old?.metadata?.resourceVersion);
    if (old !== undefined && isSame) this.#set(key, old, undefined);
  }

  /** Our own write succeeded, and this is what came back. */
  wrote(object: T): void {
    const key = keyOfObject(object);
    const old = this.#objects.get(key);
    const { resourceVersion = "" } = object.metadata ?? {};
    if (this.#written === "" || isOlder(this.#written, resourceVersion)) this.#written = resourceVersion;
    if (this.#gone.has(key, object)) return;
    // The answer may come after the events: what is not here any more then was deleted since.
    if (old === undefined ? this.#isTold(object) : !isNews(old, object)) return;
    const belongs = this.#options.selects === undefined ? true : this.#options.selects(object);
    if (belongs ?? old !== undefined) this.#set(key, old, object);
    else if (belongs === false) {
      this.#gone.bare(key, object.metadata?.resourceVersion);
      if (old !== undefined) this.#set(key, old, undefined);
    }
  }

  /** Our own deletion succeeded, and the object is gone. */
  deleted(object: T): void {
    const key = keyOfObject(object);
    const old = this.#objects.get(key);
    const { uid, resourceVersion: version } = object.metadata ?? {};
    this.#gone.died(key, object);
    // Whatever had the name before it is gone as well.
    const isOver = old?.metadata?.uid === uid || isNoNewer(old?.metadata?.resourceVersion, version);
    if (old !== undefined && isOver) this.#set(key, old, undefined);
  }

  /** The server says that it is not there, although nobody told of its end. */
  vanished(object: T): void {
    const key = keyOfObject(object);
    const old = this.#objects.get(key);
    const known = old?.metadata?.uid === object.metadata?.uid ? old : undefined;
    this.#gone.vanished(key, known ?? object);
    if (known !== undefined) this.#set(key, known, undefined);
  }

  /**
   * All there is, as of a version; with a namespace, all there is in it. What we wrote after that version stays, unless the
   * server's word alone counts: it has gone back in time, and newer is no longer better. `asked`: how many ends were known when
   * it was asked for.
   */
  replace(
    objects: Iterable<T>,
    version: string,
    options: { namespace?: string; trust?: Trust; asked?: number } = {},
  ): void {
    const { namespace, trust = "newest", asked = Number.POSITIVE_INFINITY } = options;
    const list = { version, asked };
    const reset = trust === "server";
    const isBack = (old: T | undefined, object: T) =>
      trust !== "newest" || isOlder(object.metadata?.resourceVersion, old?.metadata?.resourceVersion);
    const isOf = (key: Key) => namespace === undefined || namespaceOfKey(key) === namespace;
    const isLater = (old: T) => !reset && isOlder(version, old.metadata?.resourceVersion);
    if (reset) {
      this.#gone.clear();
      this.#written = "";
    } else if (trust !== "newest") this.#gone.doubt(list, isOf);
    const listed = new Set<Key>();
    const uids = new Set<string>();
    for (const object of objects) {
      const key = keyOfObject(object);
      uids.add(object.metadata?.uid ?? "");
      if (this.#gone.hasListed(key, object, list)) continue;
      listed.add(key);
      const old = this.#objects.get(key);
      // Not the newer of two versions: it may be of a server that was put back, and has come past us with other objects.
      if (old === undefined || !(isLater(old) || isSameState(old, object, trust)))
        this.#set(key, old, object, isBack(old, object));
    }
    this.#gone.listed(uids, list, isOf);
    for (const [key, old] of this.#objects) {
      if (!listed.has(key) && isOf(key) && !isLater(old)) this.#set(key, old, undefined, trust !== "newest");
    }
  }

  #isTold(object: T): boolean {
    return isNoNewer(object.metadata?.resourceVersion, this.#options.told?.(object));
  }

  #set(key: Key, old: T | undefined, object: T | undefined, isRestored = false): void {
    const subject = object ?? old;
    if (subject === undefined) return;
    if (old !== undefined && object !== undefined) share(old, object);
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, this.#options.freeze === true ? deepFreeze(object) : object);
    if (old === undefined) this.#count(key, 1);
    if (object === undefined) this.#count(key, -1);
    for (const { index } of this.#indexes.values()) index.move(key, old, object);
    this.#untold.push({ change: { old, new: object, ...(isRestored ? { restored: true } : {}) }, subject });
    this.#tell();
  }

  #count(key: Key, by: number): void {
    const namespace = namespaceOfKey(key);
    const count = this.count(namespace) + by;
    if (count === 0) this.#counts.delete(namespace);
    else this.#counts.set(namespace, count);
  }

  #tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
      const { change, subject } = next;
      for (const listener of this.#listeners) this.#guarded(() => listener(change), subject);
    }
    this.#isTelling = false;
  }

  #guarded<R>(call: () => R, object: T): R | undefined {
    try {
      return call();
    } catch (error) {
      try {
        this.#options.onError?.(error, object);
      } catch {
        // Whoever was to be told of it failed too: nobody is left.
      }
      return undefined;
    }
  }
}

const none: readonly string[] = [];

function isNews(old: KubeObject, object: KubeObject): boolean {
  const [a, b] = [old.metadata?.resourceVersion, object.metadata?.resourceVersion];
  return a !== b && !isOlder(b, a);
}

/** One version is one state, but of a server that was put back: it counts its versions anew. */
function isSameState(a: KubeObject, b: KubeObject, trust: Trust): boolean {
  const [one, other] = [a.metadata, b.metadata];
  if (one?.uid !== other?.uid || one?.resourceVersion !== other?.resourceVersion) return false;
  return trust === "newest" || deepEqual(a, b);
}
