// One call from first attempt to answer: sends, judges the answer, waits, sends again. What may be repeated is decided in
// `retry.ts`; what is asked, in `client.ts`.
import { type Clock, type Random, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { ApiError, ConnectionError, type Status, TimeoutError } from "./errors.ts";
import { type Budget, defaultBudget, nextDelay, type Outcome, parseRetryAfter, type Safety } from "./retry.ts";
import type { Headers, Request, Response, Transport } from "./transport.ts";
import { Deadline } from "./wait.ts";
import { onceEach } from "./warnings.ts";

export interface SenderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent?: string;
  /** What the server warns of, each text once. What it throws changes nothing for the call, and is a warning of the process. */
  readonly onWarning?: (text: string) => void;
  /** Each attempt, for metrics and traces. What it throws changes nothing for the call, and is a warning of the process. */
  readonly onAttempt?: (attempt: Attempt) => void;
  /** For a whole call, with its retries. Default: 30 s. */
  readonly timeout?: Ms;
  readonly budget?: Budget;
  /** From the text of an answer, or of one line of a watch, to a value. Default: `JSON.parse`. */
  readonly decode?: (text: string) => unknown;
}

/** One attempt, as it ended. */
export interface Attempt {
  readonly method: string;
  readonly path: string;
  /** From 1. */
  readonly number: number;
  readonly took: Ms;
  /** The status code; undefined when there was no answer. */
  readonly code?: number;
  readonly error?: unknown;
  /** How long until the next attempt; undefined when this was the last. */
  readonly next?: Ms;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For the whole call, in milliseconds. A watch: until its first byte may come. */
  readonly timeout?: Ms;
}

export interface Call extends CallOptions {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
  readonly safety: Safety;
}

/** An answer that was a yes. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An answer that is still coming. */
export interface OpenAnswer {
  readonly response: Response;
  /** Follows the caller's signal; to be ended by whoever reads. */
  readonly deadline: Deadline;
}

export interface Sender {
  send(call: Call): Promise<Answer>;
  /** The value in the answer. A yes that cannot be read counts as lost, and is asked for again where that is safe. */
  value<T>(call: Call): Promise<T>;
  /** Opens a stream: the attempts end with its first byte. */
  open(call: Call): Promise<OpenAnswer>;
  decode(text: string): unknown;
}

/** What is made of a yes. */
type Read<T> = (text: string, response: Response) => T;

const defaultTimeout = 30_000;

export function createSender(options: SenderOptions): Sender {
  const { transport, clock, random, budget = defaultBudget } = options;
  const warn = options.onWarning && onceEach(guarded("onWarning", options.onWarning));
  const report = options.onAttempt && guarded("onAttempt", options.onAttempt);

  /** Sends until it works or must not be sent again. What is no stream is read to its end. */
  async function attempts<T>(call: Call, limit: Deadline, stream: boolean, read: Read<T>): Promise<T> {
    const request: Request = {
      method: call.method,
      path: call.path,
      headers: { accept: "application/json", "user-agent": options.userAgent ?? "telltale", ...call.headers },
      signal: limit.signal,
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(stream ? { stream } : {}),
    };
    const began = clock.uptime();
    for (let number = 1; ; number += 1) {
      const start = clock.uptime();
      const attempt = { method: call.method, path: call.path, number };
      try {
        limit.signal.throwIfAborted();
        const response = await limit.unless(transport.send(request));
        const { status } = response;
        warn?.(response.headers);
        const isYes = status >= 200 && status < 300;
        const text = isYes && stream ? "" : await limit.unless(response.text());
        if (!isYes) throw refusal(call, response, text, clock.now());
        const result = read(text, response);
        report?.({ ...attempt, took: clock.uptime() - start, code: status });
        return result;
      } catch (error) {
        const outcome = limit.signal.aborted ? undefined : outcomeOf(error);
        const elapsed = clock.uptime() - began;
        const next = outcome && nextDelay({ safety: call.safety, outcome, attempts: number, elapsed }, budget, random);
        report?.({
          ...attempt,
          took: clock.uptime() - start,
          ...(error instanceof ApiError ? { code: error.code } : {}),
          error,
          ...(next === undefined ? {} : { next }),
        });
        if (next === undefined) throw error;
        await sleep(clock, next, limit.signal);
      }
    }
  }

  function limitOf(call: Call): Deadline {
    const after = call.timeout ?? options.timeout ?? defaultTimeout;
    return new Deadline(call.signal).within(clock, after, () => new TimeoutError(nameOf(call), after));
  }

  async function whole<T>(call: Call, read: Read<T>): Promise<T> {
    const limit = limitOf(call);
    try {
      return await attempts(call, limit, false, read);
    } finally {
      limit.done();
    }
  }

  const decode = options.decode ?? ((text: string) => JSON.parse(text) as unknown);

  function decoded(call: Call, text: string): unknown {
    try {
      return decode(text);
    } catch (cause) {
      throw new ConnectionError("body", `${nameOf(call)}: ${text.length} characters that are no JSON`, { cause });
    }
  }

  return {
    send: (call) => whole(call, (text, { status, headers }) => ({ status, headers, text })),
    value: <T>(call: Call) => whole(call, (text) => decoded(call, text) as T),
    async open(call) {
      const limit = limitOf(call);
      try {
        const response = await attempts(call, limit, true, (_text, response) => response);
        limit.lift();
        return { response, deadline: limit };
      } catch (error) {
        limit.done();
        throw error;
      }
    },
    decode,
  };
}

/** An observer has no say in how a call ends: a write that succeeded has, whatever is thrown by who looks on. */
function guarded<T>(name: string, call: (value: T) => void): (value: T) => void {
  return (value) => {
    try {
      call(value);
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      process.emitWarning(`${name} threw: ${what}; the call goes on`, {
        code: "TELLTALE_CLIENT_OBSERVER",
        ...(error instanceof Error && error.stack !== undefined ? { detail: error.stack } : {}),
      });
    }
  };
}

const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

function outcomeOf(error: unknown): Outcome | undefined {
  if (error instanceof ConnectionError) {
    // A plugin that failed, a certificate that does not fit or an answer that is too large is so again: nothing is gained by
    // asking five times.
    if (["closed", "credentials", "tls", "size"].includes(error.step)) return undefined;
    return { at: error.sent ? "unknown" : "unsent" };
  }
  if (!(error instanceof ApiError)) return undefined;
  const { code, retryAfter } = error;
  return retryAfter === undefined ? { at: "answered", code } : { at: "answered", code, retryAfter };
}

/** The Status in an answer, or one made from its code: proxies and load balancers answer in their own words. */
function refusal(call: Call, response: Response, text: string, now: number): ApiError {
  const after = response.headers["retry-after"];
  return new ApiError(
    nameOf(call),
    { ...statusOf(text), code: response.status },
    parseRetryAfter(typeof after === "string" ? after : after?.[0], now),
  );
}

function statusOf(text: string): Status {
  try {
    const parsed = JSON.parse(text) as Status & { kind?: string };
    if (parsed.kind === "Status") return parsed;
  } catch {
    // Not JSON: the text itself is all that there is.
  }
  return { message: text.trim().slice(0, 500) };
}
