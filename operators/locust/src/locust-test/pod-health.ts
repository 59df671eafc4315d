// Whether the pods of a test have a problem that does not go away by itself. Pure.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { earliest } from "../moments.ts";
import { sanitize } from "../sanitize.ts";
import { bornAt, type JobPods } from "./job-pods.ts";
import { isTerminating } from "./jobs.ts";

/** What can be wrong, in the order in which it is shown where pods differ. */
const reasons = [
  "ConfigurationError",
  "ImagePullError",
  "SchedulingError",
  "ContainersNotCreated",
  "CrashLoopBackOff",
  "InitializationError",
] as const;

export type Problem = (typeof reasons)[number];

/** The Job controller never resolves these. */
const stuck: ReadonlySet<Problem> = new Set([
  "ConfigurationError",
  "ImagePullError",
  "SchedulingError",
  "ContainersNotCreated",
]);

/** What the newest Event says of an object that is late. Both empty: there is none that says why. */
export interface Complaint {
  readonly reason: string;
  readonly message: string;
}

export interface PodHealthInput {
  readonly pods: readonly Pod[];
  /** Of a pod by its uid: the newest word on why it cannot mount or start. Pods that are not in it were not asked about. */
  readonly complaints: ReadonlyMap<string, Complaint>;
  /** How long a pod may be stuck before it is a problem. */
  readonly grace: Ms;
  /** The ConfigMap that the test expects. */
  readonly configMap?: string | undefined;
  /** Containers whose end counts: the test's own. */
  readonly main: readonly string[];
  /** Both Jobs are over: what failed is their business. */
  readonly areJobsFinal: boolean;
  /** Jobs that need more pods than they have. */
  readonly short?: readonly ShortOfPods[];
  /** Why Events could not be read, where they were needed. */
  readonly unreadEvents?: string | undefined;
}

/** A Job that needs more pods than it has. */
export interface ShortOfPods extends JobPods {
  /** What the Job controller says of it since the last pod. */
  readonly refusal?: string | undefined;
}

export interface PodHealth {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: Problem | "PodCreationFailed" | "PodsMissing" | "PodsStarting" | "PodsNotReady" | "PodsHealthy";
  readonly message: string;
  /** Since when the pod that is stuck longest is there. */
  readonly stuckSince?: Instant;
  /** When the next stuck pod becomes a problem. */
  readonly wakeAt?: Instant;
}

interface Sick {
  readonly pod: Pod;
  readonly problem: Problem;
  readonly detail: string;
  /** The one that the detail names. */
  readonly container?: string;
}

/** When a Job that is short of pods, or a pod without containers, is looked at again, and how soon the Job controller may be expected to have acted. */
export const creationDelay: Ms = 10_000;
const recheckDelay: Ms = 30_000;

export function podHealth(input: PodHealthInput, now: Instant): PodHealth {
  const { short = [] } = input;
  const pods = input.pods.filter((pod) => !isTerminating(pod));
  const sick = pods.flatMap((pod) => diagnosis(pod, input, now) ?? []);
  const isDue = ({ pod, problem }: Sick) => !stuck.has(problem) || plus(bornAt(pod), input.grace) <= now;
  const due = sick.filter(isDue);
  const blocked = sick.filter(({ problem }) => stuck.has(problem)).map(({ pod }) => bornAt(pod));
  const stuckSince = earliest(...blocked);
  const since = stuckSince === undefined ? {} : { stuckSince };
  const waiting = pods
    .filter((pod) => isCreating(pod) || sick.some((it) => it.pod === pod && !isDue(it)))
    .map((pod) => plus(bornAt(pod), input.grace))
    .filter((at) => at > now);
  // An Event asks for no reconcile.
  const isLate = pods.some((pod) => isCreating(pod) && plus(bornAt(pod), input.grace) <= now);
  const again = isLate ? plus(now, recheckDelay) : undefined;
  const wakeAt = earliest(...waiting, again, ...short.map((job) => recheckAt(job, input, now)));
  const wake = wakeAt === undefined ? {} : { wakeAt };
  const refused = short.find(({ refusal }) => refusal !== undefined);
  if (refused !== undefined) return { ...notCreated(refused), ...since, ...wake };
  if (due.length > 0) return { ...told(due, input), ...since, ...wake };
  const missing = short.find(({ changedAt }) => plus(changedAt, input.grace) <= now);
  if (missing !== undefined) return { ...notThere(missing, input), ...since, ...wake };
  const isAllUp = short.length === 0 && pods.length > 0 && pods.every(isUp);
  if (isAllUp) return { status: "True", reason: "PodsHealthy", message: "All pods are healthy" };
  return { ...notYet(pods, short, input), ...since, ...wake };
}

function notYet(
  pods: readonly Pod[],
  short: readonly ShortOfPods[],
  { complaints }: PodHealthInput,
): Pick<PodHealth, "status" | "reason" | "message"> {
  const starting = (message: string) => ({ status: "Unknown", reason: "PodsStarting", message }) as const;
  if (pods.length === 0) return starting("Waiting for pods to start");
  const unready = pods.filter((pod) => pod.status?.phase === "Running" && !isUp(pod));
  const isAllBegun = short.length === 0 && pods.every((pod) => isUp(pod) || unready.includes(pod));
  if (isAllBegun) {
    const names = listed(unready.map(({ metadata }) => metadata?.name ?? ""));
    const { reason = "", message = "" } = readyOf(unready[0]) ?? {};
    const why = sanitize(message || reason || "no reason is given, as where a node does not answer");
    const text = `${unready.length} pod(s) not ready [${names}]: ${why}`;
    return { status: "Unknown", reason: "PodsNotReady", message: text };
  }
  const pulling = pods.find(({ metadata }) => complaints.get(metadata?.uid ?? "")?.reason === "Pulling");
  const what = sanitize(complaints.get(pulling?.metadata?.uid ?? "")?.message ?? "");
  return starting(`Pods are starting up${pulling === undefined ? "" : `: ${pulling.metadata?.name}: ${what}`}`);
}

/** A pod that runs by the last word of its node, and of which nothing is heard since, is not ready. */
const isUp = (pod: Pod): boolean =>
  pod.status?.phase === "Succeeded" || (pod.status?.phase === "Running" && (readyOf(pod)?.status ?? "True") === "True");

const readyOf = (pod: Pod | undefined) => pod?.status?.conditions?.find(({ type }) => type === "Ready");

function listed(names: readonly string[]): string {
  const sorted = [...names].sort();
  return sorted.length <= 5 ? sorted.join(", ") : `${sorted.slice(0, 5).join(", ")}, +${sorted.length - 5} more`;
}

function recheckAt({ changedAt }: ShortOfPods, { grace }: PodHealthInput, now: Instant): Instant | undefined {
  const moments = [plus(changedAt, creationDelay), plus(changedAt, grace), plus(now, recheckDelay)];
  return earliest(...moments.filter((at) => at > now));
}

type Verdict = Pick<PodHealth, "status" | "reason" | "message">;

const counted = ({ job, live, expected }: ShortOfPods): string => `Job ${job} has ${live} of ${expected} pods`;

function notCreated(job: ShortOfPods): Verdict {
  const message = `PodCreationFailed: ${counted(job)}: ${refusalOf(job)}`;
  return { status: "False", reason: "PodCreationFailed", message };
}

/** The name that a pod would have had is another one each time. */
export const refusalOf = ({ refusal = "" }: ShortOfPods): string => sanitize(refusal).replace(/\bpods "[^"]*"/, "pods");

function notThere(job: ShortOfPods, { grace, unreadEvents }: PodHealthInput): Verdict {
  const why = unreadEvents === undefined ? "no Event says why" : `why is not known: ${unreadEvents}`;
  const message = `PodsMissing: ${counted(job)} after ${grace / 1000} s, and ${why}`;
  return { status: "False", reason: "PodsMissing", message };
}

function told(due: readonly Sick[], { configMap }: PodHealthInput): Verdict {
  const reason = reasons.find((it) => due.some(({ problem }) => problem === it)) ?? "ConfigurationError";
  const affected = due.filter(({ problem }) => problem === reason);
  const names = affected.map(({ pod }) => pod.metadata?.name ?? "").sort();
  const first = affected.find(({ pod }) => pod.metadata?.name === names[0]);
  // A container of the first pod that others do not have is that pod's.
  const isOfAll = affected.every(({ container }) => container === first?.container);
  const detail = `${isOfAll ? "" : `${names[0]}: `}${first?.detail ?? ""}`;
  const hint =
    reason === "ConfigurationError" && configMap !== undefined && /configmap/i.test(detail)
      ? `; the test expects ConfigMap ${configMap}: once it is there, the pods start`
      : "";
  return {
    status: "False",
    reason,
    message: `${reason}: ${names.length} pod(s) affected [${listed(names)}]: ${detail}${hint}`,
  };
}

function diagnosis(pod: Pod, input: PodHealthInput, now: Instant): Sick | undefined {
  const { status } = pod;
  const sick = (problem: Problem, detail: string, container?: string): Sick => ({
    pod,
    problem,
    detail: sanitize(detail),
    ...(container !== undefined && { container }),
  });
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False" && scheduled.reason === "Unschedulable") {
    return sick("SchedulingError", scheduled.message ?? "");
  }
  const sidecars = new Set(pod.spec?.initContainers?.filter(isSidecar).map(({ name }) => name));
  const init = status?.initContainerStatuses ?? [];
  for (const { name, state } of init) {
    const ended = state?.terminated;
    if (!sidecars.has(name) && ended !== undefined && ended.exitCode !== 0) {
      return sick(
        "InitializationError",
        `Init container ${name} exited with code ${ended.exitCode}: ${ended.reason ?? ""}`,
        name,
      );
    }
  }
  const all = [...init, ...(status?.containerStatuses ?? [])];
  for (const problem of ["ConfigurationError", "ImagePullError", "CrashLoopBackOff"] as const) {
    for (const { name, state } of all) {
      const { reason = "", message = "" } = state?.waiting ?? {};
      if (waits[problem](reason)) return sick(problem, `Container ${name}: ${message === "" ? reason : message}`, name);
    }
  }
  if (!input.areJobsFinal) {
    for (const { name, state } of status?.containerStatuses ?? []) {
      const ended = state?.terminated;
      if (input.main.includes(name) && ended !== undefined && ended.exitCode !== 0) {
        const detail = `Container ${name} exited with code ${ended.exitCode}: ${ended.reason ?? ""}`;
        return sick("CrashLoopBackOff", detail, name);
      }
    }
  }
  if (!isCreating(pod) || plus(bornAt(pod), input.grace) > now) return undefined;
  const late = uncreated(pod, input);
  return late === undefined ? undefined : sick(late.problem, late.detail);
}

/** By the newest Event of the pod. Where none says why, that is what is said. */
function uncreated(
  pod: Pod,
  { complaints, unreadEvents, grace }: PodHealthInput,
): { readonly problem: Problem; readonly detail: string } | undefined {
  const uid = pod.metadata?.uid ?? "";
  const { reason = "", message = "" } = complaints.get(uid) ?? {};
  if (reason === "Pulling") return undefined;
  if (reason === "FailedMount" || reason === "FailedAttachVolume")
    return { problem: "ConfigurationError", detail: message };
  if (reason !== "") return { problem: "ContainersNotCreated", detail: message };
  if (unreadEvents === undefined && !complaints.has(uid)) return undefined;
  const why = unreadEvents === undefined ? "no Event says why" : `why is not known: ${unreadEvents}`;
  return { problem: "ContainersNotCreated", detail: `No containers after ${grace / 1000} s, and ${why}` };
}

const configurationErrors = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError"];

const waits: Readonly<
  Record<"ConfigurationError" | "ImagePullError" | "CrashLoopBackOff", (reason: string) => boolean>
> = {
  ConfigurationError: (reason) => configurationErrors.includes(reason),
  ImagePullError: (reason) =>
    reason.includes("ImagePull") || reason === "ErrImageNeverPull" || reason === "InvalidImageName",
  CrashLoopBackOff: (reason) => reason === "CrashLoopBackOff",
};

/** An init container that goes on: its end is no failure. */
const isSidecar = ({ restartPolicy }: { readonly restartPolicy?: string }): boolean => restartPolicy === "Always";

/** Scheduled, and nothing of it runs: what a missing volume looks like. */
export function isCreating({ spec, status }: Pod): boolean {
  if (status?.phase !== "Pending" || spec?.nodeName === undefined) return false;
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return all.every(({ state }) => ["ContainerCreating", "PodInitializing"].includes(state?.waiting?.reason ?? ""));
}
