// Simulated pods that behave as the operators' backends would: what a pod's own annotations say comes before that.
import type { Pod } from "@telltale/kinds/builtin";
import { type SimulatedRuntime, simulatedRuntime } from "@telltale/workloads";

export type Behave = (pod: Pod) => Readonly<Record<string, string>> | undefined;

export interface PretendedPods extends SimulatedRuntime {
  /** By uid, as they were last seen. */
  readonly pods: ReadonlyMap<string, Pod>;
  behave(how: Behave): void;
}

export function pretendedPods(): PretendedPods {
  // A person sees a pod start, and a Job's pod that nobody says anything about runs for a moment.
  const inner = simulatedRuntime({ behaviour: { ready: 1_000 }, jobRunTime: 2_000 });
  const pods = new Map<string, Pod>();
  let ways: readonly Behave[] = [];
  return {
    ...inner,
    pods,
    behave(how) {
      ways = [...ways, how];
    },
    sync(pod, now, refers) {
      pods.set(pod.metadata?.uid ?? "", pod);
      const told = ways.map((way) => way(pod)).find((it) => it !== undefined);
      const annotations = { ...told, ...pod.metadata?.annotations };
      return inner.sync({ ...pod, metadata: { ...pod.metadata, annotations } }, now, refers);
    },
    drop(uid) {
      pods.delete(uid);
      return inner.drop(uid);
    },
  };
}
