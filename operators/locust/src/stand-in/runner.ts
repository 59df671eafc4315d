// The machine inside a master: which workers there are, when load begins and ends, and with which code the process exits. It is
// moved by a clock and by those who call it; it listens to nothing.
import type { Clock, Timer } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";
import type { Load } from "./load.ts";

export type State = "ready" | "spawning" | "running" | "stopping" | "stopped";
export type WorkerState = "ready" | "spawning" | "running" | "missing";

export interface Worker {
  readonly id: string;
  readonly state: WorkerState;
  readonly users: number;
}

export interface RunOptions {
  readonly users?: number;
  readonly spawnRate?: number;
  readonly runTime?: Ms;
  readonly expectWorkers: number;
  /** Absent: for ever. */
  readonly expectWorkersMaxWait?: Ms;
  readonly autostart: boolean;
  readonly headless: boolean;
  /** Absent: never. */
  readonly autoquit?: Ms;
  readonly rebalancing: boolean;
  readonly resetStats: boolean;
  readonly exitCodeOnError: number;
}

interface Member {
  readonly id: string;
  isMissing: boolean;
  silence?: Timer;
  /** Told when it shall quit. */
  readonly onQuit: () => void;
}

const silent: Ms = 4_000; // without a heartbeat until a worker counts as missing
const forgotten: Ms = 60_000; // until a missing one is taken off the list
const stopTakes: Ms = 100;
const quitTakes: Ms = 500;

export class Runner {
  readonly load: Load;
  readonly #clock: Clock;
  readonly #options: RunOptions;
  readonly #members = new Map<string, Member>();
  readonly #timers = new Set<Timer>();
  /** Who has users, in the order in which they got them. */
  #dispatched: readonly string[] = [];
  #ramp: { readonly at: Instant; readonly from: number; readonly to: number; readonly rate: number } | undefined;
  #state: State = "ready";
  #forced: { users?: number } = {};
  #outcome: { exitCode?: number; exceptions: number; crashed: boolean } = { exceptions: 0, crashed: false };
  #exit: (code: number) => void = () => {};
  #isOver = false;
  /** The code of the process, once it has ended. */
  readonly exited: Promise<number>;

  constructor(load: Load, clock: Clock, options: RunOptions) {
    this.load = load;
    this.#clock = clock;
    this.#options = options;
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    if (options.autostart || options.headless) this.#expect(clock.now());
  }

  get state(): State {
    return this.#state;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get workers(): readonly Worker[] {
    const users = this.#spread(this.#clock.now());
    return [...this.#members.values()].map(({ id, isMissing }) => ({
      id,
      state: isMissing ? "missing" : this.#isLoaded ? "running" : "ready",
      users: isMissing ? 0 : (users.get(id) ?? 0),
    }));
  }

  get workerCount(): number {
    return this.#connected.length;
  }

  get users(): number {
    return this.#usersAt(this.#clock.now());
  }

  get exceptions(): number {
    return this.#outcome.exceptions;
  }

  /** Numbers up to now. */
  look(): void {
    this.load.work(this.#clock.now(), (at) => this.#usersAt(at));
  }

  /** A worker has connected. `onQuit`: the master tells it to quit. */
  join(id: string, onQuit: () => void = () => {}): void {
    if (this.#isOver) return;
    const known = this.#members.get(id);
    known?.silence?.cancel();
    this.look();
    this.#members.set(id, { id, isMissing: false, onQuit });
    if (this.#state === "running") this.#redistribute();
  }

  /** A worker is there, after all. */
  beat(id: string): void {
    const member = this.#members.get(id);
    member?.silence?.cancel();
    if (member === undefined || !member.isMissing) return;
    this.look();
    member.isMissing = false;
    if (this.#state === "running") this.#redistribute();
  }

  /** Nothing is heard of a worker from now on. */
  lose(id: string): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    member.silence?.cancel();
    member.silence = this.#after(silent, () => {
      this.look();
      member.isMissing = true;
      member.silence = this.#after(forgotten, () => this.#members.delete(id));
      this.#lessWorkers("missing");
    });
  }

  /** A worker says goodbye. */
  leave(id: string): void {
    if (!this.#members.has(id)) return;
    this.look();
    this.#members.get(id)?.silence?.cancel();
    this.#members.delete(id);
    this.#lessWorkers("quit");
  }

  /** Begins the test, or changes it. False: there is nobody to make load. */
  start(users: number, rate: number): boolean {
    if (this.#connected.length === 0 || this.#isOver) return false;
    this.look();
    const now = this.#clock.now();
    const from = this.#isLoaded ? this.users : 0;
    if (!this.#isLoaded) this.load.begin(now);
    this.#forced = {};
    this.#ramp = { at: now, from, to: users, rate };
    this.#dispatched = this.#connected;
    this.#state = "spawning";
    this.#after(this.#rampTime(), () => {
      if (this.#state !== "spawning") return;
      this.look();
      this.#dispatched = this.#connected;
      this.#state = "running";
      if (this.#options.resetStats) this.load.reset();
    });
    return true;
  }

  /** Load ends by itself, and nothing else does. */
  stopIn(delay: Ms): void {
    this.#after(delay, () => this.stop());
  }

  stop(then: () => void = () => {}): void {
    if (!this.#isLoaded) {
      then();
      return;
    }
    this.look();
    this.#state = "stopping";
    this.#ramp = undefined;
    this.#forced = {};
    // Each worker is taken off the list and put on it again: for a moment there is none.
    const members = [...this.#members.values()].filter(({ isMissing }) => !isMissing);
    for (const { id } of members) this.#members.delete(id);
    this.#after(stopTakes, () => {
      for (const member of members) if (!this.#members.has(member.id)) this.#members.set(member.id, member);
      this.#state = "stopped";
      then();
    });
  }

  /** Sends the workers away, and ends. */
  quit(code?: number): void {
    this.look();
    const exitCode = code ?? this.exitCode;
    if (this.#isLoaded) this.#state = "stopped";
    this.#ramp = undefined;
    for (const { id, onQuit } of [...this.#members.values()]) {
      this.#members.delete(id);
      onQuit();
    }
    this.#after(quitTakes, () => this.end(exitCode));
  }

  /** The process is gone, at once. */
  end(code: number): void {
    this.#isOver = true;
    for (const timer of this.#timers) timer.cancel();
    this.#exit(code);
  }

  /** With which code it would exit now. */
  get exitCode(): number {
    const { exitCode, exceptions, crashed } = this.#outcome;
    if (exitCode !== undefined) return exitCode;
    if (this.load.failures.size > 0 || exceptions > 0) return this.#options.exitCodeOnError;
    return crashed ? 2 : 0;
  }

  /** What the code of the test did. */
  outcome(change: { readonly exitCode?: number; readonly exceptions?: number; readonly crashed?: boolean }): void {
    this.#outcome = { ...this.#outcome, ...change };
  }

  /** Things are as somebody says, whatever led there. */
  force(change: { readonly state?: State; readonly users?: number }): void {
    this.look();
    if (change.state !== undefined) this.#state = change.state;
    if (change.users !== undefined) this.#forced = { users: change.users };
  }

  /** The list is as somebody says. */
  forceWorkers(list: readonly { readonly id: string; readonly state: WorkerState }[]): void {
    this.#members.clear();
    for (const { id, state } of list) this.#members.set(id, { id, isMissing: state === "missing", onQuit: () => {} });
    this.#dispatched = this.#connected;
  }

  get #isLoaded(): boolean {
    return this.#state === "spawning" || this.#state === "running";
  }

  get #connected(): readonly string[] {
    return [...this.#members.values()].filter(({ isMissing }) => !isMissing).map(({ id }) => id);
  }

  /** Looks once a second whether all are there. */
  #expect(since: Instant): void {
    if (this.#isOver || this.#isLoaded) return;
    const { expectWorkers, expectWorkersMaxWait, users = 1, spawnRate = 1, runTime } = this.#options;
    if (this.#connected.length >= expectWorkers) {
      this.start(users, spawnRate);
      if (runTime !== undefined && runTime > 0) this.#after(runTime, () => this.#timeIsUp());
      return;
    }
    const waited = this.#clock.now() - since;
    if (expectWorkersMaxWait !== undefined && waited > expectWorkersMaxWait) this.quit(1);
    else this.#after(1_000, () => this.#expect(since));
  }

  #timeIsUp(): void {
    const { headless, autostart, autoquit } = this.#options;
    if (headless) {
      this.quit();
      return;
    }
    this.stop(() => {
      if (autostart && autoquit !== undefined) this.#after(autoquit, () => this.quit());
    });
  }

  #lessWorkers(how: "missing" | "quit"): void {
    if (this.#connected.length > 0) {
      if (this.#state === "running" && (how === "quit" || this.#options.rebalancing)) this.#redistribute();
      return;
    }
    if (!this.#isLoaded) {
      if (this.#state === "ready") this.#state = "stopped";
      return;
    }
    this.stop(() => {
      if (how === "quit" && this.#options.headless) this.quit();
    });
  }

  /** The same users for those who are there now. */
  #redistribute(): void {
    this.look();
    if (this.#ramp === undefined) {
      this.#dispatched = this.#connected;
      return;
    }
    const { to } = this.#ramp;
    this.#ramp = { at: this.#clock.now(), from: to, to, rate: 1 };
    this.#dispatched = this.#connected;
    this.#state = "spawning";
    this.#after(stopTakes, () => {
      if (this.#state === "spawning") this.#state = "running";
    });
  }

  #rampTime(): Ms {
    const { from = 0, to = 0, rate = 1 } = this.#ramp ?? {};
    return (Math.max(1, Math.ceil(Math.abs(to - from) / rate)) - 1) * 1_000 + stopTakes;
  }

  /** Those of workers that went are nobody's until they are dispatched again. */
  #usersAt(at: Instant): number {
    if (this.#forced.users !== undefined) return this.#forced.users;
    const spread = this.#spread(at);
    return this.#connected.reduce((sum, id) => sum + (spread.get(id) ?? 0), 0);
  }

  /** Users by worker: about as many for each. */
  #spread(at: Instant): ReadonlyMap<string, number> {
    const total = this.#forced.users ?? this.#ramped(at);
    const count = this.#dispatched.length;
    return new Map(
      this.#dispatched.map((id, i) => [id, Math.floor(total / count) + (i < total % count ? 1 : 0)] as const),
    );
  }

  #ramped(now: Instant): number {
    if (this.#ramp === undefined) return 0;
    const { at, from, to, rate } = this.#ramp;
    const spawned = Math.ceil(rate * (Math.floor((now - at) / 1_000) + 1));
    return from <= to ? Math.min(to, from + spawned) : Math.max(to, from - spawned);
  }

  #after(delay: Ms, call: () => void): Timer {
    const own: Timer = {
      cancel: () => {
        timer.cancel();
        this.#timers.delete(own);
      },
    };
    const timer = this.#clock.after(delay, () => {
      this.#timers.delete(own);
      if (!this.#isOver) call();
    });
    this.#timers.add(own);
    return own;
  }
}
