// Between a process and the server: every request, answer and watch event passes here, where a fault can lose it, delay it or
// make something else of it.
import { ConnectionError, type Request, type Response, type Transport, unlessAborted } from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import { type Instant, instant, type KubeObject, type Ms } from "@telltale/kinds";
import type { Change, History } from "./history.ts";
import { linesTo } from "./lines.ts";
import type { LocalClock } from "./local-clock.ts";
import { type Pass, presentPass } from "./pass.ts";
import { type Refusal, refusal, reset, whole } from "./response.ts";
import { isBookmark } from "./servers/lines.ts";
import { type Target, targetOf } from "./target.ts";
import type { Trace } from "./trace.ts";
import { answerText, requestText, verdictText } from "./words.ts";

/** So many requests at one moment are no haste any more: they do not end. */
const mostAtOnce = 2_000;

/** A request on its way. */
export interface Sent {
  readonly process: string;
  readonly method: string;
  readonly target: Target;
  readonly request: Request;
  /** The how many-th write of the operator in this run; of a read undefined. */
  readonly write?: number;
  /** The pass on whose behalf it was sent. */
  readonly pass?: Pass;
}

/** What a process heard of a request. */
export type Heard =
  | { readonly as: "answer"; readonly status: number; readonly retryAfter?: Ms } // the server's own
  | { readonly as: "refusal"; readonly status: number; readonly retryAfter?: Ms } // nothing was done
  | { readonly as: "lie"; readonly status: number | "reset" } // it was done
  | { readonly as: "loss" }; // it never arrived

/** Who is told of the operator's traffic, whatever becomes of it. */
export interface Witness {
  sent?(sent: Sent): void;
  /** After the server has done it, whatever the process hears. `answer`: what the server says. */
  applied?(sent: Sent, changes: readonly Change[], status: number, answer: string | undefined): void;
  heard?(sent: Sent, heard: Heard): void;
}

/** What becomes of a request. */
export type Verdict =
  | { readonly do: "lose" } // it never arrives: the connection is reset
  | ({ readonly do: "refuse" } & Refusal) // before anything is done
  | { readonly do: "lie"; readonly status: number | "timeout" | "reset" } // it is done, and this is what the client hears
  | { readonly do: "slow"; readonly before?: Ms; readonly after?: Ms }
  | { readonly do: "elsewhere"; readonly server: Server } // another server answers: one that lags, or is older
  | { readonly do: "then"; readonly applied?: () => void; readonly answered?: () => void };

/** Somebody who answers requests. */
export type Server = (request: Request) => Promise<Response>;

/** A watch that is open. */
export interface Stream {
  readonly process: string;
  readonly target: Target;
  /** Events so far, bookmarks not counted. */
  events: number;
  /** The connection breaks, now. */
  readonly cut: () => void;
}

export interface Line {
  readonly type: string;
  readonly object: KubeObject;
}

/** What becomes of an event. */
export type LineVerdict =
  | { readonly do: "delay"; readonly by: Ms }
  | { readonly do: "drop" } // only where the stream ends soon, and the client comes back
  | { readonly do: "cut"; readonly inside?: boolean } // before it, or in the middle of its line
  | { readonly do: "stall" } // nothing comes any more, and no end
  | { readonly do: "twice" }
  | { readonly do: "expire"; readonly after?: Ms }; // nothing for a while, then 410 in its place, and the end

/** What a fault may do with the traffic. Of several rules the first that has a verdict decides. */
export interface Rule {
  /** Whose it is, for the trace: `P7`. */
  by?: string;
  request?(sent: Sent): Verdict | undefined;
  /** After the server has done it, whatever the client hears. */
  applied?(sent: Sent, changes: readonly Change[], status: number): void;
  line?(stream: Stream, line: Line): LineVerdict | undefined;
}

export interface NetworkOptions {
  readonly server: Transport;
  readonly clock: Clock;
  readonly history: History;
  readonly trace: Trace;
  /** How long things are under way, one by one. */
  readonly latency: () => Ms;
  readonly witness?: Witness;
}

export class Network {
  readonly rules: Rule[] = [];
  /** Watches that are open, of whoever is perturbed. */
  readonly streams = new Set<Stream>();
  readonly #options: NetworkOptions;
  /** When something last went wrong on the way. */
  disturbedAt: Instant | undefined;
  #writes = 0;
  #underWay = 0;
  /** Of this moment. */
  #asked = { at: instant(0), count: 0 };
  /** Since there were too many. */
  #askedOn = 0;
  /** How often every connection has broken. */
  #breaks = 0;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** The server as it is, for those who stand in front of it. */
  get server(): Server {
    return (request) => this.#options.server.send(request);
  }

  /** Requests without an answer yet; streams do not count. */
  get underWay(): number {
    return this.#underWay;
  }

  get writes(): number {
    return this.#writes;
  }

  /** Every connection breaks: streams end, and answers that are under way do not arrive. */
  break(): void {
    this.#breaks += 1;
    for (const stream of [...this.streams]) stream.cut();
  }

  /** The way of one process to the server. `counted`: whether its writes are numbered, and perturbed. */
  transport(process: string, clock: LocalClock, counted: boolean): Transport {
    const closing = new AbortController();
    let open = 0;
    const counting = (by: number) => {
      if (closing.signal.aborted) return;
      open += by;
      this.#underWay += by;
    };
    return {
      send: (request) => this.#send(process, clock, counted, request, closing.signal, counting),
      close: async () => {
        counting(-open);
        closing.abort(new ConnectionError("closed", "the process is gone"));
      },
    };
  }

  async #send(
    process: string,
    clock: LocalClock,
    counted: boolean,
    request: Request,
    closing: AbortSignal,
    counting: (by: number) => void,
  ): Promise<Response> {
    if (closing.aborted) return never();
    const isRead = request.method === "GET" || request.method === "HEAD";
    const target = targetOf(request.path);
    if (!isRead && counted) this.#writes += 1;
    const pass = presentPass();
    const sent: Sent = {
      process,
      method: request.method,
      target,
      request,
      ...(isRead || !counted ? {} : { write: this.#writes }),
      ...(pass?.process.name === process ? { pass } : {}),
    };
    counting(1);
    try {
      return await unlessAborted(this.#pass(sent, clock, counted, closing), request.signal ?? closing);
    } finally {
      counting(-1);
    }
  }

  async #pass(sent: Sent, clock: LocalClock, counted: boolean, closing: AbortSignal): Promise<Response> {
    const { server, history, trace, latency } = this.#options;
    const { request, process, write } = sent;
    const witness = counted ? this.#options.witness : undefined;
    witness?.sent?.(sent);
    const { verdict, by = "" } = counted ? this.#verdict(sent) : none;
    const disturbed = () => {
      if (verdict !== undefined && verdict.do !== "then") this.disturbedAt = this.#options.clock.now();
    };
    disturbed();
    const note = (who: string, said: () => string) => {
      if (!isQuiet(sent, counted)) trace.note(this.#options.clock.now(), who, () => `${requestText(sent)} ${said()}`);
    };
    if (verdict !== undefined && verdictText(verdict) !== undefined)
      note(`fault ${by}`, () => verdictText(verdict) ?? "");
    await this.#wait(Math.max(this.#toll(), latency()) + (verdict?.do === "slow" ? (verdict.before ?? 0) : 0));
    if (closing.aborted) return never();
    if (verdict?.do === "lose") {
      note(process, () => `-> is lost on its way (${by})`);
      return this.#delivered(clock, () => {
        witness?.heard?.(sent, { as: "loss" });
        return reset(request);
      });
    }
    if (verdict?.do === "refuse") {
      note(process, () => `-> is refused: ${verdict.status} (${by})`);
      return this.#delivered(clock, () => {
        const { status, retryAfter } = verdict;
        const wait = retryAfter === undefined ? {} : { retryAfter: retryAfter * 1000 };
        witness?.heard?.(sent, { as: "refusal", status, ...wait });
        return refusal(verdict);
      });
    }
    const before = history.length;
    const breaks = this.#breaks;
    const ask: Server = verdict?.do === "elsewhere" ? verdict.server : (it) => server.send(it);
    const left = request.stream === true ? leaving(closing, request.signal) : undefined;
    const response = await ask({ ...request, signal: left?.signal ?? closing });
    const body = request.stream === true ? undefined : await response.text();
    if (response.status >= 500) this.disturbedAt = this.#options.clock.now();
    const changes = write === undefined ? [] : history.claim(before, process, sent, response.status, body);
    note(process, () => `-> ${answerText(response.status, body)}`);
    witness?.applied?.(sent, changes, response.status, body);
    for (const rule of this.rules) rule.applied?.(sent, changes, response.status);
    if (verdict?.do === "then") verdict.applied?.();
    if (closing.aborted) return never();
    await this.#wait(latency() + (verdict?.do === "slow" ? (verdict.after ?? 0) : 0));
    disturbed();
    if (closing.aborted) return never();
    if (verdict?.do === "lie") {
      note(process, () => `-> was done, and is answered: ${verdict.status} (${by})`);
      if (verdict.status === "timeout") return never();
      const { status } = verdict;
      return this.#delivered(clock, () => {
        witness?.heard?.(sent, { as: "lie", status });
        return status === "reset" ? reset(request) : refusal({ status });
      });
    }
    if (breaks !== this.#breaks) {
      note(process, () => "-> was done, and its connection is broken");
      left?.abort(broken);
      return this.#delivered(clock, () => {
        witness?.heard?.(sent, { as: "lie", status: "reset" });
        return reset(request);
      });
    }
    const answered = await this.#delivered(clock, () =>
      left === undefined || body !== undefined
        ? whole(response, body ?? "")
        : this.#streamed(response, sent, clock, counted, closing, left),
    );
    if (verdict?.do === "then") verdict.answered?.();
    if (closing.aborted) return never();
    // Who has given up meanwhile does not hear it.
    if (request.signal?.aborted !== true) witness?.heard?.(sent, { as: "answer", status: response.status });
    return answered;
  }

  #verdict(sent: Sent): Judged<Verdict> {
    for (const rule of this.rules) {
      const verdict = rule.request?.(sent);
      if (verdict !== undefined) return { verdict, ...(rule.by === undefined ? {} : { by: rule.by }) };
    }
    return none;
  }

  /** Two who undo at once what the other does would keep time from passing: in the end each request costs some, and ever more. */
  #toll(): Ms {
    const at = this.#options.clock.now();
    this.#asked = { at, count: at === this.#asked.at ? this.#asked.count + 1 : 1 };
    if (this.#asked.count > mostAtOnce || this.#askedOn > 0) this.#askedOn += 1;
    return Math.ceil(this.#askedOn / 100);
  }

  async #wait(by: Ms): Promise<void> {
    if (by > 0) await sleep(this.#options.clock, by);
  }

  /** An answer reaches a process only while it runs. */
  #delivered<T>(clock: LocalClock, answer: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      clock.deliver(() => {
        try {
          resolve(answer());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #streamed(
    response: Response,
    sent: Sent,
    clock: LocalClock,
    counted: boolean,
    closing: AbortSignal,
    left: AbortController,
  ): Response {
    const stream: Stream = { process: sent.process, target: sent.target, events: 0, cut: () => left.abort(broken) };
    if (counted) {
      this.streams.add(stream);
      left.signal.addEventListener("abort", () => this.streams.delete(stream), { once: true });
    }
    const { clock: time, trace, latency } = this.#options;
    const lines = linesTo(
      {
        judge: (line) => (counted ? this.#judge(stream, line) : undefined),
        wait: (by) => this.#wait(by),
        latency,
        arrived: () => this.#delivered(clock, () => undefined),
        left: left.signal,
        disturbed: (what) => {
          this.disturbedAt = time.now();
          if (what !== undefined) trace.note(time.now(), "fault", () => `${sent.process}: ${what()}`);
        },
        seen: (what) => {
          if (counted) trace.note(time.now(), sent.process, what);
        },
      },
      response,
    );
    return { ...response, text: () => response.text(), chunks: () => this.#lines(lines, stream, closing) };
  }

  /** A method, and not a function of each stream: V8 keeps such a one, and all that it knows, until a full collection. */
  async *#lines(
    lines: AsyncIterable<string>,
    stream: Stream,
    closing: AbortSignal,
  ): AsyncGenerator<string, void, undefined> {
    yield* lines;
    this.streams.delete(stream);
    if (closing.aborted) await never();
  }

  #judge(stream: Stream, text: string): LineVerdict | undefined {
    if (isBookmark(text)) return undefined;
    stream.events += 1;
    if (!this.rules.some((rule) => rule.line !== undefined)) return undefined;
    const line = JSON.parse(text) as Line;
    for (const rule of this.rules) {
      const verdict = rule.line?.(stream, line);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }
}

/** A verdict, and whose it is. */
interface Judged<V> {
  readonly verdict?: V;
  readonly by?: string;
}

const none: Judged<never> = {};

/** One for all: to make a reason for each of them was a fiftieth of a plan. */
const broken = new ConnectionError("body", "the connection is broken");

const never = (): Promise<never> => new Promise(() => {});

/** Raised when the reader stops, the process ends, or a fault breaks the connection: the server keeps no watch for nobody. */
function leaving(closing: AbortSignal, reader: AbortSignal | undefined): AbortController {
  const left = new AbortController();
  for (const signal of [closing, reader]) {
    if (signal === undefined) continue;
    const give = () => left.abort(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { once: true });
    // Not by the option `signal`: Node.js keeps such listeners, and all that they know of, for ever.
    left.signal.addEventListener("abort", () => signal.removeEventListener("abort", give), { once: true });
  }
  return left;
}

/** Leases are renewed all the time, and the cluster itself reads much; a trace of that hides the rest. */
const isQuiet = ({ method, target }: Sent, counted: boolean): boolean =>
  target.resource === "leases" || (method === "GET" && !counted);
