// A cluster with nodes, a scheduler and simulated pods, and what a person sees of it.
import { CoreEvent, Pod } from "@telltale/kinds/builtin";
import type { Controller } from "@telltale/runtime";
import { type MachineOptions, machines } from "../src/machines.ts";
import { taintEviction } from "../src/node/eviction.ts";
import { podGarbage } from "../src/node/garbage.ts";
import { nodeLifecycle } from "../src/node/lifecycle.ts";
import { type SimulatedOptions, type SimulatedRuntime, simulatedRuntime } from "../src/simulated/runtime.ts";
import { type Cluster, cluster } from "./cluster.ts";

export interface Machine extends Cluster {
  readonly runtime: SimulatedRuntime;
  /** A pod in `default` with one container, `main`, unless it says otherwise. */
  create(name: string, annotations?: Record<string, string>, spec?: Partial<NonNullable<Pod["spec"]>>): Promise<Pod>;
  pod(name: string): Promise<Pod>;
  /** `Running: main running ready`. */
  view(name: string): Promise<string>;
  condition(name: string, type: string): Promise<string>;
  /** `Warning Failed: ...` of one object. */
  events(name: string): Promise<readonly string[]>;
  /** All of it begins anew with nothing in memory, after the old one was cut off where it was. */
  renew(): Promise<void>;
}

export interface MachineTest extends Partial<Omit<MachineOptions, "runtime">> {
  readonly simulated?: SimulatedOptions;
  /** Beside those of the machine. */
  readonly controllers?: () => readonly Controller[];
  readonly seed?: number;
}

export async function machine(options: MachineTest = {}): Promise<Machine> {
  const { simulated = {}, controllers = () => [], seed = 1, ...rest } = options;
  let runtime = simulatedRuntime(simulated);
  const all = () => [
    ...machines({ runtime, ...rest }),
    nodeLifecycle(),
    taintEviction(),
    podGarbage(),
    ...controllers(),
  ];
  const it = await cluster(all(), {}, seed);
  await it.pass(1_000);
  const namespace = "default";
  const pod = (name: string) => it.client.get(Pod, name, { namespace });
  return {
    ...it,
    get runtime() {
      return runtime;
    },
    pod,
    create(name, annotations = {}, spec = {}) {
      const containers = [{ name: "main", image: "example.test/app:1" }];
      return it.client.create(Pod, { metadata: { name, namespace, annotations }, spec: { containers, ...spec } });
    },
    view: async (name) => shown(await pod(name)),
    async condition(name, type) {
      const found = (await pod(name)).status?.conditions?.find((condition) => condition.type === type);
      return [found?.status, found?.reason, found?.message].filter((part) => part !== undefined).join(" ");
    },
    async events(name) {
      const { items } = await it.client.list(CoreEvent, {});
      const about = items.filter(({ involvedObject }) => involvedObject.name === name);
      return about.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).toSorted();
    },
    async renew() {
      runtime = simulatedRuntime(simulated);
      await it.crash(all());
    },
  };
}

function shown({ status, metadata }: Pod): string {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const containers = all.map(({ name, state, ready, restartCount }) => {
    const { running, terminated, waiting } = state ?? {};
    const stands =
      running !== undefined ? "running" : (waiting?.reason ?? `${terminated?.reason} ${terminated?.exitCode}`);
    return `${name} ${stands}${ready ? " ready" : ""}${restartCount > 0 ? ` ${restartCount}x` : ""}`;
  });
  const leaving = metadata?.deletionTimestamp === undefined ? "" : " (leaving)";
  return `${status?.phase}${leaving}: ${containers.join(", ")}`;
}
