// One run of a container: its process and what belongs to it, from its start to its end. It tells what happens to it, and stops
// when it is told to.
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";
import type { PodEvent, Terminated } from "../kubelet/pod-runtime.ts";
import type { Child, Children, Exit } from "./children.ts";
import type { ProcessRef } from "./container.ts";
import { Deadline } from "./deadline.ts";
import { Health } from "./health.ts";
import { runHook } from "./hook.ts";
import { lastWords } from "./last-words.ts";
import type { LogFile } from "./log-file.ts";
import type { Launch } from "./plan.ts";
import type { Target } from "./probe.ts";
import { runInside } from "./run-inside.ts";
import type { Member, Probe } from "./spec.ts";
import type { Condemnation, Watchdog } from "./watchdog.ts";

export interface InstanceRequest {
  readonly member: Member;
  readonly launch: Launch;
  readonly owner: string;
  readonly containerID: string;
  readonly startedAt: Instant;
  readonly log: LogFile;
  readonly address: Target["address"];
  /** Where a probe ends it: how long it may take. */
  readonly grace: (probe?: Probe) => Ms;
  readonly children: Children;
  readonly watchdog: Watchdog;
  readonly clock: Clock;
  readonly event: (event: PodEvent) => void;
  /** It became started, ready or neither. */
  readonly changed: () => void;
  readonly ended: (how: Terminated) => void;
}

/** A shorter time than this nobody can end in. */
const shortestGrace: Ms = 2_000;
/** Something that left the container may hold its pipes: nobody waits longer for that. */
const longestDrain: Ms = 2_000;

export class Instance {
  readonly process: ProcessRef;
  /** The postStart hook is through: only then a container counts as running. */
  isSettled = false;
  /** Undefined while it runs. */
  exitCode: number | undefined;
  readonly #request: InstanceRequest;
  readonly #main: Child;
  readonly #health: Health;
  /** Commands that run beside the main process. */
  readonly #beside = new Set<Child>();
  /** Aborts when the main process has ended. */
  readonly #life = new AbortController();
  readonly #gone: Promise<void>;
  #verdict: Condemnation | undefined;
  #stopping: Stopping | undefined;

  /** Starts the process. Rejects with a refusal when that cannot be done. */
  static async begin(request: InstanceRequest): Promise<Instance> {
    const { launch, member, owner, children } = request;
    mkdirSync(dirname(launch.terminationLog), { recursive: true });
    const there = lstatSync(launch.terminationLog, { throwIfNoEntry: false });
    if (there !== undefined && !there.isDirectory()) rmSync(launch.terminationLog);
    const stdin = member.container.stdin === true ? "pipe" : "none";
    const main = await children.start({ argv: launch.argv, env: launch.env, cwd: launch.cwd, stdin, owner });
    return new Instance(request, main);
  }

  private constructor(request: InstanceRequest, main: Child) {
    this.#request = request;
    this.#main = main;
    this.process = main.process;
    const { log, watchdog, owner, launch, clock, event, changed, grace } = request;
    this.#health = new Health({
      container: request.member.container,
      target: this.#target("expanded"),
      clock,
      life: this.#life.signal,
      event,
      changed,
      fail: (probe, message) => this.stop({ grace: grace(probe), signal: "now", message }),
    });
    const drained = Promise.all([log.take("stdout", main.stdout), log.take("stderr", main.stderr)]);
    watchdog.watch({ owner, memoryBytes: launch.memoryBytes, condemn: (verdict) => this.#condemn(verdict) });
    this.#gone = main.exited.then((exit) => this.#finish(exit, drained));
    void this.#settle();
  }

  get isStarted(): boolean {
    return this.#health.isStarted;
  }

  get isReady(): boolean {
    return this.#health.isReady;
  }

  /** The pod is being deleted: whether it has started or lives plays no part any more. */
  onlyReadiness(): void {
    this.#health.onlyReadiness();
  }

  /** Resolves when it has ended with everything that belongs to it. */
  get gone(): Promise<void> {
    return this.#gone;
  }

  get log(): LogFile {
    return this.#request.log;
  }

  get stdin(): Child["stdin"] {
    return this.#main.stdin;
  }

  /** Whoever wrote to it has nothing more to say. Its input ends only if it is for one writer. */
  closeInput(): void {
    if (this.#request.member.container.stdinOnce === true) this.#main.stdin?.end();
  }

  /** Runs a command beside the main process, in its environment. It ends with the container at the latest; release it before. */
  async exec(argv: readonly string[], stdin: "pipe" | "none"): Promise<Child> {
    const { launch, owner, children } = this.#request;
    if (this.#life.signal.aborted) throw new Error(`container ${this.#request.member.container.name} has ended`);
    const started = await children.start({ argv, env: launch.env, cwd: launch.cwd, stdin, owner });
    const child: Child = {
      ...started,
      release: () => {
        this.#beside.delete(child);
        started.release();
      },
    };
    this.#beside.add(child);
    if (this.#life.signal.aborted) child.signal("SIGKILL");
    return child;
  }

  /** A command of a person, with the paths of the container. */
  translated(argv: readonly string[]): readonly string[] {
    return argv.map(this.#request.launch.translate);
  }

  /**
   * Ends it: its preStop hook first, then SIGTERM, and SIGKILL when the grace is over. Said again, the grace can only become
   * shorter. Held, it gets its signal when it is said again without.
   */
  stop({ grace, signal, message }: { grace: Ms; signal: "now" | "hold"; message?: string }): void {
    if (this.#stopping === undefined) {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      this.#stopping = { deadline: new Deadline(this.#request.clock, grace), release, released };
      void this.#windDown(this.#stopping, grace, message);
    } else this.#stopping.deadline.atMost(grace);
    if (signal === "now") this.#stopping.release();
  }

  /** Asks it to end, and nothing more. */
  terminate(): void {
    this.#main.signal("SIGTERM");
  }

  /** Ends it at once, without a word. */
  async kill(): Promise<void> {
    this.#killAll();
    await this.#gone;
  }

  async #windDown(stopping: Stopping, grace: Ms, message: string | undefined): Promise<void> {
    const { member, clock, event } = this.#request;
    const { deadline, released } = stopping;
    const { name, lifecycle } = member.container;
    event({ type: "Normal", reason: "Killing", message: message ?? `Stopping container ${name}` });
    const hook = lifecycle?.preStop;
    if (hook !== undefined && grace > 0) {
      const done = runHook(hook, this.#target(), clock, this.#life.signal).catch(() => {
        if (!this.#life.signal.aborted)
          event({ type: "Warning", reason: "FailedPreStopHook", message: "PreStopHook failed" });
      });
      await Promise.race([done, deadline.passed, this.#gone]);
    }
    await Promise.race([released, deadline.passed, this.#gone]);
    if (this.#life.signal.aborted) {
      deadline.cancel();
      return;
    }
    this.#main.signal("SIGTERM");
    const least = new Deadline(clock, shortestGrace);
    await Promise.race([Promise.all([deadline.passed, least.passed]), this.#gone]);
    for (const it of [deadline, least]) it.cancel();
    if (!this.#life.signal.aborted) this.#killAll();
  }

  #killAll(): void {
    for (const child of [this.#main, ...this.#beside]) child.signal("SIGKILL");
    void this.#request.children.end(this.#request.owner);
  }

  #condemn(verdict: Condemnation): void {
    this.#verdict ??= verdict;
    void this.#request.children.end(this.#request.owner, "freeze first").then(() => this.#main.signal("SIGKILL"));
  }

  /** postStart, then the probes. */
  async #settle(): Promise<void> {
    const { member, clock, event, changed, grace } = this.#request;
    const hook = member.container.lifecycle?.postStart;
    if (hook !== undefined) {
      try {
        await runHook(hook, this.#target(), clock, this.#life.signal);
      } catch {
        if (this.#life.signal.aborted) return;
        event({ type: "Warning", reason: "FailedPostStartHook", message: "PostStartHook failed" });
        this.stop({ grace: grace(), signal: "now", message: "FailedPostStartHook" });
        return;
      }
    }
    if (this.#life.signal.aborted) return;
    this.isSettled = true;
    this.#health.begin();
    if (hook !== undefined) changed(); // without one, whoever started it sees it at once
  }

  #target(commands: "as given" | "expanded" = "as given"): Target {
    const { address, launch } = this.#request;
    return {
      address,
      run: async (command, signal) => {
        const argv = command.map(commands === "expanded" ? launch.expand : launch.translate);
        return runInside(await this.exec(argv, "none"), signal);
      },
    };
  }

  async #finish(exit: Exit, drained: Promise<unknown>): Promise<void> {
    const { clock, children, watchdog, owner, log, startedAt, containerID, launch, member } = this.#request;
    const finishedAt = clock.now();
    this.exitCode = exit.exitCode;
    this.#life.abort();
    watchdog.forget(owner);
    this.#killAll();
    await children.end(owner, "freeze first");
    log.hurry();
    const drain = new Deadline(clock, longestDrain);
    await Promise.race([drained, drain.passed]);
    drain.cancel();
    for (const stream of [this.#main.stdout, this.#main.stderr]) stream.destroy();
    await drained;
    await log.close().catch(() => {});
    for (const child of [this.#main, ...this.#beside]) child.release();
    const verdict = this.#verdict;
    const reason = verdict?.reason ?? (exit.exitCode === 0 ? "Completed" : "Error");
    const words = await lastWords(launch.terminationLog, member.container, exit.exitCode, log).catch(() => "");
    const message = verdict === undefined ? words : [verdict.message, words].filter((it) => it !== "").join(": ");
    this.#request.ended({
      ...exit,
      reason,
      ...(message === "" ? {} : { message }),
      startedAt,
      finishedAt,
      containerID,
    });
  }
}

interface Stopping {
  readonly deadline: Deadline;
  readonly release: () => void;
  readonly released: Promise<void>;
}
