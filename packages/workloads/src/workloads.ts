// Everything that makes pods run, as one thing to start: the controllers, the scheduler, the nodes and what runs on them.
import type { Transport } from "@telltale/client";
import { type Clock, type Random, systemClock, systemRandom } from "@telltale/clock";
import { type Log, manager, type Sink, silentLog } from "@telltale/runtime";
import { type ControllerOptions, controllers } from "./controllers.ts";
import { type MachineOptions, machines } from "./machines.ts";
import { taintEviction } from "./node/eviction.ts";
import { podGarbage } from "./node/garbage.ts";
import { nodeLifecycle } from "./node/lifecycle.ts";
import { simulatedRuntime } from "./simulated/runtime.ts";

export interface WorkloadsOptions extends ControllerOptions, Partial<MachineOptions> {
  /** To the server, as somebody who may do everything. */
  readonly transport: Transport;
  /** Controllers that are left out, by name: `["job-controller"]`. */
  readonly without?: readonly string[];
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly sinks?: readonly Sink[];
}

export interface Workloads {
  /** Works until the signal is raised; resolves when everything has ended, the pods' processes included. */
  run(signal: AbortSignal): Promise<void>;
  /** What keeps it from working, in words. Empty: nothing. */
  troubles(): readonly string[];
}

export function workloads(options: WorkloadsOptions): Workloads {
  const { transport, without = [], clock = systemClock, random = systemRandom, log = silentLog } = options;
  const runtime = options.runtime ?? simulatedRuntime();
  const looked = [nodeLifecycle(), podGarbage(), taintEviction()];
  const all = [...controllers(options), ...looked, ...machines({ ...options, runtime })];
  const unknown = without.filter((name) => !all.some((it) => it.name === name));
  if (unknown.length > 0) {
    const names = all.map((it) => it.name).sort();
    throw new TypeError(`workloads: there is no ${unknown.join(", ")} to leave out; there are ${names.join(", ")}`);
  }
  const working = manager({
    name: "kube-controller-manager",
    transport,
    controllers: all.filter((it) => !without.includes(it.name)),
    clock,
    random,
    log,
    events: "v1",
    ...(options.sinks === undefined ? {} : { sinks: options.sinks }),
  });
  return {
    async run(signal) {
      try {
        await working.run(signal);
      } finally {
        await runtime.stop();
      }
    },
    troubles: () => working.troubles(),
  };
}
