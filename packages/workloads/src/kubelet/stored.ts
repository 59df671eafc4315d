// How the containers of a pod stood when its status was last written. Pure.
import { type Instant, instant, parseTime } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { ContainerReport, ContainerState, Terminated } from "./pod-runtime.ts";

type PodStatus = NonNullable<Pod["status"]>;
export type ContainerStatus = NonNullable<PodStatus["containerStatuses"]>[number];
type State = NonNullable<ContainerStatus["state"]>;

/** By name: containers, and init containers. */
export function storedContainers({ status }: Pod): ReadonlyMap<string, ContainerReport> {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return new Map(all.map((it) => [it.name, storedContainer(it)]));
}

export function storedContainer(status: ContainerStatus): ContainerReport {
  const { name, restartCount, ready, started, containerID, imageID } = status;
  const last = status.lastState?.terminated;
  return {
    name,
    state: stateOf(status.state ?? {}),
    restartCount,
    isReady: ready,
    isStarted: started ?? false,
    ...(last === undefined ? {} : { last: terminatedOf(last) }),
    ...(containerID === undefined ? {} : { containerID }),
    ...(imageID === "" ? {} : { imageID }),
  };
}

function stateOf({ running, terminated, waiting }: State): ContainerState {
  if (running !== undefined) return { is: "running", startedAt: at(running.startedAt) };
  if (terminated !== undefined) return { is: "terminated", ...terminatedOf(terminated) };
  const { reason = "ContainerCreating", message } = waiting ?? {};
  return { is: "waiting", reason, ...(message === undefined ? {} : { message }) };
}

function terminatedOf(told: NonNullable<State["terminated"]>): Terminated {
  const { exitCode, signal, reason = "", message, containerID } = told;
  return {
    exitCode,
    reason,
    startedAt: at(told.startedAt),
    finishedAt: at(told.finishedAt),
    ...(signal === undefined ? {} : { signal }),
    ...(message === undefined ? {} : { message }),
    ...(containerID === undefined ? {} : { containerID }),
  };
}

/** A time that is not set is null on the wire, and the beginning of time here. */
const at = (text: string | null | undefined): Instant => parseTime(text ?? undefined) ?? instant(0);
