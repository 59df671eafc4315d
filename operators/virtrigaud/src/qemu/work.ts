// What a task is made of: steps, each of which can be repeated, and what a step knows of its task.
import { RpcError } from "../contract/rpc-error.ts";
import { QmpError } from "./qmp.ts";
import type { TaskRecord } from "./task-record.ts";

export interface Work {
  /** Copies much: only so many of these run at once. */
  readonly isCopy: boolean;
  steps(record: TaskRecord): readonly Step[];
  /** Takes away what a failed task has left. Repeatable. */
  undo?(record: TaskRecord): Promise<void>;
}

export type Step = { readonly name: string; readonly stage: string } & (
  | { readonly kind: "steps"; run(task: Doing): Promise<void> }
  /** A program that outlives the provider; none where there is nothing to do. */
  | {
      readonly kind: "proc";
      argv(task: Doing): Promise<readonly string[] | undefined>;
    }
  /** A job inside QEMU, with the task's id. */
  | {
      readonly kind: "qmp";
      start(job: string): Promise<void>;
      find(job: string): Promise<"present" | "missing" | "dead">;
      watch(job: string, task: Doing): Promise<void>;
      isDone(): Promise<boolean>;
    }
);

/** A task from inside its steps. */
export interface Doing {
  readonly record: TaskRecord;
  readonly signal: AbortSignal;
  /** What only this process knows: gone after a restart. */
  readonly secrets: Readonly<Record<string, string>> | undefined;
  progress(part: Partial<Pick<TaskRecord, "percent" | "bytesDone" | "bytesTotal" | "stage">>): void;
  result(part: TaskRecord["result"]): void;
}

/** What work is to be begun. */
export type NewTask = Pick<TaskRecord, "op" | "vmId" | "holds" | "key" | "params"> & {
  readonly id?: string;
  readonly bytesTotal?: number;
  readonly secrets?: Readonly<Record<string, string>>;
};

/** What a step threw, as what the caller is told. */
export function rpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT"))
    return new RpcError("RESOURCE_EXHAUSTED", "no space left on the host's disk");
  if (error instanceof QmpError) {
    const code = error.class === "Timeout" ? "UNAVAILABLE" : error.class === "Closed" ? "ABORTED" : "INTERNAL";
    return new RpcError(code, `QEMU: ${error.message.slice(0, 256)}`, { cause: error });
  }
  // The system's own messages have the host's paths in them.
  if (error instanceof Error && "code" in error && "syscall" in error)
    return new RpcError("INTERNAL", `the host's disk: ${String(error.code)} from ${String(error.syscall)}`, {
      cause: error,
    });
  return new RpcError("INTERNAL", error instanceof Error ? error.message : "failed", { cause: error });
}
