// What runs the pods of an embedded cluster: simulated ones that behave as the operators' backends would, and real ones where an
// operator has them. What a pod's own annotations say comes before how it is to behave.
import type { Pod } from "@telltale/kinds/builtin";
import { type PodAccess, type PodRuntime, type RuntimeSurroundings, simulatedRuntime } from "@telltale/workloads";
import type { RealPods } from "../operators/operator.ts";

export type Behave = (pod: Pod) => Readonly<Record<string, string>> | undefined;

export interface EmbeddedPods extends PodRuntime {
  readonly access: PodAccess;
  /** By uid, as they were last seen. */
  readonly pods: ReadonlyMap<string, Pod>;
  behave(how: Behave): void;
  /** Before the first pod. */
  add(real: RealPods): void;
}

export function embeddedPods(): EmbeddedPods {
  // A person sees a pod start, and a Job's pod that nobody says anything about runs for a moment.
  const simulated = simulatedRuntime({ behaviour: { ready: 1_000 }, jobRunTime: 2_000 });
  const pods = new Map<string, Pod>();
  const ways: Behave[] = [];
  const reals: RealPods[] = [];
  const all = (): readonly PodRuntime[] => [simulated, ...reals.map(({ runtime }) => runtime)];
  const realOf = (pod: Pod): PodRuntime | undefined => reals.find(({ runs }) => runs(pod))?.runtime;
  const accessOf = (pod: Pod): PodAccess => realOf(pod)?.access ?? simulated.access;
  return {
    pods,
    behave: (how) => void ways.push(how),
    add: (real) => void reals.push(real),
    access: {
      logs: (pod, options) => accessOf(pod).logs(pod, options),
      exec: (pod, options) => accessOf(pod).exec(pod, options),
      address: (pod, port) => accessOf(pod).address(pod, port),
    },
    async start(around: RuntimeSurroundings) {
      await Promise.all(all().map((runtime) => runtime.start(around)));
    },
    sync(pod, now, refers) {
      pods.set(pod.metadata?.uid ?? "", pod);
      const real = realOf(pod);
      if (real !== undefined) return real.sync(pod, now, refers);
      const told = ways.map((way) => way(pod)).find((it) => it !== undefined);
      const annotations = { ...told, ...pod.metadata?.annotations };
      return simulated.sync({ ...pod, metadata: { ...pod.metadata, annotations } }, now, refers);
    },
    async drop(uid) {
      pods.delete(uid);
      await Promise.all(all().map((runtime) => runtime.drop(uid)));
    },
    *kept() {
      for (const runtime of all()) yield* runtime.kept?.() ?? [];
    },
    async stop() {
      await Promise.all(all().map((runtime) => runtime.stop()));
    },
  };
}
