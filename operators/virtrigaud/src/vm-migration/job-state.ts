// How a Job of a migration stands, and what its pod says (3.3). Pure.
import { type Instant, parseTime } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { type SafeText, text } from "@telltale/status";
import { redact } from "../redact.ts";
import { badStaged } from "./scripts.ts";

/** A Job of this migration. */
export interface Work {
  readonly name: string;
  readonly job: Job;
  readonly state: JobState;
}

export type JobState =
  | { readonly is: "waiting"; readonly why: SafeText } // no pod of it runs yet
  | { readonly is: "running" }
  | { readonly is: "done"; readonly result: Result | undefined }
  | { readonly is: "failed"; readonly why: SafeText; readonly isBad: boolean; readonly at: Instant | undefined }
  | { readonly is: "going" }; // it was deleted, and is there until its pods are gone

/** What was converted. */
export interface Result {
  readonly checksum: string;
  readonly size: number;
}

export function workOf(job: Job, pods: readonly Pod[]): Work {
  return { name: job.metadata?.name ?? "", job, state: stateOf(job, pods) };
}

export const isOpen = ({ state }: Work): boolean => state.is === "waiting" || state.is === "running";

function stateOf(job: Job, pods: readonly Pod[]): JobState {
  if (job.metadata?.deletionTimestamp !== undefined) return { is: "going" };
  const pod = newest(pods);
  const ended = endOf(pod);
  const said = (type: string) => job.status?.conditions?.find((it) => it.type === type && it.status === "True");
  if (said("Complete") !== undefined) return { is: "done", result: resultIn(ended?.message) };
  const failure = said("Failed");
  if (failure !== undefined) {
    // Its pod may have ended well, and too late.
    const { exitCode = 0, message = "" } = ended ?? {};
    const cause =
      exitCode === 0 ? (failure.message ?? failure.reason ?? "") : message.trim() || `exit code ${exitCode}`;
    return {
      is: "failed",
      why: redact(cause),
      isBad: exitCode === badStaged,
      at: parseTime(failure.lastTransitionTime),
    };
  }
  if (pod?.status?.phase === "Running" || ended !== undefined) return { is: "running" };
  return { is: "waiting", why: hindrance(pod) };
}

/** What keeps a pod from running, in the words of whoever does. */
function hindrance(pod: Pod | undefined): SafeText {
  const { conditions = [], containerStatuses = [] } = pod?.status ?? {};
  const [waiting] = containerStatuses.flatMap(({ state }) => state?.waiting ?? []);
  if (waiting?.message !== undefined) return text`${waiting.reason ?? ""}: ${redact(waiting.message)}`;
  const place = conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (place?.message !== undefined) return text`${place.reason ?? ""}: ${redact(place.message)}`;
  return text`its pod has not started`;
}

const endOf = (pod: Pod | undefined) =>
  pod?.status?.containerStatuses?.flatMap(({ state }) => state?.terminated ?? []).at(0);

function newest(pods: readonly Pod[]): Pod | undefined {
  const age = ({ metadata }: Pod) => `${metadata?.creationTimestamp ?? ""} ${metadata?.name ?? ""}`;
  return pods.toSorted((a, b) => (age(a) < age(b) ? 1 : -1)).at(0);
}

/** `{"checksum":"...","size":1}`, as the script writes it. */
function resultIn(message: string | undefined): Result | undefined {
  const [, checksum, size] = /^\{"checksum":"([0-9a-f]{64})","size":(\d{1,15})\}$/.exec(message?.trim() ?? "") ?? [];
  return checksum === undefined ? undefined : { checksum, size: Number(size) };
}
