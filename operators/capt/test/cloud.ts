// Where the runs of a simulation happen: processes that outlive the operator's, as those of tofu do, and what they have made. It can be
// out of reach, end what goes on in the middle, and lose what a run has come to.
import type { Clock } from "@telltale/clock";
import type { Backend, BackendFault } from "@telltale/simulation";
import type { Desk, Engine, LeftRun, Order, Outcome } from "../src/runner/engine.ts";
import { simulatedEngine } from "../src/runner/index.ts";
import { revisionOf } from "../src/runner/inputs.ts";
import type { Snapshot } from "../src/runner/state.ts";
import { sanitize } from "../src/sanitize.ts";

interface Going {
  readonly left: LeftRun;
  readonly stop: AbortController;
  readonly done: Promise<Outcome>;
  /** Who is told of it: one process at a time. */
  desk: Desk;
  state?: Snapshot;
}

/** A run that has begun. */
export interface Begun {
  readonly order: Order;
  /** Other runs of the same Workspace that went on then. */
  readonly beside: number;
}

export class Cloud implements Backend {
  readonly #clock: Clock;
  readonly #inner: Engine;
  readonly #going = new Map<string, Going>();
  readonly #states = new Map<string, Snapshot>();
  /** By Workspace, the revisions that were made to their end and not taken away since. */
  readonly #made = new Map<string, string>();
  readonly begun: Begun[] = [];
  #changed = () => {};
  #fault: BackendFault | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#inner = simulatedEngine({ clock });
  }

  has(uid: string): boolean {
    return this.#made.has(uid);
  }

  listen(changed: () => void): void {
    this.#changed = changed;
  }

  fail(how: BackendFault): void {
    this.#fault = how;
    if (how !== "restarting") return;
    for (const { stop } of this.#going.values()) stop.abort(new Error("the machine begins anew"));
  }

  heal(): void {
    this.#fault = undefined;
  }

  /** Of one process of the operator. */
  engine(): Engine {
    return {
      ...this.#inner,
      run: (order, desk) => this.#begin(order, desk),
      left: async (uid) => this.#going.get(uid)?.left,
      resume: async (left, _order, desk) => {
        const going = this.#going.get(left.uid);
        return going?.left.id === left.id ? this.#follow(going, desk) : { as: "stale" };
      },
      stateOf: async (uid) => this.#going.get(uid)?.state ?? this.#states.get(uid),
      clear: async (uid) => {
        this.#states.delete(uid);
        await this.#inner.clear(uid);
      },
      abandon: async (uid) => this.#going.get(uid)?.stop.abort(new Error("nobody claims it")),
      known: async () => [...this.#going.keys()],
    };
  }

  #begin(order: Order, desk: Desk): Promise<Outcome> {
    const { id, uid, operation, generation } = order;
    const beside = this.#going.has(uid) ? 1 : 0;
    this.begun.push({ order, beside });
    const left: LeftRun = { id, uid, operation, generation, startedAt: this.#clock.now() };
    const stop = new AbortController();
    const going: Going = { left, stop, desk, done: this.#run(order, stop.signal, () => going) };
    this.#going.set(uid, going);
    this.#changed();
    return this.#follow(going, desk);
  }

  async #run(order: Order, signal: AbortSignal, self: () => Going): Promise<Outcome> {
    await Promise.resolve();
    if (this.#fault === "unreachable" || this.#fault === "failing")
      return this.#over(order, self(), broken("connection refused"));
    const outcome = await this.#inner.run(order, {
      signal,
      progress: (progress) => self().desk.progress(progress),
      state: (state) => {
        self().state = state;
        self().desk.state(state);
      },
    });
    if (outcome.state !== undefined) this.#states.set(order.uid, outcome.state);
    if (outcome.as === "applied") this.#made.set(order.uid, revisionOf(order.inputs));
    if (outcome.as === "destroyed") this.#made.delete(order.uid);
    const isLost = this.#fault === "losing" || this.#fault === "partial";
    return this.#over(order, self(), isLost ? { ...broken("connection reset"), ...stateIn(outcome) } : outcome);
  }

  #over({ uid }: Order, going: Going, outcome: Outcome): Outcome {
    if (this.#going.get(uid) === going) this.#going.delete(uid);
    this.#changed();
    return outcome;
  }

  #follow(going: Going, desk: Desk): Promise<Outcome> {
    going.desk = desk;
    const stop = () => going.stop.abort(desk.signal.reason);
    if (desk.signal.aborted) stop();
    else desk.signal.addEventListener("abort", stop, { once: true });
    return going.done;
  }
}

const broken = (message: string): Outcome => ({ as: "failed", class: "ApplyFailed", message: sanitize(message) });
const stateIn = ({ state }: Outcome) => (state === undefined ? {} : { state });
