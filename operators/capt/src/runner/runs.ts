// The runs that are waiting, going on or have ended, by Workspace: at most so many at a time, none for longer than it may, and
// each told of when there is news. What is lost with the process, the engine finds again.
import type { Clock, Random, Timer } from "@telltale/clock";
import { type Instant, instant, type Ms, plus } from "@telltale/kinds";
import type { Name, Source } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import { sanitize } from "../sanitize.ts";
import {
  type Engine,
  type LeftRun,
  type Operation,
  type Order,
  type Outcome,
  type Progress,
  Stopped,
} from "./engine.ts";
import { type ErrorClass, failedClass } from "./error-class.ts";
import { pauseAfter } from "./pace.ts";
import type { Snapshot } from "./state.ts";
import { nextOf } from "./turns.ts";

/** Where the run of a Workspace stands. */
export type Standing =
  | { readonly at: "idle"; readonly last?: LastRun; readonly dueAt?: Instant } // no `dueAt`: not before something changes
  | { readonly at: "left"; readonly run: LeftRun } // an earlier process began it
  | {
      readonly at: "running"; // or waiting for its turn
      readonly order: Order;
      readonly progress?: Progress;
      readonly state?: Snapshot;
      readonly isStopping: boolean;
    }
  | { readonly at: "ended"; readonly order: Order; readonly outcome: Outcome };

/** What is remembered of the last run in this process. */
export interface LastRun {
  readonly operation: Operation;
  readonly generation: number;
  readonly isBad: boolean;
  /** What was said of its failure. */
  readonly trouble?: SafeText;
}

/** One run that has ended, for metrics. */
export interface RunSample {
  readonly operation: Operation;
  readonly result: string;
  readonly took: Ms;
}

export interface RunsOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly random: Random;
  /** Runs at a time. */
  readonly concurrency: number;
  /** For one run. */
  readonly timeout: Ms;
  readonly onRun?: (sample: RunSample) => void;
}

interface Run {
  readonly order: Order;
  readonly left?: LeftRun;
  readonly count: number;
  readonly stop: AbortController;
  readonly began: Ms;
  state: "waiting" | "running" | "ended";
  outcome?: Outcome;
  progress?: Progress;
  shownAt?: Ms;
  snapshot?: Snapshot;
  timer?: Timer;
}

interface Entry {
  run?: Run;
  last?: LastRun;
  failures: number;
  dueAt?: Instant;
  timer?: Timer;
}

/** How often progress is shown, and only when something more is done. */
const showing: Ms = 5_000;
/** Until then every Workspace that there is has been looked at. */
const unclaimed: Ms = 60_000;
/** Its time is up, whatever the clock on the wall says by then. */
const overdue = instant(0);
/** How long is waited for runs that were asked to stop. */
const draining: Ms = 75_000;

export class Runs {
  readonly #options: RunsOptions;
  readonly #entries = new Map<string, Entry>();
  #wake: (name: Name) => void = () => {};
  #count = 0;
  #isDraining = false;
  #onSettled: () => void = () => {};

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  get engine(): Engine {
    return this.#options.engine;
  }

  /** Whether anything may be begun. */
  get isOpen(): boolean {
    return !this.#isDraining;
  }

  /** Tells the controller of news. Whoever stops listening has lost the right to write: its runs are stopped. */
  readonly source: Source = (wake) => {
    this.#wake = wake;
    const timer = this.#options.clock.after(unclaimed, () => void this.#abandon());
    return () => {
      timer.cancel();
      this.#wake = () => {};
      for (const uid of this.#entries.keys()) this.cancel(uid, "shutdown");
    };
  };

  async standing(uid: string): Promise<Standing> {
    const known = this.#entries.get(uid);
    if (known === undefined) {
      const left = await this.engine.left(uid);
      if (this.#entries.get(uid) === undefined) {
        if (left !== undefined) return { at: "left", run: left };
        this.#entries.set(uid, { failures: 0 });
      }
    }
    return standingOf(this.#entries.get(uid) ?? { failures: 0 });
  }

  isBusy(uid: string): boolean {
    return this.#entries.get(uid)?.run !== undefined;
  }

  /** Begins a run, or puts it into the row. `left` is the one that it goes on with. */
  start(order: Order, left?: LeftRun): void {
    const entry = this.#entries.get(order.uid) ?? { failures: 0 };
    this.#entries.set(order.uid, entry);
    if (entry.run !== undefined && entry.run.state !== "ended") return;
    const began = this.#options.clock.uptime();
    const run: Run = { order, count: this.#count++, stop: new AbortController(), began, state: "waiting" };
    entry.run = left === undefined ? run : { ...run, left };
    undue(entry);
    this.#pump();
  }

  /** Something ended before it could begin. */
  refuse(order: Order, outcome: Outcome): void {
    const entry = this.#entries.get(order.uid) ?? { failures: 0 };
    this.#entries.set(order.uid, entry);
    const began = this.#options.clock.uptime();
    entry.run = { order, count: this.#count++, stop: new AbortController(), began, state: "ended", outcome };
  }

  cancel(uid: string, why: Stopped["why"]): void {
    const run = this.#entries.get(uid)?.run;
    if (run === undefined || run.state === "ended" || run.stop.signal.aborted) return;
    run.stop.abort(new Stopped(why));
    if (run.state === "waiting") this.#end(run, { as: "stale" });
  }

  /** This state of a run that goes on is kept. */
  saved(uid: string, state: Snapshot): void {
    const run = this.#entries.get(uid)?.run;
    if (run?.snapshot === state) delete run.snapshot;
  }

  /** What a run came to has been told: it is over. The next one comes after a while, and at the latest after `within`. */
  settle(order: Order, outcome: Outcome, within: Ms = Number.POSITIVE_INFINITY): void {
    const entry = this.#entries.get(order.uid);
    if (entry === undefined || entry.run?.state !== "ended" || entry.run.order.id !== order.id) return;
    const isBad = outcome.as === "failed" || outcome.as === "stale";
    if (outcome.as !== "changes") entry.failures = isBad ? entry.failures + 1 : 0;
    const pause = pauseAfter(outcome, entry.failures, this.#options.random);
    delete entry.run;
    const { operation, generation } = order;
    const trouble = outcome.as === "failed" ? { trouble: troubleOf(outcome) } : {};
    entry.last = { operation, generation, isBad, ...trouble };
    undue(entry);
    if (pause !== undefined) this.#due(entry, order.workspace, Math.min(pause, within));
    this.#onSettled();
  }

  /** Nothing is known of the last run, and it went well: the next one comes at leisure. */
  rest(uid: string, workspace: Name): void {
    const entry = this.#entries.get(uid) ?? { failures: 0 };
    this.#entries.set(uid, entry);
    if (entry.dueAt !== undefined || entry.run !== undefined) return;
    this.#due(entry, workspace, pauseAfter({ as: "destroyed" }, 0, this.#options.random) ?? 0);
  }

  #due(entry: Entry, workspace: Name, pause: Ms): void {
    const { clock } = this.#options;
    entry.dueAt = plus(clock.now(), pause);
    entry.timer = clock.after(pause, () => {
      entry.dueAt = overdue;
      this.#wake(workspace);
    });
  }

  /** The Workspace is gone. */
  forget(uid: string): void {
    this.cancel(uid, "gone");
    undue(this.#entries.get(uid));
    this.#entries.delete(uid);
    this.#onSettled();
  }

  /**
   * Begins nothing more, stops what is going on, and resolves when everything that came of it has been told, or when waiting
   * for it has no more sense. To be called before the manager is stopped.
   */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const uid of this.#entries.keys()) this.cancel(uid, "shutdown");
    await new Promise<void>((resolve) => {
      const limit = this.#options.clock.after(draining, resolve);
      this.#onSettled = () => {
        if ([...this.#entries.values()].some(({ run }) => run !== undefined)) return;
        limit.cancel();
        resolve();
      };
      this.#onSettled();
    });
  }

  #pump(): void {
    const all = [...this.#entries.values()].flatMap(({ run }) => run ?? []);
    const waiting = () =>
      all
        .filter(({ state }) => state === "waiting")
        .map((run) => ({ run, operation: run.order.operation, order: run.count }));
    for (const { run } of waiting()) if (run.left !== undefined) this.#begin(run); // it is going on already
    while (all.filter(({ state }) => state === "running").length < this.#options.concurrency) {
      const next = nextOf(waiting());
      if (next === undefined) return;
      this.#begin(next.run);
    }
  }

  #begin(run: Run): void {
    const { clock, engine, timeout } = this.#options;
    const { order, left, stop } = run;
    run.state = "running";
    const since = left === undefined ? clock.now() : Math.min(left.startedAt, clock.now());
    run.timer = clock.after(since + timeout - clock.now(), () => stop.abort(new Stopped("timeout")));
    const desk = {
      signal: stop.signal,
      progress: (progress: Progress) => this.#progressed(run, progress),
      state: (state: Snapshot) => {
        run.snapshot = state;
        this.#wake(order.workspace);
      },
    };
    const work = left === undefined ? engine.run(order, desk) : engine.resume(left, order, desk);
    void work.then(
      (outcome) => this.#end(run, outcome),
      // The machine itself failed: a full disk, no more processes.
      (error: unknown) => {
        const message = sanitize(error);
        this.#end(run, { as: "failed", class: failedClass[order.operation], message });
      },
    );
  }

  #end(run: Run, outcome: Outcome): void {
    const { clock, onRun } = this.#options;
    const { operation, workspace } = run.order;
    run.timer?.cancel();
    run.state = "ended";
    run.outcome = outcome;
    const result = outcome.as === "failed" ? outcome.class : outcome.as;
    onRun?.({ operation, result, took: clock.uptime() - run.began });
    this.#wake(workspace);
    this.#pump();
  }

  #progressed(run: Run, progress: Progress): void {
    const now = this.#options.clock.uptime();
    const isMore = run.progress === undefined || progress.done !== run.progress.done;
    if (!isMore || (run.shownAt !== undefined && now - run.shownAt < showing)) return;
    run.progress = progress;
    run.shownAt = now;
    this.#wake(run.order.workspace);
  }

  /** What an earlier process left running for Workspaces that are not there any more. */
  async #abandon(): Promise<void> {
    const known = await this.engine.known().catch(() => []);
    for (const uid of known) if (!this.#entries.has(uid)) await this.engine.abandon(uid).catch(() => {});
  }
}

/** How a failure is said. */
export const troubleOf = (outcome: { readonly class: ErrorClass; readonly message: SafeText }): SafeText =>
  text`${outcome.class}: ${outcome.message}`;

function undue(entry: Entry | undefined): void {
  entry?.timer?.cancel();
  delete entry?.timer;
  delete entry?.dueAt;
}

function standingOf({ run, last, dueAt }: Entry): Standing {
  if (run === undefined) {
    return { at: "idle", ...(last === undefined ? {} : { last }), ...(dueAt === undefined ? {} : { dueAt }) };
  }
  const { order, outcome, progress, snapshot, stop } = run;
  if (run.state === "ended" && outcome !== undefined) return { at: "ended", order, outcome };
  return {
    at: "running",
    order,
    isStopping: stop.signal.aborted,
    ...(progress === undefined ? {} : { progress }),
    ...(snapshot === undefined ? {} : { state: snapshot }),
  };
}
