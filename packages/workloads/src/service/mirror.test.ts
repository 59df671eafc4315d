import type { EndpointSlice, Endpoints, Service } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { plan } from "./mirror.ts";

const service: Service = { metadata: { name: "ext", namespace: "ns" }, spec: { ports: [{ port: 80 }] } };
const endpoints: Endpoints = {
  metadata: { name: "ext", namespace: "ns", labels: { team: "a" }, annotations: { note: "x" } },
  subsets: [
    {
      addresses: [{ ip: "192.0.2.1" }, { ip: "2001:db8::1" }],
      notReadyAddresses: [{ ip: "192.0.2.2", nodeName: "node" }],
      ports: [{ port: 80, protocol: "TCP" }],
    },
  ],
};
const planned = (of: Endpoints = endpoints, to: Service | undefined = service, slices: readonly EndpointSlice[] = []) =>
  plan({ endpoints: of, service: to, slices });

it("each family of addresses has a slice, that says as much as is known", () => {
  const { create } = planned();
  expect(create.map(({ addressType }) => addressType)).toEqual(["IPv4", "IPv6"]);
  expect(create[0]).toEqual({
    metadata: {
      generateName: "ext-",
      labels: {
        team: "a",
        "kubernetes.io/service-name": "ext",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
      },
      annotations: { note: "x" },
    },
    addressType: "IPv4",
    endpoints: [
      { addresses: ["192.0.2.2"], conditions: { ready: false }, nodeName: "node" },
      { addresses: ["192.0.2.1"], conditions: { ready: true } },
    ],
    ports: [{ name: "", port: 80, protocol: "TCP" }],
  });
});

describe("Endpoints are not mirrored", () => {
  const with_ = (metadata: Endpoints["metadata"]): Endpoints => ({
    ...endpoints,
    metadata: { ...endpoints.metadata, ...metadata },
  });

  it("without a Service, or for one with a selector", () => {
    expect(plan({ endpoints, service: undefined, slices: [] }).create).toEqual([]);
    expect(planned(endpoints, { ...service, spec: { selector: { app: "x" } } }).create).toEqual([]);
  });

  it("where they ask not to be, or are something else", () => {
    expect(planned(with_({ labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } })).create).toEqual([]);
    expect(planned(with_({ annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } })).create).toEqual([]);
  });

  it("where a controller made them; what was mirrored before goes", () => {
    const old: EndpointSlice = { metadata: { name: "ext-1" }, addressType: "IPv4", endpoints: [] };
    const made = with_({ labels: { "endpoints.kubernetes.io/managed-by": "endpoint-controller" } });
    expect(planned(made, service, [old])).toEqual({ create: [], patch: [], remove: [old] });
  });
});
