import type { Endpoints, Pod, Service } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { backendsOf } from "./backends.ts";
import { plan } from "./endpoints.ts";

const service: Service = {
  metadata: { name: "web", namespace: "ns", creationTimestamp: "2026-01-01T00:00:00Z", labels: { team: "a" } },
  spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }], clusterIP: "10.1.0.1" },
};
const labels = { team: "a", "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
const trigger = "endpoints.kubernetes.io/last-change-trigger-time";

const pod = (i: number, { ready = true, leaving = false } = {}): Pod => ({
  metadata: {
    name: `p${i}`,
    namespace: "ns",
    uid: `u${i}`,
    ...(leaving ? { deletionTimestamp: "2026-01-01T00:01:00Z" } : {}),
  },
  spec: { containers: [], nodeName: "node" },
  status: {
    phase: "Running",
    podIP: `10.0.${Math.floor(i / 250)}.${i % 250}`,
    conditions: [
      { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: `2026-01-01T00:00:${10 + (i % 50)}Z` },
    ],
  },
});
const address = (i: number) => ({
  ip: `10.0.0.${i}`,
  nodeName: "node",
  targetRef: { kind: "Pod", namespace: "ns", name: `p${i}`, uid: `u${i}` },
});
const planned = (pods: readonly Pod[], shown?: Endpoints, of: Service = service) =>
  plan({ service: of, backends: backendsOf(of, pods, "IPv4"), shown });
/** As the server would have it. */
const stored = (it: Endpoints | undefined): Endpoints => ({ ...it, metadata: { ...it?.metadata, namespace: "ns" } });

it("pods that are ready and pods that are not are listed apart", () => {
  const ports = [{ name: "http", port: 8080, protocol: "TCP" }];
  expect(planned([pod(1), pod(2, { ready: false })])).toEqual({
    metadata: { name: "web", labels, annotations: { [trigger]: "2026-01-01T00:00:00Z" } },
    subsets: [{ addresses: [address(1)], notReadyAddresses: [address(2)], ports }],
  });
});

it("a pod that is going away is listed only where pods that are not ready count as well", () => {
  expect(planned([pod(1, { leaving: true })])?.subsets).toEqual([]);
  const publishing = { ...service, spec: { ...service.spec, publishNotReadyAddresses: true } };
  expect(planned([pod(1, { leaving: true })], undefined, publishing)?.subsets?.[0]?.addresses).toEqual([address(1)]);
});

it("pods with other ports are another subset, and one without any is left out", () => {
  const named = { ...service, spec: { ...service.spec, ports: [{ port: 80, targetPort: "http" }] } };
  const having = (i: number, containerPort?: number): Pod => ({
    ...pod(i),
    spec: { containers: [{ name: "m", ports: containerPort === undefined ? [] : [{ name: "http", containerPort }] }] },
  });
  const subsets = planned([having(1, 8080), having(2, 9090), having(3), having(4, 8080)], undefined, named)?.subsets;
  expect(subsets?.map(({ addresses, ports }) => [addresses?.length, ports])).toEqual([
    [2, [{ port: 8080, protocol: "TCP" }]],
    [1, [{ port: 9090, protocol: "TCP" }]],
  ]);
});

it("a headless Service without ports lists its pods all the same", () => {
  const bare: Service = { ...service, spec: { selector: { app: "web" }, clusterIP: "None" } };
  const wanted = planned([pod(1)], undefined, bare);
  expect(wanted?.subsets).toEqual([{ addresses: [address(1)] }]);
  expect(wanted?.metadata?.labels).toEqual({ ...labels, "service.kubernetes.io/headless": "" });
});

it("nothing is written where it is as it shall be, also when somebody annotated it", () => {
  const shown = stored(planned([pod(1)]));
  expect(planned([pod(1)], shown)).toBeUndefined();
  const annotated = { ...shown, metadata: { ...shown.metadata, annotations: { note: "mine" } } };
  expect(planned([pod(1)], annotated)).toBeUndefined();
});

describe("the moment that a change goes back to", () => {
  const at = (it: Endpoints | undefined) => it?.metadata?.annotations?.[trigger];
  const shown = stored(planned([pod(1)]));

  it("is that of the pod that turned or came", () => {
    expect(at(planned([pod(1), pod(3)], shown))).toBe("2026-01-01T00:00:13Z");
    expect(at(planned([pod(1, { ready: false })], shown))).toBe("2026-01-01T00:00:11Z");
  });

  it("is unknown where a pod only left, and what others annotated stays", () => {
    const annotated = {
      ...shown,
      metadata: { ...shown.metadata, annotations: { ...shown.metadata?.annotations, a: "b" } },
    };
    expect(planned([], annotated)?.metadata?.annotations).toEqual({ a: "b" });
  });
});

describe("more than a thousand pods", () => {
  const many = (ready: number, not: number) => [
    ...Array.from({ length: ready }, (_, i) => pod(i)),
    ...Array.from({ length: not }, (_, i) => pod(ready + i, { ready: false })),
  ];
  const over = "endpoints.kubernetes.io/over-capacity";
  const counts = (it: Endpoints | undefined) => [
    it?.subsets?.flatMap(({ addresses = [] }) => addresses).length,
    it?.subsets?.flatMap(({ notReadyAddresses = [] }) => notReadyAddresses).length,
  ];

  it("are cut, the ready ones last, and it is said", () => {
    const wanted = planned(many(990, 50));
    expect(counts(wanted)).toEqual([990, 10]);
    expect(wanted?.metadata?.annotations?.[over]).toBe("truncated");
    expect(counts(planned(many(1100, 5)))).toEqual([1000, 0]);
  });

  it("what is not shown changes nothing", () => {
    const shown = stored(planned(many(1100, 0)));
    expect(planned(many(1099, 1), shown)).toBeUndefined();
  });

  it("back below, it is not said any more", () => {
    const shown = stored(planned(many(1001, 0)));
    const wanted = planned(many(1000, 0), shown);
    expect(wanted?.metadata?.annotations?.[over]).toBeUndefined();
    expect(counts(wanted)).toEqual([1000, 0]);
    expect(planned(many(1000, 0))?.metadata?.annotations?.[over]).toBeUndefined();
  });
});

it("for a Service that is going away nothing new is made", () => {
  const leaving = { ...service, metadata: { ...service.metadata, deletionTimestamp: "2026-01-01T00:01:00Z" } };
  expect(planned([pod(1)], undefined, leaving)).toBeUndefined();
});
