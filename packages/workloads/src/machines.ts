// What a cluster has beside its controller manager: nodes, a kubelet for them, and a scheduler.
import type { Controller } from "@telltale/runtime";
import { kubelet } from "./kubelet/kubelet.ts";
import type { PodRuntime } from "./kubelet/pod-runtime.ts";
import { nodeAgent } from "./node/agent.ts";
import { type NodeOptions, standardNodes } from "./node/shape.ts";
import { scheduler } from "./scheduler/scheduler.ts";

export interface MachineOptions {
  /** What runs the pods. Whoever made it stops it, after the manager has ended. */
  readonly runtime: PodRuntime;
  /** Default: one, `embedded-node`. */
  readonly nodes?: readonly NodeOptions[];
}

export function machines({ runtime, nodes = standardNodes }: MachineOptions): readonly Controller[] {
  return [kubelet({ runtime, nodes: nodes.map(({ name }) => name) }), nodeAgent({ nodes, runtime }), scheduler()];
}
