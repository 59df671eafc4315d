// The whole operator under the roles that we install, on a server that keeps to them: it is refused nothing.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, type Transport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { KindRef, KubeObject, Ms } from "@telltale/kinds";
import { ServiceAccount } from "@telltale/kinds/builtin";
import { manager, silentLog } from "@telltale/runtime";
import { afterEach, expect, test } from "vitest";
import { type Config, standardConfig } from "../src/config.ts";
import { captOperator } from "../src/index.ts";
import { ClusterV1beta1, Workspace } from "../src/kinds/index.ts";
import {
  captCrds,
  clusterCrd,
  controlPlaneKinds,
  infrastructureKinds,
  roles,
  workspaceCrd,
} from "../src/manifests/index.ts";
import { leaseName } from "../src/names.ts";
import { simulatedEngine, workspaceRunner } from "../src/runner/index.ts";
import { runnerSelection } from "../src/runner/selection.ts";
import { samples } from "./samples.ts";

const own = "capt-system";
const minute: Ms = 60_000;
const namespaceOf = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

let server: ApiServer | undefined;
afterEach(() => server?.stop());

interface Life {
  readonly client: Client;
  /** What was forbidden: `GET /api/v1/secrets`. */
  readonly refused: readonly string[];
  pass(by: Ms): Promise<void>;
  end(): Promise<void>;
}

async function live(config: Config, namespace: string): Promise<Life> {
  const clock = new VirtualClock();
  const manifests = roles({ config, namespace: own });
  server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    authorization: "rbac",
    objects: [
      ...captCrds(),
      workspaceCrd(),
      clusterCrd("v1beta1"),
      namespaceOf(own),
      ...(namespace === "default" ? [] : [namespaceOf(namespace)]),
      ...manifests,
    ] as readonly KubeObject[],
  });
  const { client: reach, settle } = server;
  const client = createClient({ transport: inProcessTransport(reach), clock, random: seededRandom(2) });
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const account = { name: "capt", namespace: own };
  const made = await client.subresource(ServiceAccount, account, "token", { method: "POST", body });
  const { token } = (made as { status: { token: string } }).status;

  const refused: string[] = [];
  const inner = inProcessTransport((request) =>
    reach({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
  );
  const transport: Transport = {
    async send(request) {
      const answer = await inner.send(request);
      if (answer.status === 403) refused.push(`${request.method} ${request.path}`);
      return answer;
    },
    close: () => inner.close(),
  };
  const random = seededRandom(3);
  const runner = workspaceRunner({
    engine: simulatedEngine({ clock }),
    clock,
    random,
    namespace: own,
    select: runnerSelection(config),
  });
  const kinds = { Cluster: ClusterV1beta1, Workspace };
  const stop = new AbortController();
  const it = manager({
    name: "capt",
    controllers: captOperator({ config, kinds, runner }),
    ...(config.namespaces === undefined ? {} : { namespaces: config.namespaces }),
    replicas: { as: "lease", namespace: own, lease: leaseName(config.controllers) },
    clock,
    random,
    transport,
    log: silentLog,
  });
  const run = it.run(stop.signal);
  const pass = async (by: Ms) => {
    for (let i = 0; i < 8; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 8; i += 1) await turn();
    await settle();
  };
  await pass(minute);
  return {
    client,
    refused,
    pass,
    async end() {
      stop.abort();
      let isOver = false;
      void run.finally(() => {
        isOver = true;
      });
      while (!isOver) await pass(1000);
    },
  };
}

const kinds: readonly KindRef[] = [...infrastructureKinds, ...controlPlaneKinds, ClusterV1beta1];

test.each([
  ["in the whole cluster", { ...standardConfig }, "default"],
  ["in one namespace", { ...standardConfig, namespaces: ["t1"] }, "t1"],
])(
  "13.1 the operator, %s, makes a cluster and takes it down with the rights of its roles",
  async (_, config, namespace) => {
    const it = await live(config, namespace);
    const source = await samples();
    for (const { object } of await source.apply("minimal.yaml")) {
      const kind = kinds.find((one) => one.kind === object.kind) ?? ClusterV1beta1;
      const { spec } = object as { spec?: object };
      const { apiVersion, kind: named } = object;
      await it.client.create(kind, {
        apiVersion,
        kind: named,
        metadata: { name: object.metadata?.name, namespace },
        spec,
      } as never);
    }
    await source.server.stop();
    await it.pass(5 * minute);
    const found = await it.client.get(ClusterV1beta1, "demo", { namespace });
    expect(it.refused).toEqual([]);
    expect(found.status?.phase).toBe("Provisioned");

    await it.client.delete(ClusterV1beta1, { name: "demo", namespace }, { propagation: "Background" });
    await it.pass(5 * minute);
    expect((await it.client.list(ClusterV1beta1)).items).toEqual([]);
    expect((await it.client.list(Workspace)).items).toEqual([]);
    expect(it.refused).toEqual([]);
    await it.end();
  },
);
