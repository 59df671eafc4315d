// Everything that is kept for one Provider: its wire, its breaker, its limits, and which of its tasks have not ended.
import type { Clock } from "@telltale/clock";
import { type Ms, plus } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { Answer, Ask, AskOptions, Method, Request } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Provider } from "../kinds/index.ts";
import type { Dial, Target, TlsSecret, Wire } from "../wire/wire.ts";
import { admit, type Breaker, closed, heard, type Verdict } from "./breaker.ts";
import type { Asked, CallSample } from "./calls.ts";
import { meaningOf } from "./failure.ts";
import { Bucket, NoTurn, Slots } from "./limits.ts";
import type { Link } from "./links.ts";
import { ProviderError } from "./provider-error.ts";
import { allowanceOf, describesAtATime, targetOf } from "./target.ts";
import { OpenTasks } from "./task.ts";

export interface GatewayOptions {
  readonly dial: Dial;
  readonly clock: Clock;
  readonly onCall?: (sample: CallSample) => void;
}

type Way = { readonly wire: Wire; readonly target: Target } | { readonly trouble: ReturnType<typeof text> };

export class Gateway implements Link {
  readonly ask: Ask = (method, request, options) =>
    this.#ask(method, request, copies.has(method) ? { ...options, isLong: true } : options);
  readonly #dial: Dial;
  readonly #clock: Clock;
  readonly #onCall: (sample: CallSample) => void;
  readonly #calls: Slots;
  readonly #longCalls: Slots;
  readonly #describes: Slots;
  readonly #bucket: Bucket;
  readonly #tasks = new OpenTasks();
  #breaker: Breaker = closed;
  #lastFailure: SafeText = text`no answer`;
  #way: Way = { trouble: text`nobody has said where it is` };
  #asked: Asked;

  constructor({ dial, clock, onCall = () => {} }: GatewayOptions, provider: Provider) {
    this.#dial = dial;
    this.#clock = clock;
    this.#onCall = onCall;
    const { rate, burst, calls, longCalls } = allowanceOf(provider);
    this.#calls = new Slots(clock, calls);
    this.#longCalls = new Slots(clock, longCalls);
    this.#describes = new Slots(clock, describesAtATime);
    this.#bucket = new Bucket(clock, rate, burst);
    this.#asked = askedOf(provider);
  }

  reach(provider: Provider, tls?: TlsSecret): void {
    const { rate, burst, calls, longCalls } = allowanceOf(provider);
    this.#calls.limit(calls);
    this.#longCalls.limit(longCalls);
    this.#bucket.limit(rate, burst);
    this.#asked = askedOf(provider);
    const target = targetOf(provider, tls);
    if ("trouble" in target) {
      this.#hangUp();
      this.#way = target;
    } else if ("trouble" in this.#way || !isSame(this.#way.target, target)) {
      this.#hangUp();
      this.#way = { wire: this.#dial(target), target };
    }
  }

  close(): void {
    this.#hangUp();
    this.#way = { trouble: text`the Provider is gone` };
    this.#onCall({ ...this.#asked, is: "gone" });
  }

  async probe(deadline: Ms, signal?: AbortSignal): Promise<Answer<"validate">> {
    // It is a trial like any other where one is due, and goes past the breaker where none is.
    const era = this.#admit();
    return this.#send("validate", {}, { deadline, ...(signal && { signal }) }, era);
  }

  async #ask<M extends Method>(method: M, request: Request<M>, options: AskOptions): Promise<Answer<M>> {
    const given = await this.#turn(method, options);
    try {
      const era = this.#admit();
      if (era === undefined) throw this.#suspended();
      return await this.#send(method, request, options, era);
    } finally {
      for (const back of given) back();
    }
  }

  /** Waits until there is room for one more call. What it resolves with is to be given back. */
  async #turn(method: Method, { deadline, signal, isLong = false }: AskOptions): Promise<readonly (() => void)[]> {
    if (this.#breaker.at === "open" && !admit(this.#breaker, this.#clock.now()).isLet) return [];
    const patience = { until: plus(this.#clock.now(), deadline), ...(signal && { signal }) };
    const given: (() => void)[] = [];
    try {
      if (method === "describe") given.push(await this.#describes.take(patience));
      if (isLong) given.push(await this.#longCalls.take(patience));
      given.push(await this.#calls.take(patience));
      await this.#bucket.take(patience);
      return given;
    } catch (error) {
      for (const back of given) back();
      if (!(error instanceof NoTurn)) throw error;
      if (error.why === "gone")
        throw ProviderError.unsent("CANCELLED", "Retryable", text`nobody waits for it any more`);
      throw ProviderError.unsent(
        "RESOURCE_EXHAUSTED",
        "RateLimit",
        text`too many calls to this provider: it was not sent`,
      );
    }
  }

  /** It was not sent: the breaker is open, for the reason of the failure that it counted last. */
  #suspended(): ProviderError {
    return ProviderError.unsent("UNAVAILABLE", "Unavailable", text`${this.#lastFailure} (circuit breaker open)`);
  }

  /** The era of one more call, or undefined where the breaker lets none through. */
  #admit(): number | undefined {
    const { breaker, isLet } = admit(this.#breaker, this.#clock.now());
    this.#setBreaker(breaker);
    return isLet ? breaker.era : undefined;
  }

  async #send<M extends Method>(
    method: M,
    request: Request<M>,
    options: AskOptions,
    era: number | undefined,
  ): Promise<Answer<M>> {
    const way = this.#way;
    if ("trouble" in way) {
      this.#heard(era, "none");
      throw ProviderError.unsent("UNAVAILABLE", "Unavailable", way.trouble);
    }
    const began = this.#clock.uptime();
    const told = { ...this.#asked, is: "call", method } as const;
    try {
      const answer = await way.wire.ask(method, request, options);
      this.#onCall({ ...told, code: "OK", took: this.#clock.uptime() - began });
      this.#heard(era, "well");
      if (this.#tasks.see(method, request, answer))
        this.#onCall({ ...this.#asked, is: "tasks", open: this.#tasks.size });
      return answer;
    } catch (error) {
      const failed = error instanceof RpcError ? error : new RpcError("INTERNAL", String(error));
      this.#onCall({ ...told, code: failed.code, took: this.#clock.uptime() - began });
      const { counts } = meaningOf(failed.code, failed.message, method);
      const reported = ProviderError.of(failed, method);
      if (counts) {
        this.#lastFailure = reported.said;
        this.#onCall({ ...this.#asked, is: "counted" });
      }
      this.#heard(era, counts ? "badly" : "none");
      throw reported;
    }
  }

  #heard(era: number | undefined, verdict: Verdict): void {
    if (era !== undefined) this.#setBreaker(heard(this.#breaker, era, verdict, this.#clock.now()));
  }

  #setBreaker(next: Breaker): void {
    const before = this.#breaker;
    this.#breaker = next;
    if (before.at !== next.at) this.#onCall({ ...this.#asked, is: "breaker", at: next.at });
  }

  #hangUp(): void {
    if ("wire" in this.#way) this.#way.wire.close();
  }
}

/** They take as long as a disk is large: each has a connection of its own, because one that is shared may be near its end. */
const copies: ReadonlySet<Method> = new Set(["clone", "exportDisk", "importDisk"]);

const askedOf = ({ metadata, spec }: Provider): Asked => ({
  namespace: metadata?.namespace ?? "",
  provider: metadata?.name ?? "",
  type: spec.type,
});

const isSame = (a: Target, b: Target): boolean =>
  a.endpoint === b.endpoint &&
  a.serverName === b.serverName &&
  a.tls?.resourceVersion === b.tls?.resourceVersion &&
  a.insecureSkipVerify === b.insecureSkipVerify &&
  a.connectTimeout === b.connectTimeout &&
  a.idleTimeout === b.idleTimeout;
