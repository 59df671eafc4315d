// Follows the objects of one kind on a server: a list, then a watch, and again after whatever goes wrong. What comes next is
// decided in `follow-state.ts`; what is known is in the store.
import {
  ApiError,
  type Client,
  isExpired,
  isForbidden,
  type SelectOptions,
  StreamError,
  type WatchEvent,
} from "@telltale/client";
import { type Clock, type Random, sleep } from "@telltale/clock";
import type { KindRef, KubeObject, Ms } from "@telltale/kinds";
import { type Key, keyOfObject } from "../key.ts";
import type { WatchHappening } from "../samples.ts";
import { Echo } from "./echoes.ts";
import {
  afterwards,
  anew,
  begin,
  type Ended,
  type Following,
  type FollowState,
  type How,
  type Trouble,
  type Trust,
} from "./follow-state.ts";
import { Pulse, streamLasts } from "./pulse.ts";
import type { Store } from "./store.ts";
import { collect, isEndOfList, isWhole } from "./streamed.ts";
import { NoStreamedList, Rewound, troubleOf } from "./trouble.ts";
import { isNoNewer, isOlder } from "./version.ts";

export interface FollowOptions<T extends KubeObject> {
  readonly client: Pick<Client, "list" | "watch">;
  readonly clock: Clock;
  readonly random: Random;
  readonly kind: KindRef<T>;
  readonly select: Pick<SelectOptions, "namespace" | "labelSelector" | "fieldSelector" | "metadataOnly">;
  readonly store: Store<T>;
  /** Keeps what an object has in common with others once. */
  readonly intern: (object: T) => T;
  /** How the world is read first. A server that cannot stream a list gets asked for pages. Default: `stream`. */
  readonly lists?: How;
  readonly onHappening?: (what: WatchHappening, error?: unknown) => void;
  /** The server was behind, and is at this version now: it may have been put back, and others who follow it should know. */
  readonly onDoubt?: (version: string) => void;
}

/** What held for so long is no sign of trouble, even if nothing came. */
const lasting = 10_000;
const pageOf = 500;
const pageBytes = 2_000_000;

/** A list, a stream or a question under way. */
interface Attempt {
  readonly signal: AbortSignal;
  /** The newest version that the server had shown us before, in whichever way. */
  readonly known: string;
  /** How many ends of objects were known before. */
  readonly ends: number;
  /** From where on, and since when, it follows. Undefined before the end of a list. */
  begun: { readonly version: string; readonly at: Ms } | undefined;
}

export class Follower<T extends KubeObject> {
  readonly #options: FollowOptions<T>;
  readonly #pulse: Pulse;
  #state: FollowState;
  #version = "";
  #isSynced = false;
  /** Lists in a row that broke off because the token of a page had expired. */
  #expiredTokens = 0;
  /** How the world is to be read anew, because others found out that the server may have been put back. */
  #told: Trust | undefined;
  #isNews = false;
  /** The newest object that is known was not there: by this version the stream has told of its end, or the server was put back. */
  #missing: { readonly key: Key; readonly by: string } | undefined;
  #stop: AbortController | undefined;
  #trouble: { readonly is: Trouble; readonly why: string } | undefined;

  constructor(options: FollowOptions<T>) {
    this.#options = options;
    this.#pulse = new Pulse(options.clock);
    this.#state = begin(options.lists ?? "stream");
  }

  get state(): FollowState {
    return this.#state;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Up to here everything is known. */
  get version(): string {
    return this.#version;
  }

  /** What went wrong since the server was last heard of. Undefined while all is well. */
  get trouble(): { readonly is: Trouble; readonly why: string } | undefined {
    return this.#trouble;
  }

  /** How long since the server was last heard of. */
  get silent(): Ms {
    return this.#pulse.silent;
  }

  /** Until the signal is raised. It never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#state.at !== "stopped") {
      const stop = new AbortController();
      const give = () => stop.abort(signal.reason);
      signal.addEventListener("abort", give, { once: true });
      this.#stop = stop;
      this.#state = await this.#step(this.#state, stop, signal);
      signal.removeEventListener("abort", give);
    }
    this.#state = { at: "stopped" };
  }

  /**
   * Somebody has found that the server may have been put back: the world is read anew at once. Until all know, some would act on
   * what was, and others on what is. `version`: where the server is.
   */
  doubt(version: string): void {
    const { at } = this.#state.at === "waiting" ? this.#state.then : this.#state;
    const isBack = at === "behind" || isOlder(version, this.#known());
    const isUnderWay = this.#told !== undefined;
    if (isBack || !isUnderWay) this.#told = isBack ? "server" : "content";
    // Who finds out again and again would keep it from being read for ever.
    if (isUnderWay) return;
    this.#isNews = true;
    this.#stop?.abort(new Rewound(version, this.#known()));
  }

  async #step(state: Exclude<FollowState, { at: "stopped" }>, stop: AbortController, signal: AbortSignal) {
    const { clock, random } = this.#options;
    let next: FollowState;
    if (state.at === "waiting") {
      await sleep(clock, state.for, stop.signal).catch(() => {});
      next = state.then;
    } else next = afterwards(state, await this.#attempt(state, stop, signal), random);
    const isNews = this.#isNews;
    this.#isNews = false;
    return this.#told === undefined ? next : anew(next, this.#told, isNews);
  }

  async #attempt(state: Following, stop: AbortController, signal: AbortSignal): Promise<Ended> {
    const { clock } = this.#options;
    const { ends } = this.#options.store;
    const attempt: Attempt = { signal: stop.signal, known: this.#known(), ends, begun: undefined };
    const watchdog = this.#pulse.watch(
      () => attempt.begun !== undefined,
      (silent) => stop.abort(new StreamError("stalled", `nothing came for ${Math.round(silent / 1000)} s`)),
    );
    const ended = (trouble?: Trouble, retryAfter?: Ms): Ended => {
      const { begun } = attempt;
      const held = begun !== undefined && isBreak(trouble) && clock.uptime() - begun.at >= lasting;
      return {
        progress: begun !== undefined && (begun.version !== this.#version || held),
        ...(begun === undefined ? {} : { version: this.#version }),
        ...(trouble === undefined ? {} : { trouble }),
        ...(retryAfter === undefined ? {} : { retryAfter }),
      };
    };
    try {
      await this.#follow(state, attempt);
      return ended();
    } catch (error) {
      if (signal.aborted) return ended();
      const streaming = state.at === "listing" && state.how === "stream" && attempt.begun === undefined;
      const is = troubleOf(error, { streaming });
      this.#trouble = { is, why: error instanceof Error ? error.message : String(error) };
      if (is !== "unsupported") this.#tell(is === "refused" ? "failed" : is, error);
      return ended(is, error instanceof ApiError ? error.retryAfter : undefined);
    } finally {
      watchdog.cancel();
    }
  }

  #follow(state: Following, attempt: Attempt): Promise<void> {
    switch (state.at) {
      case "listing":
        return state.how === "pages" ? this.#pages(state.trust, attempt) : this.#stream(state.trust, attempt);
      case "watching":
        this.#begin(attempt);
        return this.#stream("newest", attempt);
      case "asking":
      case "behind":
        return this.#ask(attempt).then(() => {
          if (state.at === "asking") this.#tell("resumed");
        });
    }
  }

  async #pages(trust: Trust, attempt: Attempt): Promise<void> {
    const { client, kind, select, intern } = this.#options;
    const objects: T[] = [];
    let limit = this.#expiredTokens > 1 ? undefined : pageOf; // again and again: all at once
    let version = "";
    for (let token: string | undefined; ; ) {
      const asked = { ...(limit === undefined ? {} : { limit }), ...(token === undefined ? {} : { continue: token }) };
      const page = await client.list(kind, { ...select, ...asked, signal: attempt.signal }).catch((error: unknown) => {
        if (token !== undefined && isExpired(error)) this.#expiredTokens += 1;
        throw error;
      });
      this.#hear();
      // The items of a list come without their kind, and whoever compares them with others would find them different.
      for (const item of page.items) objects.push(intern({ apiVersion: kind.apiVersion, kind: kind.kind, ...item }));
      version ||= page.resourceVersion;
      token = page.continue;
      if (token === undefined) break;
      limit = fitting(page.items, limit);
    }
    await this.#proven(version, trust, attempt);
    this.#listed(objects, version, trust, attempt);
  }

  /** One stream. Where nothing is known yet it begins with all there is. */
  async #stream(trust: Trust, attempt: Attempt): Promise<void> {
    const { client, kind, select, random, intern } = this.#options;
    const events = client.watch(kind, {
      ...select,
      signal: attempt.signal,
      timeoutSeconds: Math.round(streamLasts * (1 + random.next())),
      ...(attempt.begun === undefined ? { sendInitialEvents: true } : { resourceVersion: this.#version }),
    });
    const listed = new Map<Key, T>();
    for await (const heard of events) {
      const event = this.#whole(heard, trust);
      if (!isWhole(event)) throw new StreamError("garbled", `an event ${event.type} without an object`);
      this.#hear();
      if (event === heard && event.type === "ADDED") intern(event.object);
      if (attempt.begun !== undefined) this.#take(event);
      else if (isEndOfList(event)) {
        const version = event.object.metadata?.resourceVersion ?? "";
        await this.#proven(version, trust, attempt);
        this.#listed(listed.values(), version, trust, attempt);
        listed.clear();
      } else collect(listed, event);
    }
    if (attempt.begun === undefined) throw new NoStreamedList("the stream ended before the list did");
  }

  /** The echo of our own write is the object that we hold, unless we do not hold it, or it may be of another life. */
  #whole(event: WatchEvent<T>, trust: Trust): WatchEvent<T> {
    const { object } = event;
    if (event.type === "BOOKMARK" || !(object instanceof Echo)) return event;
    const held = this.#options.store.byKey(keyOfObject(object));
    const { uid, resourceVersion } = object.metadata;
    const isSame = held?.metadata?.uid === uid && held?.metadata?.resourceVersion === resourceVersion;
    const isHeld = isSame && trust === "newest";
    return { type: event.type, object: held !== undefined && isHeld ? held : (object.whole() as T) };
  }

  #take(event: WatchEvent<T>): void {
    const version = event.object.metadata?.resourceVersion ?? "";
    if (isOlder(version, this.#version)) throw new Rewound(version, this.#version);
    if (event.type === "BOOKMARK") this.#pulse.bookmark();
    else this.#options.store.saw(event.type, event.object);
    if (version !== "") this.#version = version;
    if (this.#missing !== undefined) this.#findOut(event, this.#missing);
  }

  #findOut({ type, object }: WatchEvent<T>, { key, by }: { readonly key: Key; readonly by: string }): void {
    const isTold = type !== "BOOKMARK" && keyOfObject(object) === key;
    if (isTold) this.#missing = undefined;
    else if (isNoNewer(by, this.#version)) {
      this.#told ??= "content";
      throw new Rewound(this.#version, by);
    }
  }

  #listed(objects: Iterable<T>, version: string, trust: Trust, attempt: Attempt): void {
    const { store, select } = this.#options;
    if (version === "") throw new StreamError("garbled", "a list without a version is no list");
    const isBack = isOlder(version, attempt.known);
    if (isBack && trust !== "server") throw new Rewound(version, attempt.known);
    store.replace(objects, version, {
      trust: isBack ? "server" : trust === "newest" ? "newest" : "content",
      asked: attempt.ends,
      ...(select.namespace === undefined ? {} : { namespace: select.namespace }),
    });
    this.#version = version;
    this.#isSynced = true;
    this.#missing = undefined;
    this.#expiredTokens = 0;
    this.#begin(attempt);
    this.#tell("listed");
    if (trust !== "newest" && this.#told === undefined) this.#options.onDoubt?.(version);
    this.#told = undefined;
  }

  /**
   * Whether the server is at least as far as we are, by its version and by the newest object that we know. A watch from a version
   * that is still to come is silent: whoever was put back to an older state would never tell. One that was put back and has gone
   * as far again since shows an older object than we have seen.
   */
  async #ask({ signal, known }: Attempt): Promise<void> {
    const { client, kind, select, store } = this.#options;
    const newest = store.newest(select.namespace)?.metadata;
    const fields = [select.fieldSelector, newest?.name === undefined ? "" : selectorOf(newest.name, newest.namespace)];
    const fieldSelector = fields.filter((field) => field !== undefined && field !== "").join(",");
    // The watch's own selection: an object that it does not follow says nothing about where the server is.
    const least = {
      ...select,
      limit: 1,
      metadataOnly: true,
      signal,
      ...(fieldSelector === "" ? {} : { fieldSelector }),
    };
    const page = await client.list(kind, least).catch((error: unknown) => {
      if (isForbidden(error)) return undefined; // who may watch but not list has to do without
      throw error;
    });
    this.#hear();
    if (isOlder(page?.resourceVersion, known)) throw new Rewound(page?.resourceVersion ?? "", known);
    const [held, shown] = [newest?.resourceVersion, page?.items[0]?.metadata?.resourceVersion];
    const isPast = isOlder(shown, held) || (shown !== held && isNoNewer(shown, this.#version));
    if (isPast) throw new Rewound(shown ?? "", held ?? known);
    const isMissing = newest !== undefined && page?.items.length === 0;
    this.#missing = isMissing ? { key: keyOfObject({ metadata: newest }), by: page.resourceVersion } : undefined;
  }

  /**
   * A list that is older than a write of ours was read before it, or on a server that was put back since: then what we wrote is
   * not there any more, and nobody would ever tell.
   */
  async #proven(version: string, trust: Trust, attempt: Attempt): Promise<void> {
    const { written } = this.#options.store;
    if (trust !== "server" && isOlder(version, written)) await this.#ask({ ...attempt, known: written });
  }

  /** The newest version that the server has shown us, in whichever way: our own writes may be ahead of what we are told. */
  #known(): string {
    const { written } = this.#options.store;
    return this.#version === "" || isOlder(this.#version, written) ? written : this.#version;
  }

  #begin(attempt: Attempt): void {
    attempt.begun = { version: this.#version, at: this.#options.clock.uptime() };
    this.#pulse.follow();
  }

  #hear(): void {
    this.#pulse.hear();
    this.#trouble = undefined;
  }

  /** Whoever listens and throws does not end a watch. */
  #tell(what: WatchHappening, error?: unknown): void {
    try {
      this.#options.onHappening?.(what, error);
    } catch {
      // Nobody is left to be told.
    }
  }
}

function selectorOf(name: string, namespace?: string): string {
  const is = (field: string, value: string) => `metadata.${field}=${value.replace(/[\\,=]/g, "\\$&")}`;
  return namespace === undefined ? is("name", name) : `${is("name", name)},${is("namespace", namespace)}`;
}

/** The end of a stream that was there. How long a refusal or a silence took says nothing. */
function isBreak(trouble: Trouble | undefined): boolean {
  return trouble === undefined || trouble === "cut" || trouble === "garbled";
}

/** How many of such objects make a page of a good size. What is kept is less than half of what was sent. */
function fitting(items: readonly unknown[], limit: number | undefined): number | undefined {
  if (limit === undefined || items.length === 0) return limit;
  const each = JSON.stringify(items[0]).length * 2;
  return Math.max(50, Math.min(5_000, Math.round(pageBytes / each)));
}
