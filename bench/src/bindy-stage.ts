// The DNS operator in virtual time: the server, simulated pods with a simulated Bindcar in each, and all that is sent, counted.

import { startApiServer } from "@telltale/apiserver";
import {
  bindcarClient,
  bindyKinds,
  bindyOperator,
  fixedToken,
  SimulatedBindcar,
  simulatedWire,
  standardConfig,
} from "@telltale/bindy";
import { type Client, createClient, inProcessTransport, type Request } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { type Ms, toCrd } from "@telltale/kinds";
import { Pod } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { simulatedRuntime, workloads } from "@telltale/workloads";

export const namespace = "dns-system";

/** What the operator sent to the API server. */
export interface Sent {
  readonly line: string;
  readonly size: number;
}

export interface Stage {
  readonly clock: VirtualClock;
  readonly client: Client;
  pass(by: Ms): Promise<void>;
  /** How long it took until it was true, a second at a time. */
  until(what: () => Promise<boolean>, limit: Ms): Promise<Ms>;
  /** Writes, and reads of single objects, since the last time that somebody asked. */
  sent(): { readonly writes: readonly Sent[]; readonly reads: readonly Sent[] };
  pods(): Promise<readonly Pod[]>;
  bindcar(pod: Pod | undefined): SimulatedBindcar;
  end(): Promise<void>;
}

/** Pods are ready after a second. `limited`: by so many requests a second as an operator sends that nobody has set up otherwise. */
export async function bindyStage(pace: "limited" | "unlimited"): Promise<Stage> {
  const clock = new VirtualClock();
  const named = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const objects = [...bindyKinds.map((kind) => toCrd(kind)), named(namespace), named("bindy-system")];
  const server = await startApiServer({ listen: false, clock, random: seededRandom(1), objects });
  const way = () => inProcessTransport(server.client);
  const client = createClient({ transport: way(), clock, random: seededRandom(2), fieldManager: "person" });
  const runtime = simulatedRuntime({ behaviour: { ready: 1_000 } });
  const bindcars = new Map<string, SimulatedBindcar>();
  const at = (endpoint: string): SimulatedBindcar => {
    const address = endpoint.split(":")[0] ?? "";
    const serverAt = (other: string) => bindcars.get(other.split(":")[0] ?? "")?.nameserver;
    const it = bindcars.get(address) ?? new SimulatedBindcar({ clock, random: seededRandom(7), address, serverAt });
    bindcars.set(address, it);
    return it;
  };
  let writes: Sent[] = [];
  let reads: Sent[] = [];
  const inner = way();
  const transport = {
    send(request: Request) {
      const line = `${request.method} ${request.path.split("?")[0]}`;
      const one = { line, size: String(request.body ?? "").length };
      if (request.method !== "GET" && !line.includes("/events")) writes.push(one);
      if (request.method === "GET" && /\/namespaces\/[^/]+\/[^/]+\/[^/]+/.test(line)) reads.push(one);
      return inner.send(request);
    },
    close: () => inner.close(),
  };
  const random = seededRandom(5);
  const bindcar = bindcarClient({ wire: simulatedWire({ find: at, clock }), token: fixedToken("t"), clock, random });
  const config = { ...standardConfig, process: { ...standardConfig.process, replicas: { as: "one" as const } } };
  const limit = pace === "limited" ? { rate: config.process.rate } : {};
  const controllers = bindyOperator({ config, transport, clock, random, bindcar });
  const stop = new AbortController();
  const running = Promise.all([
    workloads({ transport: way(), clock, random: seededRandom(3), runtime }).run(stop.signal),
    manager({ name: "bindy", controllers, clock, random, events: "v1", transport, ...limit }).run(stop.signal),
  ]);
  const pass = async (by: Ms) => {
    for (let i = 0; i < 6; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 6; i += 1) await turn();
    await server.settle();
  };
  await pass(1_000);
  return {
    clock,
    client,
    pass,
    async until(what, limit) {
      const began = clock.now();
      while (!(await what()) && clock.now() - began < limit) await pass(1_000);
      return clock.now() - began;
    },
    sent() {
      const all = { writes, reads };
      [writes, reads] = [[], []];
      return all;
    },
    pods: async () => (await client.list(Pod, { namespace })).items,
    bindcar: (pod) => at(pod?.status?.podIP ?? ""),
    async end() {
      stop.abort();
      let isOver = false;
      void running.finally(() => {
        isOver = true;
      });
      while (!isOver) await pass(1_000);
      await server.stop();
    },
  };
}
