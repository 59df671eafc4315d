// ResourceQuotas and LimitRanges: the same requests to a real kube-apiserver and to ours, the same answers. What a controller
// would write into a quota's status, the suite writes itself.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, type ControlPlane, send, startControlPlane, until } from "../../../tools/envtest/envtest.ts";
import { type ApiServer, startApiServer } from "../src/index.ts";

const assets = assetsFor("quotas and limit ranges");

type Ask = (method: string, path: string, body?: object, type?: string) => Promise<{ status: number; body: unknown }>;
const merge = "application/merge-patch+json";

/** A quota that its controller has counted, and what is tried then. */
interface Case {
  readonly hard: Readonly<Record<string, string>>;
  readonly used?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly limits?: readonly object[];
  readonly tries: readonly Try[];
}

interface Try {
  readonly resource: string;
  readonly object: object;
  readonly query?: string;
  readonly patch?: string;
}

const container = (name: string, requests?: object, limits?: object) => ({
  name,
  image: "example.test/app:1",
  resources: { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) },
});
const pod = (name: string, containers: readonly object[] = [container("main")], spec: object = {}): Try => ({
  resource: "pods",
  object: { metadata: { name }, spec: { containers, ...spec } },
});
const service = (name: string, type: string, ports = 1): Try => ({
  resource: "services",
  object: {
    metadata: { name },
    spec: { type, ports: Array.from({ length: ports }, (_, i) => ({ name: `p${i}`, port: 80 + i })) },
  },
});
const claim = (name: string, storage: string, storageClassName?: string): Try => ({
  resource: "persistentvolumeclaims",
  object: {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  },
});
const map = (name: string, query = ""): Try => ({ resource: "configmaps", object: { metadata: { name } }, query });

const cases: Readonly<Record<string, Case>> = {
  "a number of pods": { hard: { pods: "2" }, tries: [pod("a"), pod("b"), pod("b"), pod("c")] },
  "processor and memory": {
    hard: { "requests.cpu": "1", "limits.memory": "1Gi", pods: "10" },
    tries: [
      pod("a"),
      pod("b", [container("x", { cpu: "100m" }), container("w")]),
      pod("c", [container("main", { cpu: "600m" }, { memory: "100Mi" })]),
      pod("d", [container("main", { cpu: "600m" }, { memory: "2G" })]),
      pod("e", [container("main", { cpu: "400m" }, { memory: "0.5Gi" })]),
    ],
  },
  "the old names": {
    hard: { cpu: "1", memory: "1Gi" },
    tries: [pod("a"), pod("b", [container("main", { cpu: "2", memory: "1" })])],
  },
  "pods that speak for their containers": {
    hard: { "requests.cpu": "2", "limits.memory": "1Gi" },
    tries: [
      pod("a", undefined, { resources: { requests: { cpu: "1" }, limits: { memory: "1Mi" } } }),
      pod("b", undefined, { resources: { requests: { memory: "1Mi" } } }),
      pod("c", [container("main", { cpu: "100m" })], {
        resources: { requests: { cpu: "3" }, limits: { memory: "1Mi" } },
      }),
    ],
  },
  "initialisation and sidecars": {
    hard: { "requests.cpu": "6" },
    tries: [
      pod("a", [container("main", { cpu: "2" })], {
        initContainers: [
          container("first", { cpu: "4" }),
          { ...container("sidecar", { cpu: "1" }), restartPolicy: "Always" },
          container("second", { cpu: "5" }),
        ],
      }),
      pod("b", [container("main", { cpu: "1m" })]),
    ],
  },
  "devices and huge pages": {
    hard: { "requests.example.com/gpu": "1", "hugepages-2Mi": "2Mi" },
    tries: [
      pod("a", [container("main", { "example.com/gpu": "2" }, { "example.com/gpu": "2" })]),
      pod("b", [
        container(
          "main",
          { "hugepages-2Mi": "4Mi", cpu: "1", memory: "1Mi" },
          { "hugepages-2Mi": "4Mi", memory: "1Mi" },
        ),
      ]),
      pod("c"),
    ],
  },
  "pods without amounts": {
    hard: { pods: "0" },
    spec: { scopes: ["BestEffort"] },
    tries: [pod("a"), pod("b", [container("main", { cpu: "1" })])],
  },
  "pods that end": {
    hard: { pods: "0" },
    spec: { scopes: ["Terminating"] },
    tries: [pod("a"), pod("b", undefined, { activeDeadlineSeconds: 60 })],
  },
  "pods of a priority": {
    hard: { pods: "0" },
    spec: {
      scopeSelector: {
        matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] }],
      },
    },
    tries: [pod("a"), pod("b", undefined, { priorityClassName: "system-node-critical" })],
  },
  "pods that ask for other namespaces": {
    hard: { pods: "0" },
    spec: { scopes: ["CrossNamespacePodAffinity"] },
    tries: [
      pod("a"),
      pod("b", undefined, {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "zone", labelSelector: {}, namespaces: ["x"] },
            ],
          },
        },
      }),
    ],
  },
  "Services, their ports and balancers": {
    hard: { services: "3", "services.nodeports": "2", "services.loadbalancers": "0" },
    tries: [
      service("a", "ClusterIP"),
      { resource: "services", patch: "a", object: { spec: { type: "NodePort" } } },
      service("b", "NodePort", 2),
      service("c", "LoadBalancer"),
      { resource: "services", patch: "a", object: { spec: { type: "ClusterIP" } } },
      service("d", "NodePort"),
      service("e", "ClusterIP"),
      service("f", "ClusterIP"),
    ],
  },
  "storage, and that of a class": {
    hard: { "requests.storage": "10Gi", "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "1" },
    tries: [
      claim("a", "20Gi"),
      claim("b", "4Gi", "fast"),
      claim("c", "1Gi", "fast"),
      claim("d", "6Gi"),
      claim("e", "1"),
    ],
  },
  "objects by number": {
    hard: { configmaps: "5", "count/configmaps": "2", "count/deployments.apps": "0" },
    tries: [map("a", "?dryRun=All"), map("a"), map("b"), map("c"), map("c", "?dryRun=All")],
  },
  "what has not been counted": {
    hard: { pods: "5", services: "5" },
    used: { services: "0" },
    tries: [pod("a"), service("s", "ClusterIP")],
  },
  "a range with usual amounts": {
    hard: { "count/secrets": "100" },
    limits: [
      {
        type: "Container",
        default: { cpu: "1", memory: "512Mi" },
        defaultRequest: { cpu: "100m" },
        max: { cpu: "2" },
      },
      { type: "Pod", max: { cpu: "3" } },
    ],
    tries: [
      pod("a"),
      pod("b", [container("x", { cpu: "1" }), container("y", undefined, { cpu: "2" })], {
        initContainers: [container("i")],
      }),
      pod("c", [container("x", undefined, { cpu: "3" })]),
      pod("d", [container("x", undefined, { cpu: "2" }), container("y", undefined, { cpu: "2" })]),
    ],
  },
  "a range with limits": {
    hard: { "count/secrets": "100" },
    limits: [
      { type: "Container", min: { cpu: "100m", memory: "10Mi" }, maxLimitRequestRatio: { cpu: "2" } },
      { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
    ],
    tries: [
      pod("a"),
      pod("b", [container("x", { cpu: "50m", memory: "1Mi" }, { cpu: "50m", memory: "1Mi" })]),
      pod("c", [container("x", { cpu: "100m", memory: "10Mi" }, { cpu: "300m", memory: "10Mi" })]),
      pod("d", [container("x", { cpu: "100m", memory: "10Mi" }, { cpu: "200m" })]),
      claim("a", "500Mi"),
      claim("b", "3Gi"),
      claim("c", "2Gi"),
    ],
  },
};

describe.skipIf(assets === undefined)("as a real server", () => {
  let plane: ControlPlane | undefined;
  let server: ApiServer;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    server = await startApiServer({ listen: false });
  });
  afterAll(async () => {
    await plane?.stop();
    await server?.stop();
  });

  const real: Ask = (method, path, body, type) => {
    if (plane === undefined) throw new Error("there is no control plane");
    return send(plane, method, path, body, type);
  };
  const ours: Ask = async (method, path, body, type = "application/json") => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await server.client({ method, path, headers: { "content-type": type }, ...sent });
    return { status: answer.status, body: JSON.parse(answer.body) };
  };

  for (const [i, [name, it_]] of Object.entries(cases).entries()) {
    it(`refuses and counts ${name}`, async () => {
      const place = `/api/v1/namespaces/case-${i}`;
      expect(await play(ours, place, it_)).toEqual(await play(real, place, it_));
    });
  }
});

async function play(ask: Ask, place: string, { hard, used, spec = {}, limits, tries }: Case): Promise<unknown[]> {
  const namespace = place.split("/").at(-1);
  await ask("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  await ask("POST", `${place}/serviceaccounts`, { metadata: { name: "default" } });
  const none = Object.fromEntries(Object.keys(hard).map((key) => [key, "0"]));
  await quota(ask, place, "q", hard, used ?? none, spec);
  // One more, by which it can be seen that the server has heard of all.
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?dryRun=All`;
  const name = "count/leases.coordination.k8s.io";
  await quota(ask, place, "seen", { [name]: "0" }, { [name]: "0" }, {});
  const lease = { metadata: { name: "probe" } };
  await until(
    "a quota in force",
    () => ask("POST", leases, lease),
    ({ status }) => status === 403,
    20_000,
  );
  if (limits !== undefined) await ask("POST", `${place}/limitranges`, { metadata: { name: "r" }, spec: { limits } });
  const told: unknown[] = [];
  for (const { resource, object, query = "", patch } of tries) {
    const path = `${place}/${resource}${patch === undefined ? "" : `/${patch}`}${query}`;
    told.push(
      said(await ask(patch === undefined ? "POST" : "PATCH", path, object, patch === undefined ? undefined : merge)),
    );
    const { body } = await ask("GET", `${place}/resourcequotas/q`);
    told.push((body as { status: unknown }).status);
  }
  return told;
}

async function quota(ask: Ask, place: string, name: string, hard: object, used: object, spec: object): Promise<void> {
  await ask("POST", `${place}/resourcequotas`, { metadata: { name }, spec: { hard, ...spec } });
  await ask("PATCH", `${place}/resourcequotas/${name}/status`, { status: { hard, used } }, merge);
}

/** What of an answer is about amounts. Where one thing is wrong several times, their order is chance in a real server. */
function said({ status, body }: { status: number; body: unknown }): unknown {
  const { message, metadata, spec } = body as {
    message?: string;
    metadata?: { annotations?: object };
    spec?: { containers?: { resources?: object }[]; initContainers?: { resources?: object }[] };
  };
  if (message !== undefined) return `${status} ${sorted(message)}`;
  const all = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return [status, metadata?.annotations, all.map(({ resources }) => resources)];
}

function sorted(message: string): string {
  const list = /\[(.*)\]$/.exec(message)?.[1];
  return list === undefined
    ? message
    : message.replace(
        list,
        list
          .split(/, (?=m|c)/)
          .sort()
          .join(", "),
      );
}
