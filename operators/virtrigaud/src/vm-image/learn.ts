// What an answer of a provider, or none, makes of what is remembered. Pure: the rows of the state machine (3.8) are here.
import { formatQuantity, formatTime, type Instant, parseQuantity, plus } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { ImageFormat, ProviderImageStatus } from "../kinds/index.ts";
import { imageFormats } from "../kinds/vm-image-spec.ts";
import type { Failure } from "../link/failure.ts";
import type { Task, TaskResult } from "../link/task.ts";
import {
  failedEntry,
  importingEntry,
  isPassing,
  isUnheard,
  preparedEntry,
  type Reason,
  refusedEntry,
  unheardEntry,
} from "./entry.ts";
import { progressOf } from "./progress.ts";
import type { Source } from "./source.ts";
import { type Facts, type Flight, type Memory, type Rules, stages } from "./world.ts";

/** What a pass has found out about the preparation on one provider. */
export type Finding =
  | { readonly is: "nothing" }
  | { readonly is: "begun"; readonly key: string } // the call is under way
  | { readonly is: "answered"; readonly key: string; readonly id: string; readonly path: string; readonly task: string }
  | { readonly is: "task"; readonly key: string; readonly task: Task }
  | { readonly is: "late"; readonly key: string } // longer than it may take
  | { readonly is: "error"; readonly key: string; readonly failure: Failure; readonly said: SafeText }
  | { readonly is: "unheard"; readonly key: string; readonly said: SafeText } // about a task: it may still go on
  | { readonly is: "refused"; readonly key: string; readonly reason: Reason; readonly said: SafeText };

/** What the spec says that counts for an answer. */
export interface Terms {
  readonly rules: Rules;
  readonly source: Source;
}

export function learn(memory: Memory, finding: Finding, terms: Terms, now: Instant): Memory {
  if (finding.is === "nothing" || finding.is === "unheard") return memory;
  const { key } = finding;
  const before = memory.entries[key];
  const { retries } = terms.rules;
  switch (finding.is) {
    case "begun":
      // Asking once more who did not answer is no news: only an answer is.
      return memory.flight?.key === key || isUnheard(before) ? memory : begun(memory, key, retries, now);
    case "answered": {
      const { id, path, task } = finding;
      const where = placeIn({ id, path });
      const base = memory.flight?.key === key ? memory : begun(memory, key, retries, now);
      if (task === "") return done(base, key, where, {}, now);
      if (task.length > longest)
        return failed(base, key, retries, "ProviderError", text`the name of its task is too long`, now);
      const flight: Flight = { key, task, stage: base.flight?.stage ?? "Importing" };
      return { ...base, flight, entries: { ...base.entries, [key]: importingEntry(before, retries, where, now) } };
    }
    case "task":
      return ofTask(memory, key, finding.task, terms, now);
    case "late":
      return failed(memory, key, retries, "Timeout", text`it took longer than spec.prepare.timeout`, now);
    case "error":
      return ofError(memory, key, retries, finding.failure, finding.said, now);
    case "refused":
      return landed(memory, key, refusedEntry(finding.reason, finding.said, now));
  }
}

function begun(memory: Memory, key: string, retries: number, now: Instant): Memory {
  const { id, path } = memory.entries[key] ?? {};
  const where = { ...(id === undefined ? {} : { id }), ...(path === undefined ? {} : { path }) };
  return {
    ...memory,
    flight: { key, task: "", stage: "Importing" },
    since: now,
    progress: { startTime: formatTime(now) },
    entries: { ...memory.entries, [key]: importingEntry(memory.entries[key], retries, where, now) },
  };
}

function ofTask(memory: Memory, key: string, task: Task, terms: Terms, now: Instant): Memory {
  switch (task.is) {
    case "running": {
      const { flight, since } = memory;
      const stage = stages.find((it) => it === task.stage) ?? flight?.stage ?? "Importing";
      return {
        ...memory,
        ...(flight === undefined ? {} : { flight: { ...flight, stage } }),
        progress: progressOf(memory.progress, task, since ?? now, now),
      };
    }
    case "forgotten":
      // The provider has begun anew. Asking for the same name again finds what is there.
      return { ...memory, flight: { key, task: "", stage: "Importing" } };
    case "failed":
      return failed(memory, key, terms.rules.retries, reasonIn(task.said), task.said, now);
    case "done": {
      const { result = {} } = task;
      const mismatch = mismatchOf(result, terms);
      if (mismatch !== undefined) {
        return failed(memory, key, terms.rules.retries, "ChecksumMismatch", mismatch, now);
      }
      return done(memory, key, placeIn(result), result, now);
    }
  }
}

const reasonIn = (said: string): Reason =>
  /checksum|digest mismatch/i.test(said) ? "ChecksumMismatch" : "ProviderError";

/** The provider did another sum than the spec has. Sums of another length are of another kind, and say nothing. */
function mismatchOf({ checksum }: TaskResult, { source, rules }: Terms): SafeText | undefined {
  if (source.is !== "import" || source.checksum === undefined || !rules.validatesChecksum) return undefined;
  if (typeof checksum !== "string" || checksum.length !== source.checksum.length) return undefined;
  if (checksum.toLowerCase() === source.checksum.toLowerCase()) return undefined;
  return text`the checksum of what was fetched is ${checksum}`;
}

function ofError(memory: Memory, key: string, retries: number, failure: Failure, said: SafeText, now: Instant): Memory {
  if (failure === "Timeout") return failed(memory, key, retries, "Timeout", said, now);
  if (isPassing(failure)) {
    return landed(memory, key, unheardEntry(memory.entries[key], retries, { failure, said }, now));
  }
  if (failure === "NotSupported") return landed(memory, key, refusedEntry("Unsupported", said, now));
  if (failure === "InvalidSpec") return landed(memory, key, refusedEntry("ValidationError", said, now));
  return failed(memory, key, retries, reasonIn(said), said, now);
}

const failed = (memory: Memory, key: string, retries: number, reason: Reason, said: SafeText, now: Instant): Memory =>
  landed(memory, key, failedEntry(memory.entries[key], retries, reason, said, now));

/** It is over, and another provider may have its turn. */
const landed = (memory: Memory, key: string, entry: ProviderImageStatus): Memory => ({
  ...memory,
  flight: undefined,
  progress: undefined,
  entries: { ...memory.entries, [key]: entry },
});

interface Place {
  readonly id?: string;
  readonly path?: string;
}

function done(memory: Memory, key: string, place: Place, result: TaskResult, now: Instant): Memory {
  const { id, path } = { ...memory.entries[key], ...place };
  const facts = factsIn(result);
  const where = {
    ...(id === undefined ? {} : { id }),
    ...(path === undefined ? {} : { path }),
    ...(facts.size === undefined ? {} : { size: facts.size }),
  };
  const entry = preparedEntry(where, now);
  const { startTime } = memory.progress ?? {};
  return {
    ...landed(memory, key, entry),
    progress: { ...(startTime === undefined ? {} : { startTime }), percentage: 100 },
    facts: { ...memory.facts, ...facts },
  };
}

/** What is longer is no name of anything, and would not fit into a status. */
const longest = 512;
const isName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= longest;

const placeIn = ({ id, path }: TaskResult): Place => ({
  ...(isName(id) ? { id } : {}),
  ...(isName(path) ? { path } : {}),
});

function factsIn({ size_bytes: size, checksum, format }: TaskResult): Facts {
  const quantity = Number.isSafeInteger(size) && Number(size) >= 0 ? parseQuantity(Number(size)) : undefined;
  const known: ImageFormat | undefined = imageFormats.find((it) => it === format);
  return {
    ...(quantity === undefined ? {} : { size: formatQuantity(quantity, "BinarySI") }),
    ...(isName(checksum) && checksum.length <= 256 ? { checksum } : {}),
    ...(known === undefined ? {} : { format: known }),
  };
}

/** When the attempt that is under way has taken too long. */
export const lateAt = ({ since }: Memory, { timeout }: Rules, now: Instant): Instant => plus(since ?? now, timeout);
