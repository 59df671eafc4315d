// All four operators beside objects of others, on a real kube-apiserver that ends every watch after seconds in place of minutes:
// what an idle hour does to watches. Each goes on where it was, and nothing is listed again.
import {
  type Client,
  createClient,
  findConnection,
  httpTransport,
  isAlreadyExists,
  type Request,
  type Transport,
} from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { type Manager, manager, type Sample, silentLog } from "@telltale/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { applyAll } from "../src/install/apply.ts";
import type { Operator } from "../src/operators/operator.ts";
import { chosen } from "../src/operators/table.ts";

const namespace = "default";
/** How long a watch lasts, in seconds, and how often each has to have been begun again. */
const lasts = 2;
const renewals = 3;

const labels = { app: "foreign" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "nowhere/none:1" }] } };
/** What an object of a kind needs besides its name. */
const bodies: Readonly<Record<string, object>> = {
  ConfigMap: {},
  ControllerRevision: { revision: 1, data: {} },
  CronJob: { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template: jobTemplate() } } } },
  Deployment: { spec: { selector: { matchLabels: labels }, template } },
  EndpointSlice: { addressType: "IPv4", endpoints: [] },
  Job: { spec: { template: jobTemplate() } },
  Lease: {},
  Namespace: {},
  NetworkPolicy: { spec: { podSelector: {} } },
  Node: {},
  PersistentVolumeClaim: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  Pod: { spec: template.spec },
  ReplicaSet: { spec: { selector: { matchLabels: labels }, template } },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector: { matchLabels: labels } } },
  Secret: {},
  Service: { spec: { ports: [{ port: 80 }] } },
  ServiceAccount: {},
  StatefulSet: { spec: { selector: { matchLabels: labels }, serviceName: "none", template } },
};

function jobTemplate(): object {
  return { spec: { ...template.spec, restartPolicy: "Never" } };
}

/** Watches end soon, by the server's own hand. */
function shortened(transport: Transport): Transport {
  return {
    send: (request: Request) =>
      transport.send({ ...request, path: request.path.replace(/\btimeoutSeconds=\d+/, `timeoutSeconds=${lasts}`) }),
    close: () => transport.close(),
  };
}

interface Running {
  readonly manager: Manager;
  readonly samples: Sample[];
  stop(): Promise<void>;
}

const assets = assetsFor("operators that are idle beside objects of others");

describe.skipIf(assets === undefined)("beside objects of others", () => {
  let controlPlane: ControlPlane;
  let client: Client;
  let operators: readonly Operator[];
  const connect = async () => httpTransport(await findConnection({ clock, path: controlPlane.kubeconfig, env: {} }));

  beforeAll(async () => {
    controlPlane = await startControlPlane({ assets: assets ?? "" });
    client = createClient({ transport: await connect(), clock, random });
    operators = await chosen(undefined);
    const definitions = operators.flatMap((operator) => [
      ...(operator.foreign ?? []),
      ...operator.crds({ namespace, settings: operator.settings({}, {}), webhooks: false }),
    ]);
    await applyAll(definitions, { client, clock });
  }, 180_000);
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  async function prepare(operator: Operator): Promise<Running & { run(): void }> {
    const transport = shortened(await connect());
    const own = createClient({ transport, clock, random });
    const settings = operator.settings({ ...operator.outside }, {});
    const around = { transport, client: own, clock, random, log: silentLog, namespace, settings };
    const { controllers, options } = await operator.start(around);
    const samples: Sample[] = [];
    const { metrics: _, probes: __, ...rest } = options;
    const sinks = [(sample: Sample) => samples.push(sample)];
    const it = manager({ name: operator.name, transport, controllers, clock, random, sinks, grace: 0, ...rest });
    const stop = new AbortController();
    let ended: Promise<void> = Promise.resolve();
    return {
      manager: it,
      samples,
      run: () => {
        ended = it.run(stop.signal);
      },
      async stop() {
        stop.abort();
        await ended;
        await transport.close();
      },
    };
  }

  /** One object that nobody of us has made, of each kind that is not an operator's own. */
  async function createForeign(kinds: ReadonlyMap<string, KindRef>): Promise<void> {
    const unknown = [...kinds.keys()].filter((kind) => bodies[kind] === undefined);
    if (unknown.length > 0) throw new Error(`operators read ${unknown.join(", ")}: say what such objects need`);
    for (const kind of kinds.values()) {
      const name = `foreign-${kind.kind.toLowerCase()}`;
      const metadata = kind.scope === "Cluster" ? { name } : { name, namespace };
      await client
        .create(kind, { apiVersion: kind.apiVersion, kind: kind.kind, metadata, ...bodies[kind.kind] } as KubeObject)
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
    }
  }

  test("nothing is listed after the first time, however often watches end", async () => {
    const all = await Promise.all(operators.map(prepare));
    const isOwn = (kind: KindRef) => operators.some(({ kinds }) => kinds.some(({ plural }) => plural === kind.plural));
    const foreign = new Map<string, KindRef>();
    for (const { kind } of all.flatMap(({ manager }) => manager.cache.held())) {
      if (!isOwn(kind) && !kind.group.includes("cluster.x-k8s.io")) foreign.set(kind.kind, kind);
    }
    expect(foreign.size).toBeGreaterThan(5);
    await createForeign(foreign);
    try {
      for (const { run } of all) run();
      const limit = clock.uptime() + 60_000;
      const until = async (holds: () => boolean, what: () => string) => {
        for (; !holds(); await sleep(clock, 100)) if (clock.uptime() > limit) throw new Error(what());
      };
      const troubles = () => all.flatMap(({ manager }) => manager.troubles());
      await until(
        () => troubles().length === 0,
        () => `not read: ${troubles().join("; ")}`,
      );
      for (const { samples } of all) samples.length = 0;
      const happened = (samples: readonly Sample[], what: string) =>
        samples.flatMap((sample) => (sample.is === "watch" && sample.what === what ? [sample.kind] : []));
      const rare = () =>
        all.flatMap(({ manager, samples }) => {
          const resumed = happened(samples, "resumed");
          const kinds = [...new Set(manager.cache.held().map(({ kind }) => kind.kind))];
          return kinds.filter((kind) => resumed.filter((it) => it === kind).length < renewals);
        });
      const isListed = () => all.some(({ samples }) => happened(samples, "listed").length > 0);
      await until(
        () => isListed() || rare().length === 0,
        () => `did not end ${renewals} times: ${rare().join(", ")}`,
      );
      for (const what of ["listed", "rewound", "expired", "failed"]) {
        expect(all.map(({ samples }) => happened(samples, what))).toEqual(all.map(() => []));
      }
    } finally {
      for (const { stop } of all) await stop();
    }
  }, 120_000);
});
