// A history of objects by chance: made, changed, deleted and made anew, over several namespaces; and what whoever follows it
// may have seen of it.
import type { Client } from "@telltale/client";
import type { Random } from "@telltale/clock";
import { canonicalJson, type KubeObject } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect } from "vitest";
import type { Change, Store } from "../../src/cache/store.ts";
import type { Cache } from "../../src/index.ts";
import { type Key, keyOf, keyOfObject, type Name, namespaceOfKey } from "../../src/key.ts";

export interface HistoryOptions {
  readonly client: Client;
  readonly random: Random;
  /** In the last one, every other write is the cache's own. */
  readonly namespaces: readonly string[];
  readonly names?: number;
}

const gone = "gone";
const background = { propagation: "Background" } as const;

export class History {
  readonly #options: HistoryOptions;
  readonly #now = new Map<Key, ConfigMap>();
  /** Every state of every object, in the server's order. */
  readonly #states = new Map<Key, string[]>();
  #count = 0;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** One thing happens. */
  async step(seen?: Seen): Promise<void> {
    const { random, namespaces, names = 4 } = this.#options;
    const namespace = namespaces[Math.floor(random.next() * namespaces.length)] ?? "";
    const name = { namespace, name: `n${Math.floor(random.next() * names)}` };
    const hand = namespace === namespaces.at(-1) && random.next() < 0.5 ? seen : undefined;
    const chance = random.next();
    if (!this.#now.has(keyOf(name))) await this.#make(name, hand);
    else if (chance < 0.6) await this.#change(name, hand);
    else {
      await this.#remove(name, hand);
      if (chance > 0.8) await this.#make(name, hand);
    }
  }

  /** The server is another one now: nothing of what was is known. */
  forget(): void {
    this.#now.clear();
    this.#states.clear();
  }

  async #make(name: Name, hand: Seen | undefined): Promise<void> {
    const object = { metadata: { ...name, labels: this.#labels() }, data: { n: String(this.#count++) } };
    this.#wrote(await this.#options.client.create(ConfigMap, object), hand);
  }

  async #change(name: Name, hand: Seen | undefined): Promise<void> {
    const merge = { metadata: { labels: this.#labels() }, data: { n: String(this.#count++) } };
    this.#wrote(await this.#options.client.patch(ConfigMap, name, { merge }), hand);
  }

  async #remove(name: Name, hand: Seen | undefined): Promise<void> {
    const object = this.#now.get(keyOf(name));
    if (object === undefined) return;
    const { uid } = object.metadata ?? {};
    await this.#options.client.delete(ConfigMap, name, { ...background, ...(uid === undefined ? {} : { uid }) });
    this.#now.delete(keyOf(name));
    const at = this.#record(keyOf(name), gone);
    hand?.deleted(object, at);
  }

  #labels() {
    return { is: this.#options.random.next() < 0.5 ? "in" : "out" };
  }

  #wrote(object: ConfigMap, hand: Seen | undefined): void {
    this.#now.set(keyOfObject(object), object);
    const at = this.#record(keyOfObject(object), stateOf(object));
    hand?.wrote(object, at);
  }

  /** Answers with its place in the history of the object. */
  #record(key: Key, state: string): number {
    const states = this.#states.get(key) ?? [gone];
    this.#states.set(key, states);
    return states.push(state) - 1;
  }

  /**
   * Every object was seen in the server's order up to its last state, and never older than what we had been told ourselves.
   * `all`: and nothing was left out, where all writes were somebody else's.
   */
  check(seen: Seen, { all = false }: { readonly all?: boolean } = {}): void {
    for (const [key, states] of this.#states) {
      const looks = seen.of(key);
      let at = 0;
      for (const { saw, told = 0 } of looks) {
        const from = Math.max(at, told);
        at = states.indexOf(saw, from);
        expect(at, `${key}: ${saw} is from before ${states[from]} in ${states.join(" ")}`).toBeGreaterThanOrEqual(0);
      }
      expect(states[at], `${key} in the end, of ${states.join(" ")}`).toBe(states.at(-1));
      const isOthers = namespaceOfKey(key) !== this.#options.namespaces.at(-1);
      if (all && isOthers) expect([gone, ...looks.map(({ saw }) => saw)], key).toEqual(states);
    }
  }

  /** What the server has, as the cache would keep it. */
  async truth(options: { readonly labelSelector?: string; readonly namespace?: string } = {}): Promise<string[]> {
    const found: string[] = [];
    for await (const object of this.#options.client.all(ConfigMap, options)) found.push(textOf(object));
    return found.sort();
  }
}

/** How an object looked at a moment: its state, and up to where in its history we had been told by our own hand. */
interface Look {
  readonly saw: string;
  readonly told?: number;
}

/** What a cache showed, and what it was told by its own hand. */
export class Seen {
  readonly #cache: Cache;
  readonly #store: Store<ConfigMap>;
  readonly #looks = new Map<Key, Look[]>();
  readonly #broken: string[] = [];
  readonly #last = new Map<Key, ConfigMap | undefined>();

  constructor(cache: Cache, store: Store<ConfigMap>) {
    this.#cache = cache;
    this.#store = store;
    store.subscribe((change) => this.#changed(change));
  }

  of(key: Key): readonly Look[] {
    expect(this.#broken).toEqual([]);
    return this.#looks.get(key) ?? [];
  }

  wrote(object: ConfigMap, at: number): void {
    this.#cache.wrote(ConfigMap, object);
    this.#told(keyOfObject(object), at);
  }

  deleted(object: ConfigMap, at: number): void {
    this.#cache.deleted(ConfigMap, object);
    this.#told(keyOfObject(object), at);
  }

  get shown(): string[] {
    return [...this.#store.values()].map(textOf).sort();
  }

  #told(key: Key, at: number): void {
    this.#look(key, { saw: stateOf(this.#store.byKey(key)), told: at });
  }

  #changed({ old, new: next }: Change<ConfigMap>): void {
    const subject = next ?? old;
    if (subject === undefined) return;
    const key = keyOfObject(subject);
    if (old !== this.#last.get(key)) this.#broken.push(`${key}: a change does not begin where the last one ended`);
    this.#last.set(key, next);
    this.#look(key, { saw: stateOf(next) });
  }

  #look(key: Key, look: Look): void {
    const looks = this.#looks.get(key);
    if (looks === undefined) this.#looks.set(key, [look]);
    else looks.push(look);
  }
}

const stateOf = (object: KubeObject | undefined): string =>
  object === undefined ? gone : `${object.metadata?.uid?.slice(0, 8)}@${object.metadata?.resourceVersion}`;

function textOf({ metadata, data }: ConfigMap): string {
  const { managedFields: _, ...kept } = metadata ?? {};
  return `${metadata?.namespace}/${metadata?.name} ${canonicalJson({ metadata: kept, data })}`;
}
