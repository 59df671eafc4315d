// Keeps containers within their limits of processes and memory, by looking. It looks rarely while nothing grows: the kernel
// tells for next to nothing how many processes began, and only that many can have been added.
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Census } from "./census.ts";
import { hasProc, memoryOf, newestPid } from "./proc.ts";

export interface Watched {
  readonly owner: string;
  readonly memoryBytes?: number | undefined;
  /** It went beyond a limit: it has to end. */
  condemn(verdict: Condemnation): void;
}

export interface Condemnation {
  readonly reason: "OOMKilled" | "ProcessLimitExceeded";
  readonly message: string;
}

const glance: Ms = 100;
const leisurely: Ms = 5_000;
const attentive: Ms = 1_000;
const alarmed: Ms = 250;

export class Watchdog {
  readonly #census: Census;
  readonly #clock: Clock;
  readonly #maxProcesses: number;
  readonly #watched = new Map<string, Watched>();
  #timer: Timer | undefined;
  #newest = 0;
  #lookedAt = 0;
  #pace: Ms = 0;
  /** How many processes may begin before it looks again. */
  #slack = 0;

  constructor(census: Census, clock: Clock, maxProcesses: number) {
    this.#census = census;
    this.#clock = clock;
    this.#maxProcesses = maxProcesses;
  }

  watch(it: Watched): void {
    if (!hasProc) return;
    this.#watched.set(it.owner, it);
    if (it.memoryBytes !== undefined) this.#pace = Math.min(this.#pace, attentive);
    this.#timer ??= this.#clock.after(glance, () => this.#glance());
  }

  forget(owner: string): void {
    this.#watched.delete(owner);
    if (this.#watched.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #glance(): void {
    this.#timer = undefined;
    const newest = newestPid() ?? 0;
    const begun = newest < this.#newest ? Number.POSITIVE_INFINITY : newest - this.#newest;
    if (begun >= this.#slack || this.#clock.uptime() - this.#lookedAt >= this.#pace) {
      this.#newest = newest;
      this.#look();
    }
    if (this.#watched.size > 0) this.#timer ??= this.#clock.after(glance, () => this.#glance());
  }

  #look(): void {
    this.#lookedAt = this.#clock.uptime();
    const census = this.#census.take();
    let most = 0;
    let pace = leisurely;
    for (const it of [...this.#watched.values()]) {
      const processes = census.get(it.owner) ?? [];
      most = Math.max(most, processes.length);
      if (processes.length > this.#maxProcesses) {
        this.forget(it.owner);
        it.condemn({
          reason: "ProcessLimitExceeded",
          message: `the container had ${processes.length} processes, more than the ${this.#maxProcesses} that it may have`,
        });
      } else if (it.memoryBytes !== undefined) {
        const used = processes.reduce((sum, { pid }) => sum + memoryOf(pid), 0);
        pace = Math.min(pace, used * 2 > it.memoryBytes ? alarmed : attentive);
        if (used <= it.memoryBytes) continue;
        this.forget(it.owner);
        it.condemn({
          reason: "OOMKilled",
          message: `the container used ${used} bytes of memory, more than its limit of ${it.memoryBytes}`,
        });
      }
    }
    this.#pace = pace;
    this.#slack = Math.max(8, Math.floor((this.#maxProcesses - most) / 2));
  }
}
