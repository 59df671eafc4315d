// One Lease, held or wanted by us: reads it, takes it, renews it, gives it back. When to try is its caller's business.
// It writes only on top of what it read, so of two candidates one succeeds. It counts its term from before the request that
// won it, and for less than anybody else waits, so a term is over before the next one can begin, whatever the wall clocks say.
import { type Client, isAlreadyExists, isConflict, isNotFound } from "@telltale/client";
import type { Clock, Random, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { Lease } from "@telltale/kinds/builtin";
import {
  type Claim,
  claimPatch,
  freed,
  type Marks,
  newLease,
  nextStep,
  type Seen,
  type Step,
  sameClaim,
  see,
  stamp,
} from "./lease.ts";

export interface HoldOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** How long others wait after our last renewal before they take it. */
  readonly duration: Ms;
  /** How long after a renewal was sent we count it as ours. */
  readonly renewDeadline: Ms;
  /** What else the Lease has to say; asked at the moment of each write. */
  readonly marks?: () => Marks;
  readonly onChange: (change: Change) => void;
}

export type Change =
  | { readonly held: true; readonly epoch: number }
  | { readonly held: false; readonly epoch: number; readonly why: Loss };

export type Loss =
  | "expired" // no renewal was confirmed in time
  | "taken" // the Lease says something that we did not write
  | "deleted" // there is no Lease any more
  | "released" // given back
  | "stopped"; // we take part no more

export type Standing =
  | { readonly at: "held" }
  | { readonly at: "waiting"; readonly holder: string; readonly until: Ms };

/** How often a round may find that somebody was faster before it leaves it to the next one. */
const tries = 3;
/** Of claims without an answer. One that is forgotten counts as another's: its end is waited for. */
const remembered = 16;

export class Hold {
  readonly #options: HoldOptions;
  readonly #ref: { readonly namespace: string; readonly name: string };
  #seen: Seen = { at: "unread" };
  /** What the Lease says if it is ours: the claim that was confirmed last, or one of those whose answers were lost since. */
  #confirmed: Claim | undefined;
  #unanswered: readonly Claim[] = [];
  #term: { readonly epoch: number; readonly until: Ms } | undefined;
  #timer: Timer | undefined;
  /** What tells our claims from those of another process that uses our name in the same millisecond. */
  readonly #nonce: number;
  #writes: number;

  constructor(options: HoldOptions) {
    this.#options = options;
    this.#nonce = Math.floor(options.random.next() * 1000);
    this.#writes = Math.floor(options.random.next() * 1000);
    this.#ref = { namespace: options.namespace, name: options.name };
  }

  held(): boolean {
    return this.#term !== undefined && this.#options.clock.uptime() < this.#term.until;
  }

  get epoch(): number | undefined {
    return this.held() ? this.#term?.epoch : undefined;
  }

  /** Renews, takes or looks at the Lease once. Throws what kept it from doing so. */
  async attempt(signal: AbortSignal): Promise<Standing> {
    this.#notice();
    if (this.#term === undefined || this.#unanswered.length > 0) await this.#read(signal);
    for (let attempt = 1; ; attempt += 1) {
      this.#notice();
      const { clock } = this.#options;
      const step = nextStep(this.#seen, this.#isMine(), this.#term !== undefined, clock.uptime());
      if (step.do === "wait") return { at: "waiting", holder: step.holder, until: step.until };
      try {
        await this.#write(step, signal);
        return this.held() ? { at: "held" } : { at: "waiting", holder: "", until: clock.uptime() };
      } catch (error) {
        if (attempt === tries || !isOutdated(error, step)) throw error;
        await this.#read(signal);
      }
    }
  }

  /** Gives it up at once, and says so in the Lease where that is ours. Throws what kept it from saying so. */
  async release(signal: AbortSignal): Promise<void> {
    this.end("released");
    if (this.#unanswered.length > 0) await this.#read(signal);
    for (let attempt = 1; this.#seen.at === "there" && this.#isMine(); attempt += 1) {
      const { lease, claim } = this.#seen;
      const json = claimPatch(lease, freed(claim, stamp(this.#options.clock.now(), this.#writes++)));
      try {
        await this.#options.client.patch(Lease, this.#ref, { json }, this.#call(signal));
        break;
      } catch (error) {
        if (attempt === tries || !(isConflict(error) || isNotFound(error))) throw error;
        await this.#read(signal);
      }
    }
    this.#confirmed = undefined;
    this.#unanswered = [];
  }

  /** Gives it up without a word to anybody. */
  end(why: Loss): void {
    const term = this.#term;
    if (term === undefined) return;
    this.#timer?.cancel();
    this.#term = undefined;
    this.#options.onChange({ held: false, epoch: term.epoch, why });
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, clock, duration, namespace, name } = this.#options;
    let lease: Lease | undefined;
    try {
      lease = await client.get(Lease, name, { namespace, ...this.#call(signal) });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#seen = see(this.#seen, lease, clock.uptime(), duration);
    if (lease === undefined) this.end("deleted");
    else if (!this.#isMine()) this.end("taken");
  }

  async #write(step: Exclude<Step, { do: "wait" }>, signal: AbortSignal): Promise<void> {
    const { client, clock, identity, namespace, name, renewDeadline } = this.#options;
    const renewed = stamp(clock.now(), this.#writes++);
    const acquired = stamp(clock.now(), this.#nonce);
    const duration = Math.ceil(this.#options.duration / 1000) * 1000;
    const claim: Claim =
      step.do === "renew"
        ? { ...step.claim, duration, renewed }
        : { holder: identity, duration, epoch: step.epoch, acquired, renewed };
    const marks = this.#options.marks?.() ?? {};
    this.#unanswered = [...this.#unanswered, claim].slice(-remembered);
    const sent = clock.uptime();
    const lease =
      step.do === "create"
        ? await client.create(Lease, newLease(namespace, name, claim, marks), this.#call(signal))
        : await client.patch(Lease, this.#ref, { json: claimPatch(step.lease, claim, marks) }, this.#call(signal));
    signal.throwIfAborted();
    this.#confirmed = claim;
    this.#unanswered = [];
    this.#seen = see({ at: "unread" }, lease, clock.uptime(), duration);
    this.#notice();
    // A renewal that was confirmed too late does not bring its term back: the next attempt begins a new one.
    if (step.do === "renew" && this.#term?.epoch !== claim.epoch) return;
    this.#extend(claim.epoch, sent + renewDeadline);
  }

  #extend(epoch: number, until: Ms): void {
    if (this.#options.clock.uptime() >= until) return;
    const begins = this.#term === undefined;
    this.#term = { epoch, until };
    this.#watch(until);
    if (begins) this.#options.onChange({ held: true, epoch });
  }

  /** Time alone ends a term. `held` knows at once; this is for those who are to be told. */
  #watch(until: Ms): void {
    const { clock } = this.#options;
    this.#timer?.cancel();
    this.#timer = clock.after(until - clock.uptime(), () => {
      this.#notice();
      // A timer may be early by a part of a millisecond.
      if (this.#term !== undefined) this.#watch(this.#term.until);
    });
  }

  #notice(): void {
    if (!this.held()) this.end("expired");
  }

  /** Not by our name alone: another process may use it, or an earlier run of this one may still be at work. */
  #isMine(): boolean {
    const says = this.#seen.at === "there" ? this.#seen.claim : this.#seen.at === "gone" ? this.#seen.was : undefined;
    if (says === undefined) return false;
    return [this.#confirmed, ...this.#unanswered].some((claim) => claim !== undefined && sameClaim(claim, says));
  }

  /** Two attempts fit before the term is over. */
  #call(signal: AbortSignal): { readonly signal: AbortSignal; readonly timeout: Ms } {
    return { signal, timeout: this.#options.renewDeadline / 2 };
  }
}

/** Somebody else was faster: to be read again, not to be told as trouble. */
function isOutdated(error: unknown, step: Step): boolean {
  if (isConflict(error) || isAlreadyExists(error)) return true;
  return isNotFound(error) && step.do !== "create";
}
