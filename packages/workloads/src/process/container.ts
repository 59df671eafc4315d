// How one container of a pod stands, from start to start, and what comes next. Pure: a value that also survives on disk.
import { formatGoDuration, type Instant, type Ms, plus } from "@telltale/kinds";
import type { ContainerReport, Terminated } from "../kubelet/pod-runtime.ts";
import type { Member } from "./spec.ts";

export interface Standing {
  readonly stage: Stage;
  readonly restarts: number;
  /** How it ended the time before. */
  readonly last?: Terminated;
  /** How long it waits before its next restart, counted from its end; and when that was decided. */
  readonly delay?: { readonly ms: Ms; readonly since: Instant };
}

export type Stage =
  | { readonly at: "fresh" } // never ran
  | { readonly at: "running"; readonly startedAt: Instant; readonly process?: ProcessRef } // without process: on the way
  | { readonly at: "ended"; readonly how: Terminated };

/** A process that is known again: a pid alone is used twice. */
export interface ProcessRef {
  readonly pid: number;
  /** In the words of the system; absent where it does not tell. */
  readonly started?: string;
}

export const fresh: Standing = { stage: { at: "fresh" }, restarts: 0 };

export type Policy = "Always" | "OnFailure" | "Never";

export type Next =
  | { readonly do: "start" }
  | { readonly do: "wait"; readonly until: Instant; readonly delay: Ms } // backs off
  | { readonly do: "stay" }; // runs, or has ended for good

export const firstDelay: Ms = 10_000;
export const longestDelay: Ms = 300_000;

/** What a container needs now, if its pod lets it. */
export function next({ stage, delay }: Standing, policy: Policy, now: Instant): Next {
  if (stage.at === "running") return { do: "stay" };
  if (stage.at === "fresh") return { do: "start" };
  const { exitCode, finishedAt } = stage.how;
  if (policy === "Never" || (policy === "OnFailure" && exitCode === 0)) return { do: "stay" };
  if (delay === undefined || isForgotten(delay, finishedAt)) return { do: "start" };
  // An end in the future is one of a clock that was put back since.
  const until = plus(finishedAt > now ? now : finishedAt, delay.ms);
  return now >= until ? { do: "start" } : { do: "wait", until, delay: delay.ms };
}

/** By whom a container is restarted: a sidecar always, an init container until it succeeded. */
export function policyOf({ role, container }: Member, podPolicy: string | undefined): Policy {
  const given = role === "main" ? (container.restartPolicy ?? podPolicy) : podPolicy;
  const policy = given === "Never" || given === "OnFailure" ? given : "Always";
  if (role === "sidecar") return "Always";
  return role === "init" && policy === "Always" ? "OnFailure" : policy;
}

/** It begins. The first restart comes at once; the ones after it wait, longer each time. */
export function begin(standing: Standing, now: Instant): Standing {
  const { stage, restarts, delay } = standing;
  const begun = { at: "running", startedAt: now } as const;
  if (stage.at !== "ended") return { ...standing, stage: begun };
  const ms =
    delay === undefined || isForgotten(delay, stage.how.finishedAt) ? firstDelay : Math.min(delay.ms * 2, longestDelay);
  return { stage: begun, restarts: restarts + 1, last: stage.how, delay: { ms, since: now } };
}

export function running(standing: Standing, process: ProcessRef): Standing {
  if (standing.stage.at !== "running") return standing;
  return { ...standing, stage: { ...standing.stage, process } };
}

export function end(standing: Standing, how: Terminated): Standing {
  return { ...standing, stage: { at: "ended", how } };
}

/** What is known of a container that ran when the server ended without a word. */
export function lost(standing: Standing, now: Instant, containerID: string): Standing {
  if (standing.stage.at !== "running") return standing;
  const { startedAt } = standing.stage;
  const message = "the server that ran the container ended before it; how the container ended is not known";
  return end(standing, {
    exitCode: 137,
    reason: "ContainerStatusUnknown",
    message,
    startedAt,
    finishedAt: now,
    containerID,
  });
}

/** Ten quiet minutes and the count begins anew. */
function isForgotten({ since }: { readonly since: Instant }, finishedAt: Instant): boolean {
  return finishedAt - since > 2 * longestDelay;
}

export interface View {
  /** Why it does not run yet: the pod prepares, another container comes first, or it was refused. */
  readonly waiting: { readonly reason: string; readonly message?: string };
  readonly next: Next;
  /** `web_default(1234)`. */
  readonly pod: string;
  /** Its postStart hook is through: it counts as running only then. */
  readonly isSettled: boolean;
  readonly isStarted: boolean;
  readonly isReady: boolean;
  readonly containerID: string;
}

/** The standing in the words of a status. */
export function report({ container, role }: Member, standing: Standing, view: View): ContainerReport {
  const { stage, restarts, last } = standing;
  const head = { name: container.name, restartCount: restarts };
  const none = { isReady: false, isStarted: false };
  const id = { containerID: view.containerID };
  const before = last === undefined ? {} : { last };
  if (stage.at === "fresh") return { ...head, ...none, state: { is: "waiting", ...view.waiting } };
  if (stage.at === "running" && !view.isSettled)
    return { ...head, ...none, ...id, ...before, state: { is: "waiting", ...view.waiting } };
  if (stage.at === "running") {
    const { isStarted, isReady } = view;
    return { ...head, ...id, ...before, isStarted, isReady, state: { is: "running", startedAt: stage.startedAt } };
  }
  if (view.next.do === "stay") {
    const isDone = role === "init" && stage.how.exitCode === 0;
    return { ...head, ...id, ...before, isStarted: false, isReady: isDone, state: { is: "terminated", ...stage.how } };
  }
  const backOff =
    view.next.do === "wait"
      ? {
          reason: "CrashLoopBackOff",
          message: `back-off ${formatGoDuration(view.next.delay)} restarting failed container=${container.name} pod=${view.pod}`,
        }
      : view.waiting;
  return { ...head, ...none, ...id, state: { is: "waiting", ...backOff }, last: stage.how };
}
