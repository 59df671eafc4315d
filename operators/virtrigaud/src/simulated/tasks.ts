// Work that goes on after an answer. Nothing waits for it: whoever looks at the host finds done what is due by then.
import type { Clock } from "@telltale/clock";
import { type Instant, type Ms, plus } from "@telltale/kinds";
import type { Reply } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";

export interface Work {
  readonly takes: Ms;
  readonly stage: string;
  readonly bytes?: bigint;
  /** What is so at the end, which was then. Throws where it fails. The result goes into the task's answer. */
  readonly end: (at: Instant) => object | undefined;
  /** It never comes to its end: what was begun is undone. */
  readonly lost?: () => void;
}

interface Task {
  readonly id: string;
  readonly work: Work;
  readonly began: Instant;
  readonly ends: Instant;
  outcome?: { readonly result?: object } | { readonly error: string };
  isForgotten: boolean;
}

export class Tasks {
  readonly #clock: Clock;
  readonly #all = new Map<string, Task>();
  /** Not yet at their end. */
  readonly #open = new Set<Task>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(work: Work): { id: string } {
    this.#last += 1;
    const began = this.#clock.now();
    const ends = plus(began, Math.max(0, work.takes));
    const task: Task = { id: `task-${this.#last}`, work, began, ends, isForgotten: false };
    this.#all.set(task.id, task);
    this.#open.add(task);
    return { id: task.id };
  }

  /** Brings to their end those that are due, in the order of time. */
  settle(): void {
    if (this.#open.size === 0) return;
    const now = this.#clock.now();
    const due = [...this.#open].filter(({ ends }) => ends <= now).sort((a, b) => a.ends - b.ends);
    for (const task of due) {
      this.#open.delete(task);
      task.outcome = outcomeOf(task.work, task.ends);
    }
  }

  isOpen(id: string): boolean {
    const task = this.#all.get(id);
    return task !== undefined && !task.isForgotten && this.#open.has(task);
  }

  status(id: string, failed: "done" | "running"): Reply<"taskStatus"> {
    const task = this.#all.get(id);
    if (task === undefined || task.isForgotten) return { done: true, error: "task not found" };
    const { work, outcome } = task;
    if (outcome === undefined) {
      const share = (this.#clock.now() - task.began) / Math.max(1, task.ends - task.began);
      const percent = Math.min(99, Math.floor(share * 100));
      const bytes =
        work.bytes === undefined ? {} : { bytesTotal: work.bytes, bytesDone: (work.bytes * BigInt(percent)) / 100n };
      return { done: false, percent, stage: work.stage, ...bytes };
    }
    if ("error" in outcome) return { done: failed === "done", error: outcome.error, percent: -1 };
    const { result } = outcome;
    return { done: true, percent: 100, ...(result === undefined ? {} : { resultJson: JSON.stringify(result) }) };
  }

  /** As after a restart: no id is known any more. What was under way goes on all the same, or is lost. */
  forget(work: "goes on" | "is lost"): void {
    for (const task of this.#all.values()) task.isForgotten = true;
    if (work === "goes on") return;
    for (const task of this.#open) task.work.lost?.();
    this.#open.clear();
  }
}

function outcomeOf(work: Work, at: Instant): { readonly result?: object } | { readonly error: string } {
  try {
    const result = work.end(at);
    return result === undefined ? {} : { result };
  } catch (error) {
    if (error instanceof RpcError) return { error: error.message };
    throw error;
  }
}
