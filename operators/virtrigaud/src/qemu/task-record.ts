// A piece of work that goes on after its answer, as it is on disk, and what becomes of it when the provider starts again. Pure.
import type { Code } from "../contract/rpc-error.ts";

export interface TaskRecord {
  readonly id: string;
  readonly op: string;
  readonly vmId: string;
  /** Machines that nobody else may change meanwhile. */
  readonly holds: readonly string[];
  /** A request id or a hash of what was asked for: an unfinished task with the same key is the same task. */
  readonly key: string;
  readonly state: "queued" | "running" | "done" | "failed";
  readonly stage: string;
  /** -1 where nobody knows. */
  readonly percent: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly error?: { readonly code: Code; readonly message: string };
  readonly result: Readonly<Record<string, string | number | boolean>>;
  readonly startedAt: string;
  readonly finishedAt?: string;
  /** How often the current step has been begun. */
  readonly attempt: number;
  readonly kind: StepKind;
  readonly pid?: number;
  readonly pidStart?: string;
  readonly steps: readonly string[];
  /** The step that is being done. */
  readonly current: number;
  /** What the steps need to know. Nothing secret: it is stored. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** How a step is done: by a program of its own, by a job inside QEMU, or here. */
export type StepKind = "proc" | "qmp" | "steps";

/** What is there of a task that was not finished. */
export interface Found {
  /** The exit code that its program left. */
  readonly rc?: number;
  /** Its program, with the same start time, still runs. */
  readonly isAlive?: boolean;
  /** For a job: it is in QEMU, QEMU has none of that name, or there is no QEMU. */
  readonly job?: "present" | "missing" | "dead";
}

export type Next =
  /** Its program is done: go on with its exit code. */
  | { readonly do: "collect"; readonly rc: number }
  /** Wait for what still runs. */
  | { readonly do: "watch" }
  /** Begin its step once more. */
  | { readonly do: "repeat" }
  /** QEMU knows nothing of it: see whether its effect is there. */
  | { readonly do: "look" }
  | { readonly do: "fail"; readonly message: string };

export const mostAttempts = 3;

export function onRestart(record: TaskRecord, found: Found): Next {
  if (record.state === "queued") return { do: "repeat" };
  switch (record.kind) {
    case "proc":
      if (found.rc !== undefined) return { do: "collect", rc: found.rc };
      if (found.isAlive === true) return { do: "watch" };
      break;
    case "qmp":
      if (found.job === "present") return { do: "watch" };
      return found.job === "missing" ? { do: "look" } : { do: "fail", message: "VM process ended" };
    case "steps":
      break;
  }
  return record.attempt < mostAttempts ? { do: "repeat" } : { do: "fail", message: "interrupted by provider restart" };
}

const keptFor = 24 * 3_600_000;
const keptAtLeast = 1000;

/** Which finished tasks are forgotten: those of more than a day ago, beyond the last thousand. */
export function outdated(records: readonly TaskRecord[], now: number): readonly string[] {
  return records
    .flatMap(({ id, finishedAt }) => (finishedAt === undefined ? [] : [{ id, at: Date.parse(finishedAt) }]))
    .sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))
    .slice(keptAtLeast)
    .filter(({ at }) => now - at > keptFor)
    .map(({ id }) => id);
}
