// Watches: a start, then every change in order, until the client goes, the time is up or the resource is gone.
import { type Clock, jitter, type Random } from "@telltale/clock";
import type { ListOptions } from "../decode/list-options.ts";
import type { JsonObject } from "../json.ts";
import type { Sink } from "../request.ts";
import { expired, raw, StatusError } from "../status.ts";
import { Expired } from "../store/errors.ts";
import type { StoredRecord } from "../store/record.ts";
import type { Store, StoreEvent } from "../store/store.ts";
import { newer } from "./list.ts";
import { listPrefix, type Resource } from "./resource.ts";
import { matches, type Selection } from "./selector.ts";

export interface WatchOptions {
  readonly resourceVersion: string;
  readonly bookmarks: boolean;
  /** Whether the present state comes first, as ADDED events. */
  readonly initial: boolean;
  readonly timeoutSeconds: number | undefined;
}

/** Without a version, and without saying otherwise, a watch begins with what is there. */
export function watchOptions(o: ListOptions): WatchOptions {
  const { resourceVersion, timeoutSeconds } = o;
  if (!/^\d*$/.test(resourceVersion)) {
    const given = JSON.stringify(resourceVersion);
    throw raw(`resourceVersion: Invalid value: ${given}: strconv.ParseUint: parsing ${given}: invalid syntax`);
  }
  const fromStart = resourceVersion === "" || resourceVersion === "0";
  return {
    resourceVersion,
    bookmarks: o.allowWatchBookmarks,
    initial: o.sendInitialEvents ?? fromStart,
    timeoutSeconds: timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds : undefined,
  };
}

export type WatchType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** How one event becomes bytes: plain, as a Table row, or as metadata only. */
export interface Framer {
  frame(type: WatchType, record: StoredRecord): string | Promise<string>;
  bookmark(object: JsonObject): string;
  error(status: JsonObject): string;
}

export interface WatchSettings {
  readonly bookmarkEvery: number;
  readonly timeout: readonly [number, number];
}

/** Begins a watch on a sink; answers with how to end it. */
export function watch(
  env: {
    readonly store: Store;
    readonly clock: Clock;
    readonly random: Random;
    readonly settings: WatchSettings;
    readonly closing: AbortSignal;
  },
  r: Resource,
  namespace: string,
  s: Selection,
  o: WatchOptions,
  framer: Framer,
  sink: Sink,
): () => void {
  const w = new Watcher(env, r, s, o, framer, sink);
  void w.run(listPrefix(r, s.namespace ?? namespace));
  return () => w.end();
}

/** How long before its end a watch tells how far it is. */
const lastBookmark = 2_000;

class Watcher {
  readonly #env: Parameters<typeof watch>[0];
  readonly #r: Resource;
  readonly #s: Selection;
  readonly #o: WatchOptions;
  readonly #framer: Framer;
  readonly #sink: Sink;
  #ended = false;
  /** Everything up to here has been looked at for this watcher. */
  #delivered = 0;
  #tail: Promise<void> = Promise.resolve();
  #waiting = false;
  readonly #stops: (() => void)[] = [];
  #nextBookmark: { cancel(): void } | undefined;

  constructor(
    env: Parameters<typeof watch>[0],
    r: Resource,
    s: Selection,
    o: WatchOptions,
    framer: Framer,
    sink: Sink,
  ) {
    this.#env = env;
    this.#r = r;
    this.#s = s;
    this.#o = o;
    this.#framer = framer;
    this.#sink = sink;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const stop of this.#stops) stop();
    this.#nextBookmark?.cancel();
    this.#sink.end();
  }

  async run(prefix: string): Promise<void> {
    const { store, clock, random, settings, closing } = this.#env;
    const [least, most] = settings.timeout;
    const lasts =
      this.#o.timeoutSeconds === undefined ? least + random.next() * (most - least) : this.#o.timeoutSeconds * 1000;
    this.#stops.push(() => timer.cancel());
    const timer = clock.after(lasts, () => void this.#tail.then(() => this.end()));
    if (this.#o.bookmarks && lasts > lastBookmark) {
      // So that the client can go on from here when the time is up.
      const last = clock.after(lasts - lastBookmark, () => this.#sendBookmark());
      this.#stops.push(() => last.cancel());
    }
    const close = () => this.end();
    closing.addEventListener("abort", close);
    this.#stops.push(() => closing.removeEventListener("abort", close));
    try {
      let from = Number(this.#o.resourceVersion || 0);
      if (this.#o.initial) {
        if (from > store.revision) await newer(store, clock, from);
        if (this.#ended) return;
        from = this.#present(prefix);
      } else if (this.#o.resourceVersion === "" || this.#o.resourceVersion === "0") from = store.revision;
      this.#delivered = from;
      // A store that is put back lets its followers go: they would wait for revisions that may never come.
      this.#stops.push(
        store.subscribe(
          prefix,
          from,
          (event) => this.#take(event),
          () => this.end(),
        ),
      );
      if (this.#o.bookmarks) this.#bookmarkLater();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The present state as ADDED events, in key order; answers with the revision that it is from. */
  #present(prefix: string): number {
    const scan = this.#env.store.scan(prefix, {});
    for (const record of scan.records) {
      if (matches(this.#s, this.#r, record)) this.#send("ADDED", record);
    }
    if (this.#o.bookmarks) this.#write(() => this.#framer.bookmark(this.#bookmark(scan.revision, true)));
    return scan.revision;
  }

  /** A change, as this watcher sees it: entering and leaving the selection are ADDED and DELETED. */
  #take(event: StoreEvent): void {
    if (this.#ended) return;
    const before = event.previous !== undefined && matches(this.#s, this.#r, event.previous);
    const after = event.type !== "DELETED" && matches(this.#s, this.#r, event.record);
    if (event.type === "DELETED") {
      if (before) this.#send("DELETED", event.record);
    } else if (after) this.#send(before ? "MODIFIED" : "ADDED", event.record);
    else if (before && event.previous !== undefined) this.#send("DELETED", event.previous.moved(event.revision));
    this.#delivered = event.revision;
  }

  #send(type: WatchType, record: StoredRecord): void {
    this.#write(() => this.#framer.frame(type, record));
  }

  /** Chunks go out in order, also when making one takes a while (a conversion). */
  #write(make: () => string | Promise<string>): void {
    if (this.#ended) return;
    if (!this.#waiting) {
      const chunk = make();
      if (typeof chunk === "string") {
        this.#put(chunk);
        return;
      }
      this.#waiting = true;
      this.#tail = chunk.then((text) => this.#put(text)).catch((error: unknown) => this.#fail(error));
    } else {
      this.#tail = this.#tail.then(async () => this.#put(await make())).catch((error: unknown) => this.#fail(error));
    }
    const tail = this.#tail;
    void tail.then(() => {
      if (tail === this.#tail) this.#waiting = false;
    });
  }

  #put(chunk: string): void {
    if (!this.#ended && !this.#sink.write(chunk)) this.end();
  }

  #bookmarkLater(): void {
    const { clock, random, settings } = this.#env;
    this.#nextBookmark = clock.after(jitter(random, settings.bookmarkEvery, 0.1), () => {
      this.#sendBookmark();
      if (!this.#ended) this.#bookmarkLater();
    });
  }

  #sendBookmark(): void {
    this.#write(() =>
      this.#framer.bookmark(this.#bookmark(Math.max(this.#delivered, this.#env.store.revision), false)),
    );
  }

  #bookmark(revision: number, endOfStart: boolean): JsonObject {
    return {
      kind: this.#r.kind,
      apiVersion: this.#r.apiVersion,
      metadata: {
        resourceVersion: String(revision),
        creationTimestamp: null,
        ...(endOfStart ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
      },
    };
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    const { store } = this.#env;
    const status =
      error instanceof Expired
        ? expired(`too old resource version: ${this.#o.resourceVersion} (${store.compacted})`)
        : error instanceof StatusError
          ? error
          : raw(String(error));
    this.#put(this.#framer.error(status.body()));
    this.end();
  }
}
