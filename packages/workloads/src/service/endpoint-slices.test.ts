import type { EndpointSlice, Pod, Service } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { backendsOf } from "./backends.ts";
import { plan } from "./endpoint-slices.ts";

const service: Service = {
  metadata: { name: "web", namespace: "ns", creationTimestamp: "2026-01-01T00:00:00Z", labels: { team: "a" } },
  spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }], clusterIP: "10.1.0.1" },
};
const trigger = "endpoints.kubernetes.io/last-change-trigger-time";
const labels = {
  team: "a",
  "kubernetes.io/service-name": "web",
  "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
};

const pod = (i: number, { ready = true, leaving = false } = {}): Pod => ({
  metadata: {
    name: `p${i}`,
    namespace: "ns",
    uid: `u${i}`,
    ...(leaving ? { deletionTimestamp: "2026-01-01T00:01:00Z" } : {}),
  },
  spec: { containers: [], nodeName: "node", hostname: `h${i}`, subdomain: "web" },
  status: {
    phase: "Running",
    podIP: `10.0.0.${i}`,
    conditions: [
      { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: `2026-01-01T00:00:${10 + i}Z` },
    ],
  },
});

const planned = (pods: readonly Pod[], slices: readonly EndpointSlice[] = [], of = service, zones = new Map()) =>
  plan({ service: of, slices, zones, backends: [{ family: "IPv4", pods: backendsOf(of, pods, "IPv4") }] });
const stored = (it: EndpointSlice | undefined): EndpointSlice => ({
  addressType: "IPv4",
  endpoints: [],
  ...it,
  metadata: { ...it?.metadata, name: "web-1", resourceVersion: "1" },
});
const conditions = (of: Pod, it = service) => planned([of], [], it).create[0]?.endpoints[0]?.conditions;

it("a pod is an endpoint with all that is known of it", () => {
  const [made] = planned([pod(1)], [], service, new Map([["node", "zone-1"]])).create;
  expect(made).toEqual({
    metadata: { generateName: "web-", labels, annotations: { [trigger]: "2026-01-01T00:00:00Z" } },
    addressType: "IPv4",
    endpoints: [
      {
        addresses: ["10.0.0.1"],
        conditions: { ready: true, serving: true, terminating: false },
        hostname: "h1",
        nodeName: "node",
        targetRef: { kind: "Pod", namespace: "ns", name: "p1", uid: "u1" },
        zone: "zone-1",
      },
    ],
    ports: [{ name: "", port: 8080, protocol: "TCP" }],
  });
});

describe("conditions", () => {
  const publishing = { ...service, spec: { ...service.spec, publishNotReadyAddresses: true } };

  it("a pod that is going away still serves", () => {
    expect(conditions(pod(1, { leaving: true }))).toEqual({ ready: false, serving: true, terminating: true });
  });

  it("where pods that are not ready count as well, all are ready", () => {
    expect(conditions(pod(1, { ready: false }), publishing)).toEqual({
      ready: true,
      serving: false,
      terminating: false,
    });
    expect(conditions(pod(1, { leaving: true }), publishing)).toEqual({
      ready: true,
      serving: true,
      terminating: true,
    });
  });
});

describe("labels", () => {
  it("are those of the Service, but none that only we may set", () => {
    const of = { ...service, metadata: { ...service.metadata, labels: { a: "b", "kubernetes.io/service-name": "x" } } };
    const { team: _, ...ours } = labels;
    expect(planned([], [], of).create[0]?.metadata?.labels).toEqual({ ...ours, a: "b" });
  });

  it("what somebody changed is put back, and nothing else", () => {
    const slice = stored(planned([pod(1)]).create[0]);
    const changed = { ...slice, metadata: { ...slice.metadata, labels: { ...labels, foreign: "x" } } };
    const { patch, create, remove } = planned([pod(1)], [changed]);
    expect(patch.map(({ operations }) => operations.map(({ op, path }) => `${op} ${path}`))).toEqual([
      ["test /metadata/resourceVersion", "add /metadata/labels", "remove /metadata/annotations"],
    ]);
    expect([...create, ...remove]).toEqual([]);
  });
});

it("other ports of the Service are a change of its slice", () => {
  const slice = stored(planned([pod(1)]).create[0]);
  const of = { ...service, spec: { ...service.spec, ports: [{ port: 80, targetPort: 9090 }] } };
  const { patch } = planned([pod(1)], [slice], of);
  expect(patch[0]?.operations).toContainEqual({
    op: "add",
    path: "/ports",
    value: [{ name: "", port: 9090, protocol: "TCP" }],
  });
});

describe("the moment that a change goes back to", () => {
  const slice = stored(planned([pod(1)]).create[0]);
  const at = (pods: readonly Pod[]) =>
    planned(pods, [slice]).patch[0]?.operations.find(({ path }) => path === "/metadata/annotations");

  it("is that of the pod that turned", () => {
    expect(at([pod(1, { ready: false })])).toMatchObject({ value: { [trigger]: "2026-01-01T00:00:11Z" } });
  });

  it("is unknown where a pod is asked to go", () => {
    expect(at([pod(1, { leaving: true })])).toEqual({ op: "remove", path: "/metadata/annotations" });
  });
});

it("a Service that is going away gets no new slice, and the old one is kept current", () => {
  const leaving = { ...service, metadata: { ...service.metadata, deletionTimestamp: "2026-01-01T00:01:00Z" } };
  expect(planned([pod(1)], [], leaving).create).toEqual([]);
  expect(planned([], [stored(planned([pod(1)]).create[0])], leaving).patch).toHaveLength(1);
});
