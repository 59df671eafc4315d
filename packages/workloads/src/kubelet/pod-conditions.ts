// The conditions of a pod that a kubelet says, beside those that others have put there. Pure.
import { formatTime, type Instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { type Container, isSidecar, type Phase } from "./phase.ts";
import type { ContainerReport, PodReport } from "./pod-runtime.ts";

export type PodCondition = NonNullable<NonNullable<Pod["status"]>["conditions"]>[number];

/** What is said of one condition. */
export interface Said {
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

export interface Standing {
  readonly pod: Pod;
  readonly report: PodReport;
  readonly phase: Phase;
  /** It has an address, and what its containers share is there. */
  readonly hasSandbox: boolean;
}

/** Others' first, then a kubelet's own, in its order. One that says what it said before is the very same object. */
export function conditionsOf(standing: Standing, now: Instant): PodCondition[] {
  const { pod, report } = standing;
  const before = pod.status?.conditions ?? [];
  const own = ownConditions(standing);
  const disrupted = disruptionOf(report);
  const said: Readonly<Record<string, Said>> = {
    ...(disrupted === undefined ? {} : { DisruptionTarget: disrupted }),
    ...own,
    PodScheduled: { status: "True" },
  };
  const kept = before.filter(({ type }) => !Object.hasOwn(said, type));
  const generation = pod.metadata?.generation;
  return [...kept, ...Object.entries(said).map(([type, it]) => podCondition(type, it, before, generation, now))];
}

function ownConditions({ pod, report, phase, hasSandbox }: Standing): Readonly<Record<string, Said>> {
  const containers = containersReady(pod, report, phase);
  const isLost = report.lost !== undefined;
  const unknown: Said = { status: "Unknown", reason: "NodeLost", message: report.lost?.message ?? "" };
  return {
    PodReadyToStartContainers: { status: hasSandbox ? "True" : "False" },
    Initialized: initialized(pod, report, phase),
    Ready: isLost ? unknown : ready(pod, containers),
    ContainersReady: isLost ? unknown : containers,
  };
}

function initialized({ spec }: Pod, report: PodReport, phase: Phase): Said {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  if (report.containers.some(({ state }) => state.is !== "waiting")) return { status: "True" };
  const missing = named(spec?.initContainers, report.initContainers, (it, container) =>
    isSidecar(container) ? it.isStarted : it.isReady,
  );
  return all(missing, "incomplete", "ContainersNotInitialized");
}

function containersReady({ spec }: Pod, report: PodReport, phase: Phase): Said {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const watched = [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])];
  const reports = [...report.initContainers, ...report.containers];
  return all(
    named(watched, reports, (it) => it.isReady),
    "unready",
    "ContainersNotReady",
  );
}

/** A pod is ready when its containers are, and every gate of it has been opened by whoever keeps it. */
function ready({ spec, status }: Pod, containers: Said): Said {
  if (containers.status !== "True") return containers;
  const closed = (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = status?.conditions?.find(({ type }) => type === conditionType);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (found.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (closed.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: closed.join(", ") };
}

interface Missing {
  readonly unknown: readonly string[];
  readonly short: readonly string[];
}

/** The containers that are not as they should be, by name. */
function named(
  containers: readonly Container[] | undefined,
  reports: readonly ContainerReport[],
  isWell: (report: ContainerReport, container: Container) => boolean,
): Missing {
  const unknown: string[] = [];
  const short: string[] = [];
  for (const container of containers ?? []) {
    const report = reports.find(({ name }) => name === container.name);
    if (report === undefined) unknown.push(container.name);
    else if (!isWell(report, container)) short.push(container.name);
  }
  return { unknown, short };
}

function all({ unknown, short }: Missing, what: string, reason: string): Said {
  const messages = [
    ...(unknown.length > 0 ? [`containers with unknown status: [${unknown.join(" ")}]`] : []),
    ...(short.length > 0 ? [`containers with ${what} status: [${short.join(" ")}]`] : []),
  ];
  return messages.length === 0 ? { status: "True" } : { status: "False", reason, message: messages.join(", ") };
}

/** A pod that a node ends for its own sake did not fail by itself: controllers may want to know. */
function disruptionOf({ ended }: PodReport): Said | undefined {
  if (ended === undefined || ended.reason === "DeadlineExceeded") return undefined;
  return { status: "True", reason: "TerminationByKubelet", message: ended.message };
}

/** The very same as before where nothing new is said. */
export function podCondition(
  type: string,
  said: Said,
  before: readonly PodCondition[],
  generation: number | undefined,
  now: Instant,
): PodCondition {
  const old: Observed | undefined = before.find((it) => it.type === type);
  const isSame =
    old?.status === said.status && old.reason === said.reason && (old.message ?? "") === (said.message ?? "");
  // Where a pod was scheduled somebody else has said; it is true of every generation.
  const isSeen = type === "PodScheduled" || old?.observedGeneration === generation;
  if (old !== undefined && isSame && isSeen) return old;
  const since = old?.status === said.status ? old.lastTransitionTime : undefined;
  const next = {
    type,
    status: said.status,
    ...(said.reason === undefined ? {} : { reason: said.reason }),
    ...(said.message === undefined || said.message === "" ? {} : { message: said.message }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastProbeTime: null,
    lastTransitionTime: since ?? formatTime(now),
  };
  // On the wire a time that is not set is null, and the generation is newer than the types.
  return next as unknown as PodCondition;
}

type Observed = PodCondition & { readonly observedGeneration?: number };
