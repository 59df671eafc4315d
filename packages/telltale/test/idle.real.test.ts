// All four operators beside objects of others, on a real kube-apiserver that ends every watch after seconds in place of minutes:
// what an idle hour does to watches. Each goes on where it was, and nothing is listed again. They run twice: one of each watches
// all namespaces, and one of each only a namespace in which there is no object of its kinds.
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
import { Namespace } from "@telltale/kinds/builtin";
import { type Manager, manager, type Sample, silentLog } from "@telltale/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { applyAll } from "../src/install/apply.ts";
import type { Operator } from "../src/operators/operator.ts";
import { chosen } from "../src/operators/table.ts";
import { foreignObjects } from "./foreign-objects.ts";

const namespace = "default";
/** Where objects of the operators' own kinds are. */
const elsewhere = "elsewhere";
/** What limits each operator to the one namespace. The machines of capt have watches of their own. */
const limits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bindy: { "watch-namespaces": namespace },
  capt: { namespace, "feature-gates": "Machines=true" },
  locust: { "watch-namespaces": namespace },
  virtrigaud: { "watch-namespaces": namespace },
};
/** How long a watch lasts, in seconds, and how often each has to have been begun again. */
const lasts = 2;
const renewals = 3;

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
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: elsewhere } });
  }, 180_000);
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  async function prepare(
    operator: Operator,
    flags: Readonly<Record<string, string>>,
  ): Promise<Running & { run(): void }> {
    const transport = shortened(await connect());
    const own = createClient({ transport, clock, random });
    const settings = { ...operator.outside, ...operator.settings({}, flags) };
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

  /** One object that nobody of us has made, of each kind that is read. */
  async function createForeign(kinds: readonly KindRef[], namespace: string): Promise<void> {
    const unknown = kinds.filter(({ kind }) => foreignObjects[kind] === undefined).map(({ kind }) => kind);
    if (unknown.length > 0) throw new Error(`operators read ${unknown.join(", ")}: say what such objects need`);
    for (const { apiVersion, kind, scope, ...rest } of kinds) {
      const name = `foreign-${kind.toLowerCase()}`;
      const metadata = scope === "Cluster" ? { name } : { name, namespace };
      await client
        .create({ apiVersion, kind, scope, ...rest }, {
          apiVersion,
          kind,
          metadata,
          ...foreignObjects[kind],
        } as KubeObject)
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
    }
  }

  test("nothing is listed after the first time, however often watches end", async () => {
    const everywhere = await Promise.all(operators.map((operator) => prepare(operator, {})));
    const limited = await Promise.all(operators.map((operator) => prepare(operator, limits[operator.name] ?? {})));
    const all = [...everywhere, ...limited];
    const isOwn = ({ plural }: KindRef) => operators.some(({ kinds }) => kinds.some((kind) => kind.plural === plural));
    const held = all.flatMap(({ manager }) => manager.cache.held());
    // Of a kind that has no namespace and is watched whole there are no objects outside of what is watched.
    const outside = held.filter(
      ({ kind, select }) => !isOwn(kind) || kind.scope !== "Cluster" || select.label !== undefined,
    );
    const kinds = [...new Map(outside.map(({ kind }) => [`${kind.group}/${kind.kind}`, kind])).values()];
    const namespaced = kinds.filter(({ scope }) => scope === "Namespaced");
    expect(kinds.filter((kind) => !isOwn(kind)).length).toBeGreaterThan(5);
    expect(namespaced.filter(isOwn).length).toBeGreaterThan(25);
    await createForeign(
      kinds.filter((kind) => !isOwn(kind) || kind.scope === "Cluster"),
      namespace,
    );
    await createForeign(namespaced, elsewhere);
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
