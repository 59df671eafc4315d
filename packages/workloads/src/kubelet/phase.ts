// In which phase a pod is, by how its containers stand and whether they are started again. Pure.
import type { Pod } from "@telltale/kinds/builtin";
import type { ContainerReport, PodReport } from "./pod-runtime.ts";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

type PodSpec = NonNullable<Pod["spec"]>;
export type Container = PodSpec["containers"][number];

/** An init container that stays beside the others: a sidecar. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";

/** Whether a container that ended with this code is started again. */
export function isRestarted(container: Container, spec: PodSpec, exitCode: number): boolean {
  const policy = container.restartPolicy ?? spec.restartPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

export function phaseOf(spec: PodSpec, report: Pick<PodReport, "initContainers" | "containers">): Phase {
  const inits = tally(spec.initContainers, report.initContainers);
  const start = inits.filter(({ container }) => !isSidecar(container)).map((it) => initStanding(it, spec));
  if (start.includes("failed")) return "Failed";
  const sidecars = inits.filter(({ container }) => isSidecar(container));
  const mains = tally(spec.containers, report.containers);
  const hasBegun = mains.some(({ report: it }) => it !== undefined && it.state.is !== "waiting");
  const isStarting =
    start.includes("pending") || (!hasBegun && sidecars.some(({ report: it }) => it?.isStarted !== true));
  const stands = mains.map(({ report: it }) => standing(it));
  if (isStarting || stands.includes("waiting") || stands.includes("unknown")) return "Pending";
  if (sidecars.some(({ report: it }) => it === undefined || isFresh(it))) return "Pending";
  const isRunning = ({ report: it }: Counted) => it?.state.is === "running";
  if (mains.some(isRunning) || sidecars.some(isRunning)) return "Running";
  const codes = mains.flatMap(({ container, report: it }) => {
    const exitCode = it === undefined ? undefined : exitCodeOf(it);
    return exitCode === undefined ? [] : [{ container, exitCode }];
  });
  if (codes.length === 0) return "Pending";
  if (codes.some(({ container, exitCode }) => isRestarted(container, spec, exitCode))) return "Running";
  return codes.every(({ exitCode }) => exitCode === 0) ? "Succeeded" : "Failed";
}

interface Counted {
  readonly container: Container;
  readonly report: ContainerReport | undefined;
}

function tally(containers: readonly Container[] | undefined, reports: readonly ContainerReport[]): readonly Counted[] {
  return (containers ?? []).map((container) => ({
    container,
    report: reports.find(({ name }) => name === container.name),
  }));
}

function initStanding({ container, report }: Counted, spec: PodSpec): "pending" | "done" | "failed" | "failing" {
  const exitCode = report === undefined ? undefined : exitCodeOf(report);
  if (exitCode === undefined) return "pending";
  if (exitCode === 0) return "done";
  return isRestarted(container, spec, exitCode) ? "failing" : "failed";
}

function standing(report: ContainerReport | undefined): "unknown" | "waiting" | "running" | "stopped" {
  if (report === undefined) return "unknown";
  if (report.state.is === "running") return "running";
  return isFresh(report) ? "waiting" : "stopped";
}

/** It never ran. */
const isFresh = ({ state, last }: ContainerReport): boolean => state.is === "waiting" && last === undefined;

/** Of a container that does not run: how it ended, if it ever ran. */
function exitCodeOf({ state, last }: ContainerReport): number | undefined {
  if (state.is === "terminated") return state.exitCode;
  return state.is === "waiting" ? last?.exitCode : undefined;
}
