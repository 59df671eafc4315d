// One watch per kind and selection, shared by all who read it. It starts what is asked for, now or later, and hands our own
// writes to every store that they concern.
import type { Client } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import { type KindRef, type KubeObject, matchesRequirements, parseLabelSelector } from "@telltale/kinds";
import type { Log } from "../log.ts";
import type { CacheGauge, Sink, WatchHappening } from "../samples.ts";
import type { Echoes } from "./echoes.ts";
import { Follower } from "./follow.ts";
import { interner } from "./intern.ts";
import { Store } from "./store.ts";
import { isNoNewer } from "./version.ts";

export interface CacheOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly sink: Sink;
  /** Namespaced kinds are watched in these only. Default: all. */
  readonly namespaces?: readonly string[];
  /** Frozen objects: for tests. */
  readonly freeze?: boolean;
  readonly lists?: "stream" | "pages";
  /** What the decoder of this cache's client does not have to parse. */
  readonly echoes?: Echoes;
}

/** Which objects of a kind. */
export interface Selection {
  readonly label?: string;
  readonly field?: string;
  /** In place of the cache's own namespaces. */
  readonly namespace?: string;
  /** Only `metadata` is read and kept. */
  readonly metadataOnly?: boolean;
}

/** The objects of one kind and selection, as far as they are known here. */
export interface Held {
  readonly kind: KindRef;
  readonly select: Selection;
  readonly store: Pick<Store<KubeObject>, "get" | "values" | "subscribe">;
  /** Up to which version the server has told everything; of several namespaces the oldest. Empty: nothing yet. */
  version(): string;
}

export interface Cached<T extends KubeObject> {
  readonly store: Store<T>;
  isSynced(): boolean;
  /** Resolves when everything has been read once. */
  synced(): Promise<void>;
  /** What keeps it from being current, in words. Undefined while all is well. */
  trouble(): string | undefined;
  /** One reader less. The last one ends the watch. */
  release(): void;
}

interface Entry {
  readonly kind: KindRef;
  readonly select: Selection;
  readonly store: Store<KubeObject>;
  /** One for all namespaces, or one for each. */
  readonly followers: readonly Watched[];
  readonly waiting: (() => void)[];
  readonly stop: AbortController;
  readonly held: Held;
  users: number;
}

interface Watched {
  readonly namespace?: string;
  readonly follower: Follower<KubeObject>;
}

export class Cache {
  readonly #options: CacheOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Set<Promise<void>>();
  readonly #intern = interner();
  #isStarted = false;

  constructor(options: CacheOptions) {
    if (options.namespaces?.length === 0) throw new TypeError("cache: namespaces is empty; leave it out to watch all");
    this.#options = options;
  }

  /** The objects of a kind. The first who asks starts the watch, once the cache is started. */
  of<T extends KubeObject>(kind: KindRef<T>, select: Selection = {}): Cached<T> {
    const { label = "", field = "", namespace = "", metadataOnly = false } = select;
    const id = JSON.stringify([kind.apiVersion, kind.kind, namespace, label, field, metadataOnly]);
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      entry = this.#open(kind, select);
      this.#entries.set(id, entry);
      if (this.#isStarted) this.#run(entry);
    }
    const opened = entry;
    opened.users += 1;
    let isReleased = false;
    const isSynced = () => opened.followers.every(({ follower }) => follower.isSynced);
    return {
      // One kind value, one type of objects: the map cannot say so.
      store: opened.store as unknown as Store<T>,
      isSynced,
      synced: () => (isSynced() ? Promise.resolve() : new Promise((resolve) => opened.waiting.push(resolve))),
      trouble: () => troubleOf(opened),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        opened.users -= 1;
        if (opened.users > 0) return;
        opened.stop.abort(stopped);
        this.#entries.delete(id);
      },
    };
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const entry of this.#entries.values()) this.#run(entry);
  }

  /** For good: what was stopped does not start again. */
  async stop(): Promise<void> {
    for (const entry of this.#entries.values()) entry.stop.abort(stopped);
    await Promise.all(this.#running);
  }

  /** A write of ours that succeeded. */
  wrote<T extends KubeObject>(kind: KindRef<T>, object: T): void {
    for (const entry of this.#of(kind, object)) entry.store.wrote(kept(entry, object));
    this.#options.echoes?.add(object);
  }

  /** A deletion of ours after which the object is gone. */
  deleted<T extends KubeObject>(kind: KindRef<T>, object: T): void {
    for (const entry of this.#of(kind, object)) entry.store.deleted(object);
  }

  /** An answer of the server says that the object is not there any more. */
  vanished<T extends KubeObject>(kind: KindRef<T>, object: T): void {
    for (const entry of this.#of(kind, object)) entry.store.vanished(object);
  }

  /** The server has another object under a version that we know: it was put back, and everything is read anew. */
  doubt(version: string): void {
    this.#doubt(version, () => true);
  }

  #doubt(version: string, isMeant: (it: { readonly store: unknown; readonly namespace?: string }) => boolean): void {
    for (const { store, followers } of this.#entries.values()) {
      for (const { follower, ...place } of followers) if (isMeant({ store, ...place })) follower.doubt(version);
    }
  }

  gauges(): CacheGauge[] {
    return [...this.#entries.values()].flatMap(({ kind, store, followers }) =>
      followers.map(({ namespace, follower }) => ({
        kind,
        ...(namespace === undefined ? {} : { namespace }),
        synced: follower.isSynced,
        objects: namespace === undefined ? store.size : store.count(namespace),
        silent: follower.silent,
        resourceVersion: follower.version,
      })),
    );
  }

  /** Everything that is kept: for those who compare it with the server. */
  held(): Held[] {
    return Array.from(this.#entries.values(), ({ held }) => held);
  }

  /** Those that watch what such an object is: nobody would ever tell the others that it changed. */
  *#of(kind: KindRef, object: KubeObject): Iterable<Entry> {
    for (const entry of this.#entries.values()) {
      const isKind = entry.kind.kind === kind.kind && entry.kind.apiVersion === kind.apiVersion;
      if (isKind && watching(entry.followers, object) !== undefined) yield entry;
    }
  }

  #open(kind: KindRef, select: Selection): Entry {
    const { client, clock, random, log, sink, freeze = false, lists } = this.#options;
    const { label, field } = select;
    const store = new Store<KubeObject>({
      freeze,
      ...(label === undefined && field === undefined ? {} : { selects: selector(select) }),
      told: (object) => watching(followers, object)?.version ?? "",
      onError: (error, object) => {
        const { namespace, name } = object.metadata ?? {};
        log.error("an object could not be taken in by one of its readers", {
          kind: kind.kind,
          namespace,
          name,
          err: error,
        });
      },
    });
    const stop = new AbortController();
    const waiting: (() => void)[] = [];
    const last = new Map<string | undefined, WatchHappening>();
    const happened = (namespace: string | undefined) => (what: WatchHappening, error?: unknown) => {
      sink({ is: "watch", kind: kind.kind, what });
      if (what === "listed" && followers.every(({ follower }) => follower.isSynced)) {
        for (const resolve of waiting.splice(0)) resolve();
      }
      const fields = { kind: kind.kind, apiVersion: kind.apiVersion, namespace };
      const isNew = what !== last.get(namespace);
      last.set(namespace, what);
      if (what === "missing") {
        // It may be missing for days.
        if (isNew) log.warn("the server does not know this kind; it is looked for again: install its CRD", fields);
      } else if (error !== undefined) log.info("a watch broke off and goes on", { ...fields, what, err: error });
    };
    const followers: readonly Watched[] = this.#namespaces(kind, select).map((namespace) => ({
      ...(namespace === undefined ? {} : { namespace }),
      follower: new Follower({
        client,
        clock,
        random,
        kind,
        store,
        intern: this.#intern,
        select: {
          ...(namespace === undefined ? {} : { namespace }),
          ...(select.label === undefined ? {} : { labelSelector: select.label }),
          ...(select.field === undefined ? {} : { fieldSelector: select.field }),
          ...(select.metadataOnly === true ? { metadataOnly: true } : {}),
        },
        onHappening: happened(namespace),
        onDoubt: (version) => this.#doubt(version, (it) => it.store !== store || it.namespace !== namespace),
        ...(lists === undefined ? {} : { lists }),
      }),
    }));
    const held: Held = {
      kind,
      select,
      store,
      version: () =>
        followers.map(({ follower }) => follower.version).reduce((a, b) => (a === "" || isNoNewer(a, b) ? a : b)),
    };
    return { kind, select, store, followers, waiting, stop, held, users: 0 };
  }

  #namespaces(kind: KindRef, select: Selection): readonly (string | undefined)[] {
    if (kind.scope === "Cluster") return [undefined];
    if (select.namespace !== undefined) return [select.namespace];
    return this.#options.namespaces === undefined ? [undefined] : [...new Set(this.#options.namespaces)];
  }

  #run({ followers, stop }: Entry): void {
    for (const { follower } of followers) {
      const run = follower.run(stop.signal).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
  }
}

/** One for all watches: a reason that is made anew for each costs more than its end. */
const stopped = new Error("nobody reads this any more");

/** Who is told of changes of such an object. */
function watching(followers: readonly Watched[], { metadata }: KubeObject): Follower<KubeObject> | undefined {
  return followers.find(({ namespace }) => namespace === undefined || namespace === metadata?.namespace)?.follower;
}

/** Whether an object belongs to a selection. Of fields only the server can tell. */
function selector({ label, field }: Selection): (object: KubeObject) => boolean | undefined {
  const parsed = label === undefined ? { ok: [] } : parseLabelSelector(label);
  if ("error" in parsed) throw new Error(`the label selector "${label}" cannot be read: ${parsed.error}`);
  // Of fields the server alone knows, but for the name.
  const name = /^metadata\.name==?([^=!,\\]+)$/.exec(field ?? "")?.[1];
  return ({ metadata }) => {
    if (!matchesRequirements(parsed.ok, metadata?.labels ?? {})) return false;
    return field === undefined || (name !== undefined && metadata?.name === name) ? true : undefined;
  };
}

function kept(entry: Entry, object: KubeObject): KubeObject {
  if (entry.select.metadataOnly !== true) return object;
  const { apiVersion, kind, metadata } = object;
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** In trouble and not heard of for so long, the server may have changed without our knowing. */
const unheard = 60_000;

function troubleOf({ kind, followers }: Entry): string | undefined {
  for (const { namespace, follower } of followers) {
    const where = `${kind.plural}.${kind.group || "core"}${namespace === undefined ? "" : ` in ${namespace}`}`;
    const { trouble, silent } = follower;
    if (trouble?.is === "missing") return `${where}: the server does not know this kind; install its CRD`;
    const why = trouble === undefined ? "" : `: ${trouble.why}`;
    if (!follower.isSynced) return `${where}: not read yet${why}`;
    if (trouble !== undefined && silent > unheard)
      return `${where}: nothing heard of the server for ${Math.round(silent / 1000)} s${why}`;
  }
  return undefined;
}
