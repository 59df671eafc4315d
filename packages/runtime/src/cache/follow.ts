// Follows the objects of one kind on a server: a list, then a watch, and again after whatever goes wrong. What comes next is
// decided in `follow-state.ts`; what is known is in the store.
import {
  ApiError,
  type Client,
  ConnectionError,
  isExpired,
  isNotFound,
  type SelectOptions,
  StreamError,
} from "@telltale/client";
import { type Clock, type Random, sleep } from "@telltale/clock";
import type { KindRef, KubeObject, Ms } from "@telltale/kinds";
import type { WatchHappening } from "../samples.ts";
import { afterwards, begin, type Ended, type FollowState, type Trouble } from "./follow-state.ts";
import type { Store } from "./store.ts";
import { isOlder } from "./version.ts";

export interface FollowOptions<T extends KubeObject> {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly kind: KindRef<T>;
  readonly select: Pick<SelectOptions, "namespace" | "labelSelector" | "fieldSelector" | "metadataOnly">;
  readonly store: Store<T>;
  /** How the world is read first. A server that cannot stream a list gets asked for pages. Default: `stream`. */
  readonly lists?: "stream" | "pages";
  readonly onHappening?: (what: WatchHappening, error?: unknown) => void;
}

/** A stream ends by itself after this long, or twice as long: so that servers can be drained. */
const streamLasts = 300;
/** What held for so long is no sign of trouble, even if nothing came. */
const lasting = 10_000;
/** How long a list may be silent before its end. */
const listSilence = 30_000;
/** Never sooner, and by how much later than the longest gap between two bookmarks so far. */
const shortestSilence = 90_000;
const gaps = 3;
const pageOf: Ms = 500;
const pageBytes = 2_000_000;

export class Follower<T extends KubeObject> {
  readonly #options: FollowOptions<T>;
  #how: "stream" | "pages";
  #state: FollowState;
  #version = "";
  #heard: Ms;
  #bookmarked: Ms | undefined;
  #longestGap: Ms | undefined;
  #isSynced = false;
  /** How often in a row a list was older than what we know. */
  #older = 0;
  #trouble: Trouble | undefined;

  constructor(options: FollowOptions<T>) {
    this.#options = options;
    this.#how = options.lists ?? "stream";
    this.#state = begin(this.#how);
    this.#heard = options.clock.uptime();
  }

  get state(): FollowState {
    return this.#state;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get version(): string {
    return this.#version;
  }

  /** What the last list or stream ended with. Undefined while all is well. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** How long since the server was last heard of. */
  get silent(): Ms {
    return this.#options.clock.uptime() - this.#heard;
  }

  /** Until the signal is raised. It never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#state.at !== "stopped") {
      if (this.#state.at === "waiting") {
        await sleep(this.#options.clock, this.#state.for, signal).catch(() => {});
        this.#state = this.#state.then;
        continue;
      }
      const ended = await this.#attempt(this.#state, signal);
      if (signal.aborted) break;
      this.#trouble = ended.trouble;
      if (ended.trouble === "unsupported") this.#how = "pages";
      this.#state = afterwards(this.#state, ended, this.#how, this.#options.random);
    }
    this.#state = { at: "stopped" };
  }

  async #attempt(state: FollowState, signal: AbortSignal): Promise<Ended> {
    const before = this.#version;
    const began = this.#options.clock.uptime();
    let complete = state.at === "watching";
    const stop = new AbortController();
    const watchdog = this.#watchdog(() => complete, stop);
    const either = AbortSignal.any([signal, stop.signal]);
    const know = () => ({
      progress: this.#version !== before || this.#options.clock.uptime() - began >= lasting,
      ...(complete ? { version: this.#version } : {}),
    });
    try {
      if (state.at === "listing" && state.how === "pages") await this.#pages(state.attempt, either);
      else await this.#stream(state.at === "watching" ? state.from : undefined, either, () => (complete = true));
      complete = true;
      return know();
    } catch (error) {
      const trouble = this.#troubleOf(error, complete);
      if (trouble !== "unsupported" && !signal.aborted) this.#options.onHappening?.(trouble, error);
      const retryAfter = error instanceof ApiError ? error.retryAfter : undefined;
      return { trouble, ...know(), ...(retryAfter === undefined ? {} : { retryAfter }) };
    } finally {
      watchdog.cancel();
    }
  }

  async #pages(attempt: number, signal: AbortSignal): Promise<void> {
    const { client, kind, select } = this.#options;
    const objects: T[] = [];
    let limit = attempt > 1 ? undefined : pageOf; // tokens that expire again and again: all at once
    let version = "";
    for (let token: string | undefined; ; ) {
      const page = await client.list(kind, {
        ...select,
        signal,
        ...(limit === undefined ? {} : { limit }),
        ...(token === undefined ? {} : { continue: token }),
      });
      this.#hear();
      for (const item of page.items) objects.push(item);
      version ||= page.resourceVersion;
      token = page.continue;
      if (token === undefined) break;
      limit = fitting(page.items, limit);
    }
    this.#listed(objects, version);
  }

  /** One stream. Without a version it begins with all there is. */
  async #stream(from: string | undefined, signal: AbortSignal, onComplete: () => void): Promise<void> {
    const { client, kind, select, store, random } = this.#options;
    const initial: T[] | undefined = from === undefined ? [] : undefined;
    let listing = initial !== undefined;
    const events = client.watch(kind, {
      ...select,
      signal,
      timeoutSeconds: Math.round(streamLasts * (1 + random.next())),
      ...(from === undefined ? { sendInitialEvents: true } : { resourceVersion: from }),
    });
    this.#bookmarked = undefined;
    let isFirst = true;
    for await (const { type, object } of events) {
      this.#hear();
      if (isFirst && !listing) this.#happened("resumed");
      isFirst = false;
      const version = object.metadata?.resourceVersion ?? "";
      if (listing) {
        if (type === "ADDED") initial?.push(object as T);
        else if (type === "BOOKMARK" && object.metadata?.annotations?.["k8s.io/initial-events-end"] === "true") {
          this.#listed(initial ?? [], version);
          listing = false;
          onComplete();
        }
        continue;
      }
      if (isOlder(version, this.#version)) throw new Rewound(version, this.#version);
      if (type === "BOOKMARK") this.#noteGap();
      else store.saw(type, object as T);
      if (version !== "") this.#version = version;
    }
    if (listing) throw new StreamError("cut", "the stream ended before the list did");
  }

  #listed(objects: T[], version: string): void {
    const { store, select } = this.#options;
    const isBack = isOlder(version, this.#version);
    // A server that lags behind says so once; one that was put back to an older state says so again.
    if (isBack && this.#older++ === 0) throw new Rewound(version, this.#version);
    this.#older = 0;
    store.replace(objects, version, {
      reset: isBack,
      ...(select.namespace === undefined ? {} : { namespace: select.namespace }),
    });
    this.#version = version;
    this.#isSynced = true;
    this.#happened("listed");
  }

  #happened(what: WatchHappening): void {
    this.#options.onHappening?.(what);
  }

  #hear(): void {
    this.#heard = this.#options.clock.uptime();
  }

  #noteGap(): void {
    if (this.#bookmarked !== undefined)
      this.#longestGap = Math.max(this.#longestGap ?? 0, this.#heard - this.#bookmarked);
    this.#bookmarked = this.#heard;
  }

  /** Ends a stream that went silent without an end: bookmarks are its heartbeat. */
  #watchdog(isComplete: () => boolean, stop: AbortController): { cancel(): void } {
    const { clock } = this.#options;
    this.#hear();
    const limit = () => {
      if (!isComplete()) return listSilence;
      if (this.#longestGap === undefined) return 2 * streamLasts * 1000 + listSilence;
      return Math.max(shortestSilence, gaps * this.#longestGap);
    };
    let timer = clock.after(listSilence, check);
    function schedule(after: Ms): void {
      timer = clock.after(after, check);
    }
    const self = this;
    function check(): void {
      const left = limit() - self.silent;
      if (left > 0) schedule(Math.min(left, listSilence));
      else stop.abort(new StreamError("stalled", `nothing came for ${Math.round(self.silent / 1000)} s`));
    }
    return { cancel: () => timer.cancel() };
  }

  #troubleOf(error: unknown, complete: boolean): Trouble {
    if (error instanceof Rewound) return "rewound";
    if (isExpired(error)) return "expired";
    const streaming = !complete && this.#state.at === "listing" && this.#state.how === "stream";
    if (error instanceof StreamError) return streaming && error.fault === "stalled" ? "unsupported" : error.fault;
    if (error instanceof ConnectionError) return error.step === "body" ? "cut" : "failed";
    if (isNotFound(error)) return "missing";
    if (!(error instanceof ApiError)) return "failed";
    if (error.causes.some(({ reason }) => reason === "ResourceVersionTooLarge")) return "rewound";
    return streaming && [400, 405, 406, 422].includes(error.code) ? "unsupported" : "failed";
  }
}

/** The server shows a state older than one that it has shown before. */
class Rewound extends Error {
  constructor(version: string, known: string) {
    super(`the server is at version ${version}, and has been at ${known} before`);
    this.name = "Rewound";
  }
}

/** How many of such objects make a page of a good size. What is kept is less than half of what was sent. */
function fitting(items: readonly unknown[], limit: number | undefined): number | undefined {
  if (limit === undefined || items.length === 0) return limit;
  const each = JSON.stringify(items[0]).length * 2;
  return Math.max(50, Math.min(5_000, Math.round(pageBytes / each)));
}
