// From what a runtime reports of a pod to the status of the pod. Pure.
import { formatTime, type Instant, instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { isFinished, isTerminating } from "../pods/facts.ts";
import { isSidecar, type Phase, phaseOf } from "./phase.ts";
import { conditionsOf } from "./pod-conditions.ts";
import type { ContainerReport, PodReport, Terminated } from "./pod-runtime.ts";
import type { ContainerStatus } from "./stored.ts";

export type PodStatus = NonNullable<Pod["status"]>;

export interface Told {
  readonly pod: Pod;
  readonly report: PodReport;
  /** The address of its node. Undefined: nobody knows it yet. */
  readonly hostIP?: string;
}

export function statusOf({ pod, report: reported, hostIP: named }: Told, now: Instant): PodStatus {
  const isOver = hasEnded(pod, reported);
  const report = initialised(pod, isOver ? closed(reported) : reported);
  const phase = phaseNow(pod, report, isOver);
  const hostIP = report.hostIP ?? named;
  const podIP = pod.spec?.hostNetwork === true ? hostIP : (report.podIP ?? pod.status?.podIP);
  const hasSandbox = podIP !== undefined && phase !== "Succeeded" && phase !== "Failed";
  const { reason: _reason, message: _message, ...before } = pod.status ?? {};
  const { generation } = pod.metadata ?? {};
  return {
    ...before,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    ...whyOf(pod, report, phase),
    ...(hostIP === undefined ? {} : { hostIP, hostIPs: [{ ip: hostIP }] }),
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: before.startTime ?? formatTime(now),
    conditions: conditionsOf({ pod, report, phase, hasSandbox }, now),
    ...(report.initContainers.length === 0
      ? {}
      : { initContainerStatuses: containerStatuses(pod.spec?.initContainers, report.initContainers) }),
    containerStatuses: containerStatuses(pod.spec?.containers, report.containers),
  };
}

/** Whether nothing of a pod runs any more, and nothing of it will: it was deleted, or ended as a whole. */
export function hasEnded(pod: Pod, { ended, lost, initContainers, containers }: PodReport): boolean {
  if (lost !== undefined) return false;
  const isLeaving = isTerminating(pod) || ended !== undefined;
  return isLeaving && ![...initContainers, ...containers].some(({ state }) => state.is === "running");
}

function phaseNow(pod: Pod, report: PodReport, isOver: boolean): Phase {
  const before = knownPhase(pod.status?.phase);
  // A pod that has finished stays so, whatever is said of it.
  if (isFinished(pod) && before !== undefined) return before;
  if (isOver) return report.ended === undefined && report.containers.every(succeeded) ? "Succeeded" : "Failed";
  const phase = phaseOf(pod.spec ?? { containers: [] }, report);
  const isFinal = phase === "Succeeded" || phase === "Failed";
  const runs = [...report.initContainers, ...report.containers].some(({ state }) => state.is === "running");
  // Nothing of a finished pod runs: until then it is what it was.
  return isFinal && runs ? (before ?? "Running") : phase;
}

const phases: readonly Phase[] = ["Pending", "Running", "Succeeded", "Failed"];
const knownPhase = (text: string | undefined): Phase | undefined => phases.find((it) => it === text);
const succeeded = ({ state }: ContainerReport): boolean => state.is === "terminated" && state.exitCode === 0;

function whyOf({ status }: Pod, { ended, lost }: PodReport, phase: Phase): Pick<PodStatus, "reason" | "message"> {
  if (lost !== undefined) return { reason: "NodeLost", message: lost.message };
  if (ended !== undefined) return { reason: ended.reason, message: ended.message };
  // What was said stays as long as the phase does, but for a node that is heard of again.
  const { reason, message } = status?.phase === phase && status.reason !== "NodeLost" ? status : {};
  return { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
}

/** An init container is ready when it has done its work, whatever a runtime thinks. */
function initialised({ spec }: Pod, report: PodReport): PodReport {
  if (report.initContainers.length === 0) return report;
  const sidecars = new Set(spec?.initContainers?.filter(isSidecar).map(({ name }) => name));
  const initContainers = report.initContainers.map((it) =>
    sidecars.has(it.name) ? it : { ...it, isReady: succeeded(it) },
  );
  return { ...report, initContainers };
}

/** Nothing waits any more in a pod that is over: what ran has ended, and of the rest nobody knows. */
function closed(report: PodReport): PodReport {
  return { ...report, containers: report.containers.map(closedContainer) };
}

function closedContainer(container: ContainerReport): ContainerReport {
  const { state, last, ...rest } = container;
  if (state.is !== "waiting") return container;
  return { ...rest, isReady: false, isStarted: false, state: { is: "terminated", ...(last ?? neverSeen) } };
}

const neverSeen: Terminated = {
  exitCode: 137,
  reason: "ContainerStatusUnknown",
  message: "The container could not be located when the pod was terminated",
  startedAt: instant(0),
  finishedAt: instant(0),
};

interface Image {
  readonly name: string;
  readonly image?: string;
}

/** In the order of the spec. */
function containerStatuses(
  specs: readonly Image[] | undefined,
  reports: readonly ContainerReport[],
): ContainerStatus[] {
  const images = new Map(specs?.map(({ name, image }) => [name, image]));
  return reports.map((report) => containerStatus(report, images.get(report.name) ?? ""));
}

function containerStatus(report: ContainerReport, image: string): ContainerStatus {
  const { name, restartCount, isReady, isStarted, last, containerID } = report;
  return {
    name,
    image,
    imageID: report.imageID ?? "",
    ...(containerID === undefined ? {} : { containerID }),
    ready: isReady,
    started: isStarted,
    restartCount,
    state: stateOf(report),
    lastState: last === undefined ? {} : { terminated: terminated(last) },
  };
}

function stateOf({ state }: ContainerReport): NonNullable<ContainerStatus["state"]> {
  if (state.is === "running") return { running: { startedAt: formatTime(state.startedAt) } };
  if (state.is === "terminated") return { terminated: terminated(state) };
  const { reason, message } = state;
  return { waiting: { reason, ...(message === undefined ? {} : { message }) } };
}

type WireTerminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

function terminated({
  exitCode,
  signal,
  reason,
  message,
  startedAt,
  finishedAt,
  containerID,
}: Terminated): WireTerminated {
  const told = {
    ...(containerID === undefined ? {} : { containerID }),
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    reason,
    ...(message === undefined ? {} : { message }),
    startedAt: timeOf(startedAt),
    finishedAt: timeOf(finishedAt),
  };
  return told as WireTerminated; // on the wire a time that is not set is null
}

const timeOf = (at: Instant): string | null => (at === 0 ? null : formatTime(at));
