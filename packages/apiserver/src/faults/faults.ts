// Trouble on purpose: rules that say which requests get it, how often, and what it is. Chance and time are injected, so the
// same seed gives the same trouble.
import { type Clock, type Random, sleep } from "@telltale/clock";
import type { ApiResponse, Call, Sink } from "../request.ts";
import type { RequestInfo } from "../route/info.ts";
import { respond } from "../route/respond.ts";
import { StatusError } from "../status.ts";

/** Which requests a rule is about. What is left out matches everything. */
export interface FaultMatch {
  readonly verbs?: readonly string[];
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string | RegExp;
  readonly user?: string;
  readonly userAgent?: RegExp;
  readonly path?: RegExp;
  /** Values by a header's name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Only once the store is past this revision. */
  readonly afterRevision?: number;
  /** Only the n-th match, or those that the function chooses; counted from 1. */
  readonly nth?: number | ((n: number) => boolean);
  readonly probability?: number;
}

export type FaultEffect =
  /** Slow: before the work, or after it is done and before the client hears of it. */
  | { readonly latencyMs: number | readonly [number, number]; readonly phase?: "before" | "after" }
  /** An error; with `commit` the write happens all the same. */
  | {
      readonly status: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      /** In place of a Status: what a proxy on the way would say. */
      readonly body?: string;
      readonly commit?: boolean;
    }
  /** No answer at all, and no end: the client has to give up. */
  | { readonly timeout: true; readonly commit?: boolean }
  /** No answer at all, or its first bytes only: the connection is cut. */
  | { readonly resetConnection: true; readonly commit?: boolean; readonly afterBytes?: number }

  /** A get or a list shows the world as it was so many revisions or so long ago, the older where both are given. */
  | { readonly staleRead: { readonly lagRevisions?: number; readonly lagMs?: number } }
  /** Somebody else writes the object just before this request does. */
  | { readonly conflictOnce: true }
  /** What a watch does wrong; but for `missEvery` nothing is lost that a client could not get by resuming. */
  | { readonly watch: WatchFault };

export interface WatchFault {
  /** Ends the stream after so many events. */
  readonly dropAfterEvents?: number;
  /** Cuts the line in the middle of the event at which the stream ends. */
  readonly partialWrite?: boolean;
  readonly delayMs?: number;
  readonly duplicate?: boolean;
  readonly skipBookmarks?: boolean;
  /** Two events in a row change places when they are of different objects; not where the stream is to end or stall. */
  readonly reorderAcrossKeys?: boolean;
  /** Goes silent without ending. */
  readonly stallAfterEvents?: number;
  /** Answers with an Expired event at once. */
  readonly expireNow?: boolean;
  /** Leaves out every n-th event. The one fault that no server may have: for clients that must notice. */
  readonly missEvery?: number;
}

export interface FaultRule {
  readonly id?: string;
  readonly match?: FaultMatch;
  /** Gone after so many hits. */
  readonly times?: number;
  readonly effect: FaultEffect;
}

export interface FaultHit {
  readonly rule: string;
  readonly method: string;
  readonly url: string;
}

interface Active extends FaultRule {
  readonly id: string;
  seen: number;
  hits: number;
}

/** What rules need of the server. */
export interface FaultWorld {
  /** The newest revision so long ago. */
  readonly revisionBefore: (ms: number) => number;
  readonly revision: () => number;
  /** Writes an object again as it is, so that it has a new version. */
  readonly touch: (info: RequestInfo) => void;
}

/** Thrown to the transport: the client gets no answer. */
export class ConnectionReset extends Error {}

export class Faults {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #world: FaultWorld;
  #rules: Active[] = [];
  #log: FaultHit[] = [];
  #next = 1;

  constructor(clock: Clock, random: Random, world: FaultWorld) {
    this.#clock = clock;
    this.#random = random;
    this.#world = world;
  }

  /** Puts a rule in force and answers with its id. */
  add(rule: FaultRule): string {
    const id = rule.id ?? `fault-${this.#next++}`;
    this.#rules.push({ ...rule, id, seen: 0, hits: 0 });
    return id;
  }

  remove(id: string): void {
    this.#rules = this.#rules.filter((rule) => rule.id !== id);
  }

  clear(): void {
    this.#rules = [];
  }

  /** What was hit since the last time that somebody asked. */
  log(): FaultHit[] {
    const log = this.#log;
    this.#log = [];
    return log;
  }

  list(): readonly FaultRule[] {
    return this.#rules.map(({ seen: _s, hits: _h, ...rule }) => rule);
  }

  /** Answers a request with whatever trouble it is due. */
  async around(call: Call, info: RequestInfo, answer: (call: Call) => Promise<ApiResponse>): Promise<ApiResponse> {
    if (this.#rules.length === 0) return answer(call);
    const due = this.#rules.filter((rule) => this.#hits(rule, call, info));
    let result: ApiResponse | undefined;
    let seen = call;
    const done = async () => {
      result ??= await answer(seen);
      return result;
    };
    for (const { effect } of due) {
      if ("latencyMs" in effect) {
        if (effect.phase === "after") await done();
        await sleep(this.#clock, this.#length(effect.latencyMs), call.request.signal);
      } else if ("status" in effect) {
        if (effect.commit === true) await done();
        if (effect.body !== undefined) return respond(effect.status, effect.body, "text/html");
        throw new StatusError(
          effect.status,
          effect.reason ?? reasons[effect.status] ?? "",
          effect.message ?? `injected ${effect.status}`,
          effect.retryAfterSeconds === undefined ? undefined : { retryAfterSeconds: effect.retryAfterSeconds },
        );
      } else if ("resetConnection" in effect) {
        if (effect.afterBytes !== undefined) return { ...(await done()), cutAfter: effect.afterBytes };
        if (effect.commit === true) await done();
        throw new ConnectionReset("the connection was cut on purpose");
      } else if ("timeout" in effect) {
        if (effect.commit === true) await done();
        await givenUp(call.request.signal);
        throw new ConnectionReset("the client gave up");
      } else if ("staleRead" in effect) {
        const { lagRevisions = 0, lagMs = 0 } = effect.staleRead;
        const then = Math.min(this.#world.revision() - lagRevisions, this.#world.revisionBefore(lagMs));
        seen = { ...seen, readAt: Math.max(1, then) };
      } else if ("conflictOnce" in effect) this.#world.touch(info);
      else result = troubled(await done(), effect.watch, this.#clock);
    }
    return done();
  }

  #hits(rule: Active, call: Call, info: RequestInfo): boolean {
    if (!matches(rule.match ?? {}, call, info)) return false;
    if (this.#world.revision() <= (rule.match?.afterRevision ?? -1)) return false;
    rule.seen += 1;
    const { nth, probability } = rule.match ?? {};
    if (typeof nth === "number" && rule.seen !== nth) return false;
    if (typeof nth === "function" && !nth(rule.seen)) return false;
    if (probability !== undefined && this.#random.next() >= probability) return false;
    rule.hits += 1;
    if (rule.times !== undefined && rule.hits >= rule.times) this.remove(rule.id);
    this.#log.push({ rule: rule.id, method: call.request.method, url: call.request.url });
    return true;
  }

  #length(ms: number | readonly [number, number]): number {
    return typeof ms === "number" ? ms : ms[0] + this.#random.next() * (ms[1] - ms[0]);
  }
}

const reasons: Readonly<Record<number, string>> = {
  409: "Conflict",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function matches(m: FaultMatch, call: Call, info: RequestInfo): boolean {
  const { request, user } = call;
  const r = info.isResource ? info : undefined;
  const is = (wanted: string | undefined, value: string | undefined) => wanted === undefined || wanted === value;
  const named = m.name === undefined || (typeof m.name === "string" ? m.name === r?.name : m.name.test(r?.name ?? ""));
  return (
    (m.verbs === undefined || m.verbs.includes(info.verb)) &&
    is(m.group, r?.group) &&
    is(m.resource, r?.resource) &&
    is(m.subresource, r?.subresource) &&
    is(m.namespace, r?.namespace) &&
    named &&
    is(m.user, user.username) &&
    (m.userAgent === undefined || m.userAgent.test(request.headers["user-agent"] ?? "")) &&
    (m.path === undefined || m.path.test(request.url)) &&
    Object.entries(m.headers ?? {}).every(([name, value]) => request.headers[name] === value)
  );
}

function givenUp(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The same stream, in trouble. */
function troubled(answer: ApiResponse, fault: WatchFault, clock: Clock): ApiResponse {
  const start = answer.body;
  if (typeof start !== "function") return answer;
  return { ...answer, body: (sink) => start(troubledSink(sink, fault, clock)) };
}

const expiredEvent =
  '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"The resourceVersion for the provided watch is too old.","reason":"Expired","code":410}}\n';

function troubledSink(sink: Sink, fault: WatchFault, clock: Clock): Sink {
  let events = 0;
  let ended = false;
  const end = () => {
    ended = true;
    sink.end();
  };
  if (fault.expireNow === true) {
    sink.write(expiredEvent);
    end();
  }
  const put = (chunk: string): boolean => {
    if (ended) return false;
    events += 1;
    if (fault.missEvery !== undefined && events % fault.missEvery === 0) return true;
    if (fault.stallAfterEvents !== undefined && events > fault.stallAfterEvents) return true;
    if (fault.dropAfterEvents !== undefined && events > fault.dropAfterEvents) {
      if (fault.partialWrite === true) sink.write(chunk.slice(0, Math.ceil(chunk.length / 2)));
      end();
      return false;
    }
    const fine = sink.write(chunk);
    return fault.duplicate === true ? sink.write(chunk) : fine;
  };
  let held: string | undefined;
  const release = () => {
    const chunk = held;
    held = undefined;
    if (chunk !== undefined) put(chunk);
  };
  const reorder = (chunk: string): boolean => {
    if (held === undefined) {
      held = chunk;
      clock.after(10, release); // where no other comes soon
      return true;
    }
    const swap = differ(held, chunk);
    if (!swap) release();
    const fine = put(chunk);
    release();
    return fine;
  };
  const ends = fault.dropAfterEvents !== undefined || fault.stallAfterEvents !== undefined; // between the two: a gap
  const emit = fault.reorderAcrossKeys === true && !ends ? reorder : put;
  return {
    write(chunk) {
      if (ended) return false;
      if (fault.skipBookmarks === true && chunk.startsWith('{"type":"BOOKMARK"')) return true;
      if (fault.delayMs === undefined) return emit(chunk);
      clock.after(fault.delayMs, () => emit(chunk));
      return true;
    },
    end: () => {
      release();
      if (!ended) end();
    },
  };
}

/** Whether two events are about different objects. A bookmark is about none: it must stay behind all before it. */
function differ(a: string, b: string): boolean {
  const [one, other] = [subject(a), subject(b)];
  return one !== undefined && other !== undefined && one !== other;
}

function subject(chunk: string): string | undefined {
  const { object } = JSON.parse(chunk) as { object: { metadata?: { namespace?: string; name?: string } } };
  const { namespace = "", name } = object.metadata ?? {};
  return name === undefined ? undefined : `${namespace}/${name}`;
}
