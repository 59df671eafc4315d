// Pods, containers and reports for tests of what a kubelet does with them.
import { type Instant, instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { ContainerReport, ContainerState, PodReport, References } from "../src/kubelet/pod-runtime.ts";
import { statusOf } from "../src/kubelet/pod-status.ts";

type Spec = NonNullable<Pod["spec"]>;
type Container = Spec["containers"][number];

/** Midnight, and so many seconds after it. */
export const at = (seconds: number): Instant => instant(Date.UTC(2026, 0, 1) + seconds * 1000);

export const container = (name: string, more: Partial<Container> = {}): Container => ({
  name,
  image: "example.test/app:1",
  ...more,
});

export function pod(spec: Partial<Spec> = {}, metadata: Pod["metadata"] = {}): Pod {
  return {
    metadata: { name: "p", namespace: "default", uid: "u", generation: 1, ...metadata },
    spec: { nodeName: "node-1", containers: [container("main")], restartPolicy: "Always", ...spec },
    status: { phase: "Pending", qosClass: "BestEffort" },
  };
}

export const running = (seconds = 0): ContainerState => ({ is: "running", startedAt: at(seconds) });
export const waiting = (reason = "ContainerCreating"): ContainerState => ({ is: "waiting", reason });
export const ended = (exitCode: number, seconds = 1): ContainerState & { is: "terminated" } => ({
  is: "terminated",
  exitCode,
  reason: exitCode === 0 ? "Completed" : "Error",
  startedAt: at(0),
  finishedAt: at(seconds),
});

/** Ready and started where it runs. */
export function report(name: string, state: ContainerState, more: Partial<ContainerReport> = {}): ContainerReport {
  const runs = state.is === "running";
  return { name, state, restartCount: 0, isReady: runs, isStarted: runs, ...more };
}

export const reported = (
  containers: readonly ContainerReport[],
  more: Partial<PodReport> = {},
): PodReport & { readonly podIP?: string } => ({ initContainers: [], containers, podIP: "10.244.0.1", ...more });

/** The pod as it is when its status has been written. */
export const written = (it: Pod, said: PodReport, now: Instant): Pod => ({
  ...it,
  status: statusOf({ pod: it, report: said, hostIP: "10.0.0.1" }, now),
});

export const nothing: References = {
  configMap: () => undefined,
  secret: () => undefined,
  token: () => Promise.reject(new Error("nobody asks for a token here")),
  services: () => ({}),
};
