// Jobs and pods as tests of decisions need them: only what the decision looks at.
import { formatTime, type Instant, instant } from "@telltale/kinds";
import type { Job, Pod } from "@telltale/kinds/builtin";
import { completionIndex, tracking } from "../../src/job/facts.ts";

export const start: Instant = instant(Date.UTC(2026, 0, 1));
/** So many seconds after the start. */
export const at = (seconds: number): Instant => instant(start + seconds * 1000);
export const time = (seconds: number): string => formatTime(at(seconds));

type Spec = Partial<NonNullable<Job["spec"]>>;

export function job(spec: Spec = {}, status: Job["status"] = {}, metadata: Job["metadata"] = {}): Job {
  return {
    metadata: { name: "it", namespace: "default", uid: "job", ...metadata },
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, template: {}, ...spec },
    status,
  };
}

export const indexed = (spec: Spec = {}, status: Job["status"] = {}): Job =>
  job({ completionMode: "Indexed", completions: 3, parallelism: 3, ...spec }, status);

export interface PodSample {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly index?: number;
  readonly code?: number;
  /** Seconds after the start. */
  readonly ended?: number;
  readonly deleted?: number;
  readonly isTracked?: boolean;
  readonly isReady?: boolean;
  readonly restarts?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly conditions?: NonNullable<Pod["status"]>["conditions"];
}

export function pod(name: string, sample: PodSample = {}): Pod {
  const { phase = "Running", index, code = 0, ended, deleted, isTracked = true, isReady = false } = sample;
  const place = index === undefined ? {} : { [completionIndex]: `${index}` };
  const ready = { type: "Ready", status: "True", lastTransitionTime: time(0) };
  const state = ended === undefined ? {} : { terminated: { exitCode: code, finishedAt: time(ended) } };
  return {
    metadata: {
      name,
      namespace: "default",
      uid: name,
      creationTimestamp: time(0),
      annotations: { ...place, ...sample.annotations },
      ...(isTracked ? { finalizers: [tracking] } : {}),
      ...(deleted === undefined ? {} : { deletionTimestamp: time(deleted + 30), deletionGracePeriodSeconds: 30 }),
    },
    status: {
      phase,
      conditions: sample.conditions ?? (isReady ? [ready] : []),
      containerStatuses: [
        { name: "main", image: "", imageID: "", ready: isReady, restartCount: sample.restarts ?? 0, state },
      ],
    },
  };
}

export const running = (name: string, more: PodSample = {}): Pod => pod(name, more);
export const won = (name: string, more: PodSample = {}): Pod => pod(name, { phase: "Succeeded", ended: 5, ...more });
export const lost = (name: string, more: PodSample = {}): Pod =>
  pod(name, { phase: "Failed", code: 1, ended: 5, ...more });
/** Counted: it has lost its finalizer. */
export const counted = (it: Pod): Pod => ({ ...it, metadata: { ...it.metadata, finalizers: [] } });
