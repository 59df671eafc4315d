// LocustTests in the simulation: one that passes, one that fails, one that is deleted.
import type { Clock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { Node } from "@telltale/kinds/builtin";
import type { Around, Backend, BackendFault, Deed, Scenario } from "@telltale/simulation";
import { controllers, machines, simulatedRuntime } from "@telltale/workloads";
import type { Config } from "../src/config.ts";
import { type Answer, LocustTest, locustOperator, standardConfig, type WebApi } from "../src/index.ts";
import { quickCluster } from "./quick-cluster.ts";
import { endsWithItsJob, safety } from "./safety.ts";

/** Nobody hears what it has to say. */
const mute: ReadonlySet<BackendFault | undefined> = new Set(["failing", "slow", "unreachable", "losing"]);

/** A master's web API that answers by the clock: three workers, a hundred users, ever more requests. */
class FakeMaster implements WebApi, Backend {
  readonly #clock: Clock;
  #first: number | undefined;
  /** When its process last began anew: it counts from there. */
  #began = 0;
  #fault: BackendFault | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async read(): Promise<Answer> {
    this.#first ??= this.#clock.uptime();
    // A run takes half a minute: whoever asks much later asks a master that has ended.
    const isOver = this.#clock.uptime() - this.#first > 180_000;
    if (isOver || mute.has(this.#fault)) throw new Error("connection refused");
    const requests = Math.floor((this.#clock.uptime() - this.#began) / 100);
    const totals = {
      name: "Aggregated",
      num_requests: requests,
      num_failures: 0,
      avg_response_time: 80,
      current_rps: 10,
    };
    const body = {
      state: "running",
      user_count: 100,
      worker_count: 3,
      ...(this.#fault === "partial" ? {} : { stats: [totals] }),
    };
    return { status: 200, type: "application/json", body: JSON.stringify(body) };
  }

  fail(how: BackendFault): void {
    this.#fault = how;
    if (how === "restarting") this.#began = this.#clock.uptime();
  }

  heal(): void {
    this.#fault = undefined;
  }
}

const test = (name = "demo", master: Record<string, unknown> = {}): KubeObject =>
  ({
    apiVersion: LocustTest.apiVersion,
    kind: LocustTest.kind,
    metadata: { name, namespace: "default" },
    spec: {
      image: "locustio/locust:2.46.3",
      master: { command: "-f /lotest/src/test.py --users 100 --run-time 30s", ...master },
      worker: { command: "-f /lotest/src/test.py", replicas: 3 },
    },
  }) as KubeObject;

/** One of many that are soon done with: what it asks for cannot be run. */
const invalid = (i: number): KubeObject => test(`crowd-${i}`, { command: "-f /lotest/src/test.py --worker" });

/** What a cluster needs to run Jobs, and no more: a node that is there without heartbeats, and that somebody has called ready. */
const cluster = ["job-controller", "job-orphan-controller", "kubelet", "default-scheduler"];
const resources = { cpu: "8", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "1000" };
const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "embedded-node" },
  status: { capacity: resources, allocatable: resources, conditions: [{ type: "Ready", status: "True" }] },
} as KubeObject;

const ready: Deed = {
  at: 500,
  what: "takes the taint off the node",
  act: (client) => client.patch(Node, { name: "embedded-node" }, { merge: { spec: { taints: null } } }),
};

/** What the master's web API tells, names that chance gives, and whether the workers ended by themselves or were stopped. */
const free = [
  "*.status.testResult",
  "*.status.progress",
  "*.status.connectedWorkers",
  "*.status.workersSource",
  "*.status.conditions.WorkersConnected",
  "*.status.conditions.TelemetryAvailable",
  "*.status.mostConnectedWorkers",
  "*.status.lostWorkers",
  "*.status.conditions.PodsHealthy",
  "*.status.conditions.LoadComplete",
  "Pod *",
  "Job default/demo-worker.spec.suspend",
  "Job default/demo-worker.status*",
];

const withConfig = ({ clock, backend }: Pick<Around<FakeMaster>, "clock" | "backend">, config: Config) =>
  locustOperator({ config, clock, api: backend, transport: nobody });

const base: Omit<Scenario<FakeMaster>, "name" | "apply"> = {
  kinds: [LocustTest],
  operator: (around) => withConfig(around, standardConfig),
  given: [node],
  others: () => {
    const all = [...controllers(), ...machines({ runtime: simulatedRuntime({ jobRunTime: 30_000 }) })];
    return all.filter(({ name }) => cluster.includes(name));
  },
  backend: ({ clock }) => new FakeMaster(clock),
  people: [ready],
  // It runs with the spec that it found when it began, also where somebody changed it just then, and tells of edits since.
  // Jobs whose creation is refused for a quarter of an hour are given up.
  differs: ({ p, every }) => ["P22", "P33", "P34"].includes(p) || (p === "P16" && every === 1),
  crowd: invalid,
  safety,
  // Longer than it tries to make something whose name somebody else has.
  quiet: 16 * 60_000,
  // A test runs once: a Job that somebody takes away ends it, and what somebody changes stays as it is.
  leaves: ["Job", "Service"],
  free,
  // Its clock for creation starts where pods were awaited before.
  restamps: ["Ready"],
};

const nobody = { send: () => Promise.reject(new Error("nobody asks the API server")), close: async () => {} };

export const passing: Scenario<FakeMaster> = {
  ...base,
  name: "passing",
  apply: [test()],
  // Load counts from when it was first seen: whoever was paused then may hold it for too short.
  free: [...free, "*.status.conditions.TestCompleted.message"],
};
export const failing: Scenario<FakeMaster> = {
  ...base,
  name: "failing",
  apply: [test("demo", { annotations: { "sim.telltale.dev/exit-code": "1" } })],
  // Whoever is shown old pods knows that the Job failed, and not with which code.
  free: [...free, "*.status.conditions.TestCompleted.message", "*.status.conditions.Ready.message"],
};
export const deleted: Scenario<FakeMaster> = {
  ...base,
  name: "deleted",
  apply: [test()],
  people: [
    ready,
    {
      at: 15_000,
      what: "deletes the test",
      act: (client) => client.delete(LocustTest, { namespace: "default", name: "demo" }, { propagation: "Background" }),
    },
  ],
};

const withOneWorker = (it: KubeObject): KubeObject => {
  const { spec } = it as KubeObject & { readonly spec: { readonly worker: object } };
  return { ...it, spec: { ...spec, worker: { ...spec.worker, replicas: 1 } } } as KubeObject;
};

const quickly = (scenario: Scenario<FakeMaster>): Scenario<FakeMaster> => ({
  ...scenario,
  name: `${scenario.name}-quickly`,
  apply: scenario.apply.map(withOneWorker),
  given: [],
  people: (scenario.people ?? []).filter((deed) => deed !== ready),
  others: () => quickCluster(30_000),
});

/** The same three without nodes, a scheduler and a kubelet: for many plans. */
export const quick = {
  passing: { ...quickly(passing), guards: [endsWithItsJob(withConfig)] },
  failing: quickly(failing),
  deleted: quickly(deleted),
};
