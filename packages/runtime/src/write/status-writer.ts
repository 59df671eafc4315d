// The one way in which status is written: nothing when nothing changed, one guarded request when something did, at once or
// later by how urgent it is, and never by a process that lost its lease.
import { type Client, isConflict } from "@telltale/client";
import type { Clock } from "@telltale/clock";
import { deepEqual, type Instant, instant, type KindRef, type KubeObject, type Ms } from "@telltale/kinds";
import { applyDocument, dueAt, type Finished, jsonPatch, standardSpacing } from "@telltale/status";
import type { Cache } from "../cache/cache.ts";
import type { WriteMode } from "../controller/declare.ts";
import { asKind } from "../controller/declared.ts";
import { type Fence, NotLeaderError } from "../fence.ts";
import type { Sink, WriteOutcome } from "../samples.ts";
import { annotationPatch } from "./annotations.ts";
import { isForeignMetadata } from "./foreign.ts";
import { isVanished } from "./vanished.ts";

export interface StatusWriterOptions {
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly sink: Sink;
  readonly controller: string;
  readonly kind: KindRef;
  readonly fence: Fence;
  readonly mode: WriteMode;
  /** Each status that was written: for events, metrics and whoever is interested. */
  readonly onWritten?: (step: Step) => void;
}

/** From what was read to what was said. What came back may show the words of others, too. */
export interface Step {
  readonly before: KubeObject;
  readonly said: Readonly<Record<string, unknown>>;
  readonly after: KubeObject;
  /** Whether the pass failed that wrote this: to wait for something is no failure. */
  readonly failed: boolean;
}

export interface Written {
  readonly outcome: WriteOutcome;
  /** The object as it is now, as far as we know. */
  readonly object: KubeObject;
  /** When it may be written, where it was put off. */
  readonly in?: Ms;
  /** Somebody else changed the object while we derived its status: it has to be looked at again. */
  readonly stale?: boolean;
}

/** What was said, and the annotations that belong to it. */
type Said = Pick<Finished, "status" | "changed" | "significance" | "effect"> & {
  readonly annotations?: Readonly<Record<string, string | undefined>>;
};

const volatilePerSecond = 50;

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** By uid, when each object was last written: not by the time of day, which may stand still. Losing it only means that a detail is written sooner. */
  readonly #last = new Map<string, Instant>();
  readonly #bucket: Bucket;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#bucket = new Bucket(options.clock, options.mode.volatileBudget ?? volatilePerSecond);
  }

  /** Writes what was said about an object as it was read. `now`: whatever its urgency. */
  async write(read: KubeObject, said: Said, options: { now?: boolean; signal?: AbortSignal } = {}): Promise<Written> {
    const wait = options.now === true ? 0 : this.#wait(read, said);
    if (!said.changed || this.#isApplied(read, said)) return this.#told(said, { outcome: "unchanged", object: read });
    if (wait > 0) return this.#told(said, { outcome: "deferred", object: read, in: wait });
    const { name = "", namespace } = read.metadata ?? {};
    if (!this.#options.fence.allows({ name, ...(namespace === undefined ? {} : { namespace }) })) {
      return this.#told(said, { outcome: "notLeader", object: read });
    }
    return this.#told(said, await this.#send(read, said, options.signal));
  }

  /** Whether an apply would change nothing: only the order of conditions differs, which is not ours alone. */
  #isApplied(read: KubeObject, said: Said): boolean {
    const { kind, mode } = this.#options;
    return mode.as === "apply" && applyDocument(asKind(kind), read, said, mode.owned) === undefined;
  }

  /** The object is gone. */
  forget(uid: string | undefined): void {
    this.#last.delete(uid ?? "");
  }

  async #send(read: KubeObject, said: Said, signal?: AbortSignal): Promise<Written> {
    const { kind, cache, clock } = this.#options;
    let after: KubeObject;
    try {
      after = await this.#request(read, said, signal);
    } catch (error) {
      if (error instanceof NotLeaderError) return { outcome: "notLeader", object: read };
      if (isVanished(error, read)) {
        cache.vanished(kind, read);
        return { outcome: "gone", object: read };
      }
      if (isConflict(error)) return { outcome: "conflict", object: read };
      this.#told(said, { outcome: "failed", object: read });
      throw error;
    }
    this.#last.set(after.metadata?.uid ?? "", instant(clock.uptime()));
    cache.wrote(kind, after);
    const failed = said.effect !== undefined && said.effect.class !== "waiting" && said.effect.class !== "conflict";
    this.#options.onWritten?.({ before: read, said: said.status, after, failed });
    return { outcome: "written", object: after, stale: isForeign(read, said, after) };
  }

  #request(read: KubeObject, said: Said, signal?: AbortSignal): Promise<KubeObject> {
    const { client, kind, mode } = this.#options;
    const options = {
      ...(signal === undefined ? {} : { signal }),
      ...(mode.fieldManager === undefined ? {} : { fieldManager: mode.fieldManager }),
    };
    if (mode.as === "apply") {
      const document = applyDocument(asKind(kind), read, said, mode.owned) ?? read;
      return client.status.apply(kind, document, { ...options, force: true });
    }
    const { name = "", namespace } = read.metadata ?? {};
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    const json = [...jsonPatch(asKind(kind), read, said), ...annotationPatch(read, said.annotations ?? {})];
    return client.status.patch(kind, ref, { json }, options);
  }

  #wait(read: KubeObject, said: Said): Ms {
    if (!said.changed) return 0;
    const now = instant(this.#options.clock.uptime());
    const due = dueAt(
      said.significance,
      this.#last.get(read.metadata?.uid ?? ""),
      now,
      this.#options.mode.spacing ?? standardSpacing,
    );
    if (due > now) return due - now;
    return said.significance === "volatile" ? this.#bucket.take() : 0;
  }

  #told(said: Said, written: Written): Written {
    const { sink, controller, kind } = this.#options;
    sink({ is: "status", controller, kind: kind.kind, outcome: written.outcome, significance: said.significance });
    return written;
  }
}

/** Whether the object that came back shows changes that are not ours. */
function isForeign(read: KubeObject, said: Said, after: KubeObject): boolean {
  const annotations = new Set(Object.keys(said.annotations ?? {}));
  if (isForeignMetadata(read, after, { annotations, members: new Set() })) return true;
  const [before, ours, now] = [statusOf(read), said.status as Record<string, unknown>, statusOf(after)];
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const untouched = ours[name] === before[name] || deepEqual(ours[name], before[name]);
    if (untouched && !deepEqual(before[name], now[name])) return true;
  }
  return false;
}

function statusOf(object: KubeObject): Record<string, unknown> {
  return (object as { status?: Record<string, unknown> }).status ?? {};
}

/** So many per second, and as many at once. */
class Bucket {
  readonly #clock: Clock;
  readonly #rate: number;
  #tokens: number;
  #at: Ms;

  constructor(clock: Clock, rate: number) {
    this.#clock = clock;
    this.#rate = rate;
    this.#tokens = rate;
    this.#at = clock.uptime();
  }

  /** Zero, or how long until it is worth asking again. */
  take(): Ms {
    const now = this.#clock.uptime();
    this.#tokens = Math.min(this.#rate, this.#tokens + ((now - this.#at) / 1000) * this.#rate);
    this.#at = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - this.#tokens) / this.#rate) * 1000);
  }
}
