// What the answer about a task means (2.10), and which tasks of a provider have not ended yet.
import type { SafeText } from "@telltale/status";
import type { Answer, Method, Request } from "../contract/contract.ts";
import { redact } from "../redact.ts";
import { ProviderError } from "./provider-error.ts";

export type Task =
  | {
      readonly is: "running";
      /** Undefined where the provider says nothing. */
      readonly percent?: number;
      readonly stage?: SafeText;
      readonly bytesDone?: number;
      readonly bytesTotal?: number;
    }
  | { readonly is: "done"; readonly result?: TaskResult }
  | { readonly is: "failed"; readonly said: SafeText } // for good, whatever else the answer says
  | { readonly is: "forgotten" }; // the provider has begun anew: look at how things are

/** What a task has brought about, where the provider tells: by the names of 4.9. */
export type TaskResult = Readonly<Record<string, unknown>>;

export function taskOf(answer: Answer<"taskStatus">): Task {
  const { done, error } = answer;
  if (done && /not found/i.test(error)) return { is: "forgotten" };
  if (error !== "") return { is: "failed", said: redact(error) };
  if (done) {
    const result = resultOf(answer.resultJson);
    return { is: "done", ...(result && { result }) };
  }
  const { stage, bytesDone, bytesTotal } = answer;
  const percent = percentOf(answer);
  return {
    is: "running",
    ...(percent !== undefined && { percent }),
    ...(stage !== "" && { stage: redact(stage) }),
    ...(bytesTotal > 0n && { bytesDone: countOf(bytesDone, bytesTotal), bytesTotal: countOf(bytesTotal, bytesTotal) }),
  };
}

/** A zero is one only where the provider tells anything at all: old ones send none of these. */
function percentOf({ percent, stage, bytesDone, bytesTotal }: Answer<"taskStatus">): number | undefined {
  if (percent > 0) return Math.min(100, percent);
  if (bytesTotal > 0n) return Math.floor((100 * countOf(bytesDone, bytesTotal)) / countOf(bytesTotal, bytesTotal));
  return percent === 0 && stage !== "" ? 0 : undefined;
}

/** As JSON has numbers: none below zero, none beyond the whole or beyond what is exact. */
function countOf(bytes: bigint, whole: bigint): number {
  return Math.min(Number(bytes < 0n ? 0n : bytes > whole ? whole : bytes), Number.MAX_SAFE_INTEGER);
}

/** Asks, and takes NOT_FOUND for a task that is forgotten. Any other error is thrown: the task is to be asked for again. */
export async function lookAtTask(ask: () => Promise<Answer<"taskStatus">>): Promise<Task> {
  try {
    return taskOf(await ask());
  } catch (error) {
    if (error instanceof ProviderError && error.failure === "NotFound") return { is: "forgotten" };
    throw error;
  }
}

/** How soon to look again: `most` by the kind of work, and sooner at first where looking costs nothing. */
export function pollAfter(most: number, polls: number, isLocal: boolean): number {
  return isLocal ? Math.min(most, 2_000 * 2 ** Math.min(polls, 10)) : most;
}

/** How often tasks are looked at. */
export const taskPolls = { machine: 5_000, snapshot: 10_000, clone: 10_000, transfer: 30_000 } as const;

function resultOf(json: string): TaskResult | undefined {
  if (json === "") return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** A set, so that polling one twice makes no difference. */
export class OpenTasks {
  readonly #ids = new Set<string>();

  get size(): number {
    return this.#ids.size;
  }

  /** Whether the number changed. */
  see<M extends Method>(method: M, request: Request<M>, answer: Answer<M>): boolean {
    const before = this.size;
    if (method === "taskStatus") {
      const id = idOf(request);
      const isRunning = "done" in answer && answer.done === false && "error" in answer && answer.error === "";
      if (id !== "" && isRunning) this.#ids.add(id);
      else this.#ids.delete(id);
    } else {
      const id = idOf(answer);
      if (id !== "") this.#ids.add(id);
    }
    return this.size !== before;
  }
}

function idOf(message: object): string {
  const task: unknown = "task" in message ? message.task : undefined;
  const id: unknown = typeof task === "object" && task !== null && "id" in task ? task.id : "";
  return typeof id === "string" ? id : "";
}
