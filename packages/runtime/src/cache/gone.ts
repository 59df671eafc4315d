// What we took away ourselves, and the server has yet to tell of: an event or a list from before must not bring it back.
import type { KubeObject } from "@telltale/kinds";
import type { Key } from "../key.ts";
import { isNoNewer, isOlder } from "./version.ts";

/** So many are remembered, the youngest: far more than are ever on their way at a time. */
const most = 10_000;
const mostTold = 1_000;

interface Death {
  readonly key: Key;
  /** At this version it was still there. */
  readonly version: string | undefined;
  /** Whether the server has told of it: then a list that has it again is a server that was put back, and counts. */
  readonly isTold: boolean;
  /** The how many-th end it was: a list that was asked for before may be from before. */
  readonly nth: number;
}

/** A list: its version, and how many ends were known when it was asked for. */
export interface ListOf {
  readonly version: string;
  readonly asked: number;
}

export class Gone {
  /** Deleted objects, by uid: they do not come again. */
  readonly #deaths = new Map<string, Death>();
  /** The versions at which there was nothing to see under a key. */
  readonly #bare = new Map<Key, string>();
  /** Uids of which the server told that they are gone: it may have been faster than the answer to our own deletion. */
  readonly #told = new Map<string, true>();
  #count = 0;

  /** How many ends are known so far. */
  get count(): number {
    return this.#count;
  }

  /** We deleted the object. */
  died(key: Key, { metadata }: KubeObject): void {
    const { uid, resourceVersion: version } = metadata ?? {};
    this.#count += 1;
    if (uid !== undefined) put(this.#deaths, uid, { key, version, isTold: this.#told.has(uid), nth: this.#count });
    this.bare(key, version);
  }

  /** The server says that there is no such object any more. At which version that was it does not say. */
  vanished(key: Key, { metadata }: KubeObject): void {
    this.#count += 1;
    const { uid, resourceVersion: version } = metadata ?? {};
    if (uid !== undefined) put(this.#deaths, uid, { key, version, isTold: true, nth: this.#count });
  }

  /** We made sure that there was nothing to see under a key at a version. */
  bare(key: Key, version: string | undefined): void {
    if (version !== undefined && !isOlder(version, this.#bare.get(key))) put(this.#bare, key, version);
  }

  /** The server tells of the end of an object. */
  told({ metadata }: KubeObject): void {
    const { uid = "" } = metadata ?? {};
    put(this.#told, uid, true, mostTold);
    const death = this.#deaths.get(uid);
    if (death !== undefined) this.#deaths.set(uid, { ...death, isTold: true });
  }

  /** The server's list has these uids and no others, of the keys that the list is of. */
  listed(uids: ReadonlySet<string>, list: ListOf, isOf: (key: Key) => boolean): void {
    const { version } = list;
    for (const [uid, death] of this.#deaths) {
      if (!isOf(death.key)) continue;
      if (uids.has(uid)) {
        if (death.isTold && !isAfter(death, list)) this.#deaths.delete(uid);
      } else if (isNoNewer(death.version, version)) this.#deaths.set(uid, { ...death, isTold: true });
    }
  }

  /** Whether a state of an object is from before. */
  has(key: Key, { metadata }: KubeObject): boolean {
    const { uid = "", resourceVersion } = metadata ?? {};
    return this.#deaths.has(uid) || isNoNewer(resourceVersion, this.#bare.get(key));
  }

  /** The same of a list: from its version on it counts. */
  hasListed(key: Key, { metadata }: KubeObject, list: ListOf): boolean {
    const death = this.#deaths.get(metadata?.uid ?? "");
    if (death !== undefined && (!death.isTold || isAfter(death, list))) return true;
    return isOlder(list.version, this.#bare.get(key));
  }

  /**
   * The server may have been put back, and nobody would tell of an end that it does not know of any more: its list decides
   * about all that ended before it was asked for.
   */
  doubt({ asked }: ListOf, isOf: (key: Key) => boolean): void {
    for (const [uid, { key, nth }] of this.#deaths) if (nth <= asked && isOf(key)) this.#deaths.delete(uid);
  }

  clear(): void {
    this.#deaths.clear();
    this.#bare.clear();
    this.#told.clear();
  }
}

/** Whether it ended while the list was on its way, and was there at a later version than that of the list. */
function isAfter({ nth, version }: Death, list: ListOf): boolean {
  return nth > list.asked && isOlder(list.version, version);
}

function put<K, V>(map: Map<K, V>, key: K, value: V, limit = most): void {
  map.delete(key); // so that it becomes the youngest
  map.set(key, value);
  if (map.size <= limit) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
