// How many plans of the simulation a core tries in a second: for a controller with two children, and for one whose Deployment is run
// by the cluster's own controllers on simulated pods. What is tried is each fault alone, as a campaign begins, and random walks.
import { startApiServer } from "@telltale/apiserver";
import { seededRandom, systemClock, VirtualClock } from "@telltale/clock";
import {
  conditions,
  defineKind,
  Fields,
  Int32,
  type KubeObject,
  no,
  positive,
  type Resource,
  toCrd,
  yes,
} from "@telltale/kinds";
import { ConfigMap, Deployment, Service } from "@telltale/kinds/builtin";
import { controller } from "@telltale/runtime";
import { type Scenario, simulate } from "@telltale/simulation";
import { controllers, machines, simulatedRuntime } from "@telltale/workloads";
import type { Result } from "./table.ts";

export async function measureSimulation(): Promise<Result[]> {
  return [
    ...(await rate("a controller with two children", twoChildren, 2000, 100)),
    ...(await rate("a Deployment on simulated pods", withPods, 150)),
    ...(await starts()),
  ];
}

const ready = conditions({
  Ready: positive({
    means: "It is there",
    reasons: { There: yes("It is there"), Missing: no("Something is missing", "wait") },
  }),
});

const Booth = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Booth",
  spec: Fields({ size: Int32({ minimum: 0, maximum: 9 }) }),
  status: Fields({}),
  conditions: ready,
});
type Booth = Resource<typeof Booth>;

const booth: Booth = {
  apiVersion: Booth.apiVersion,
  kind: Booth.kind,
  metadata: { name: "one", namespace: "default" },
  spec: { size: 1 },
};

const grows = {
  at: 5_000,
  what: "wants it larger",
  act: (client: Parameters<NonNullable<Scenario["people"]>[number]["act"]>[0]) =>
    client.patch(Booth, { namespace: "default", name: "one" }, { merge: { spec: { size: 3 } } }),
};

const isThere = (as: string): boolean => as !== "foreign" && as !== "terminating";

const twoChildren: Scenario = {
  name: "two-children",
  kinds: [Booth],
  apply: [booth],
  people: [grows],
  operator: () => [
    controller(Booth)
      .owns(ConfigMap, Service)
      .reconcile({
        observe: (it) => ({ it, made: [] as readonly string[] }),
        async act(_plan, hands, { it }) {
          const { name = "" } = it.metadata;
          const map = await hands.ensure(ConfigMap, { metadata: { name }, data: { size: `${it.spec.size}` } });
          const spec = { ports: [{ port: 80 }], selector: { booth: name } };
          const service = await hands.ensure(Service, { metadata: { name }, spec });
          return { it, made: [map.as, service.as] };
        },
        status({ made }, draft, now) {
          if (made.every(isThere)) draft.condition("Ready", true, "There", "It is there");
          else draft.condition("Ready", false, "Missing", "Something is missing").wake((now + 10_000) as typeof now);
        },
      }),
  ],
};

const labels = { app: "booth" };
const resources = { cpu: "8", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "1000" };
const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "embedded-node" },
  status: { capacity: resources, allocatable: resources, conditions: [{ type: "Ready", status: "True" }] },
} as KubeObject;

const withPods: Scenario = {
  name: "with-pods",
  kinds: [Booth],
  apply: [booth],
  people: [grows],
  given: [node],
  free: ["Pod *", "ReplicaSet *", "Deployment *"],
  others: () => {
    const needed = ["deployment-controller", "replicaset-controller", "kubelet", "default-scheduler"];
    return [...controllers(), ...machines({ runtime: simulatedRuntime() })].filter(({ name }) => needed.includes(name));
  },
  operator: () => [
    controller(Booth)
      .owns(Deployment)
      .reconcile({
        observe: (it, look) => ({ it, deployment: look.children(Deployment)[0], as: "" }),
        async act(_plan, hands, { it }) {
          const containers = [{ name: "main", image: "example.test/app:1" }];
          const { as } = await hands.ensure(Deployment, {
            metadata: { name: it.metadata.name ?? "" },
            spec: {
              replicas: it.spec.size,
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers } },
            },
          });
          return { it, deployment: hands.children(Deployment)[0], as };
        },
        status({ it, deployment, as }, draft, now) {
          if ((deployment?.status?.availableReplicas ?? 0) >= it.spec.size && isThere(as))
            draft.condition("Ready", true, "There", "It is there");
          else draft.condition("Ready", false, "Missing", "Something is missing");
          if (!isThere(as)) draft.wake((now + 10_000) as typeof now);
        },
      }),
  ],
};

async function rate(what: string, scenario: Scenario, plans: number, atLeast?: number): Promise<Result[]> {
  await simulate(scenario, { plans, seed: 2 }); // what is compiled once is not what is measured: a campaign is long
  const [cpu, began] = [process.cpuUsage(), systemClock.uptime()];
  const { plans: tried, failure } = await simulate(scenario, { plans });
  const took = systemClock.uptime() - began;
  const used = process.cpuUsage(cpu);
  if (failure !== undefined) console.error(`${what}: plan ${tried} breaks ${JSON.stringify(failure.violations[0])}`);
  const result = (name: string, value: number): Result => ({ suite: "simulation", name, value, unit: "plans" });
  return [
    result(`${what}: per second`, (tried * 1000) / took),
    {
      ...result(`${what}: per second of a core`, (tried * 1e6) / (used.user + used.system)),
      ...(atLeast === undefined ? {} : { atLeast }),
    },
  ];
}

/** What each plan pays before anything happens. */
async function starts(): Promise<Result[]> {
  const count = 200;
  const open = (from?: ReturnType<Awaited<ReturnType<typeof startApiServer>>["snapshot"]>) =>
    startApiServer({
      listen: false,
      clock: new VirtualClock(),
      random: seededRandom(1),
      authorization: "always-allow",
      objects: [toCrd(Booth)],
      storage: { kind: "memory", ...(from === undefined ? {} : { from }) },
    });
  const first = await open();
  const snapshot = first.snapshot();
  await first.stop();
  const began = systemClock.uptime();
  for (let i = 0; i < count; i += 1) await (await open(snapshot)).stop();
  const value = (systemClock.uptime() - began) / count;
  return [{ suite: "simulation", name: "a server from a snapshot", value, unit: "ms" }];
}
