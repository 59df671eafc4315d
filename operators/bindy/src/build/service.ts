// The Service of a nameserver: DNS and Bindcar, with what its cluster says over it (2.4, 8.4). Pure.
import type { Service } from "@telltale/kinds/builtin";
import { selectorLabels } from "../names.ts";
import { labelsOf } from "./labels.ts";
import { dnsPort } from "./named-conf.ts";
import { type Nameserver, portOf } from "./nameserver.ts";
import type { ServicePort, ServiceSpec } from "./types.ts";

export function buildService(server: Nameserver): Service {
  const { name, namespace, bindcar, service } = server;
  const base: ServiceSpec = {
    type: "ClusterIP",
    ports: [
      { name: "dns-tcp", port: 53, targetPort: dnsPort, protocol: "TCP" },
      { name: "dns-udp", port: 53, targetPort: dnsPort, protocol: "UDP" },
      { name: "http", port: 80, targetPort: portOf(server), protocol: "TCP" },
    ],
  };
  const spec = [bindcar.serviceSpec, service.spec].reduce<ServiceSpec>(merged, base);
  const { annotations = {} } = service;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      namespace,
      labels: labelsOf(server),
      ...(Object.keys(annotations).length > 0 && { annotations: { ...annotations } }),
    },
    spec: { ...spec, selector: { ...selectorLabels(name) } },
  };
}

/** What a person may say of a Service. The selector is not among it. */
const open = [
  "type",
  "loadBalancerIP",
  "sessionAffinity",
  "sessionAffinityConfig",
  "clusterIP",
  "clusterIPs",
  "externalTrafficPolicy",
  "loadBalancerSourceRanges",
  "externalIPs",
  "loadBalancerClass",
  "healthCheckNodePort",
  "publishNotReadyAddresses",
  "allocateLoadBalancerNodePorts",
  "internalTrafficPolicy",
  "ipFamilies",
  "ipFamilyPolicy",
] as const;

/** What a Service has beside these and its ports. */
export const closed = ["selector", "externalName", "trafficDistribution"] as const;

type Override = NonNullable<Nameserver["service"]["spec"]>;

function merged(base: ServiceSpec, over: Override | undefined): ServiceSpec {
  if (over === undefined) return base;
  const said = Object.fromEntries(open.flatMap((field) => (over[field] === undefined ? [] : [[field, over[field]]])));
  // The schema of a ServiceSpec is that of Kubernetes, and its type is the same.
  return { ...base, ...(said as Partial<ServiceSpec>), ports: mergedPorts(base.ports ?? [], portsIn(over)) };
}

const portsIn = (over: Override): readonly ServicePort[] => (over.ports ?? []) as readonly ServicePort[];

/** One of the same name takes its place, others are added. */
function mergedPorts(base: readonly ServicePort[], over: readonly ServicePort[]): ServicePort[] {
  const ports = new Map(base.map((port) => [port.name, port]));
  for (const port of over) ports.set(port.name, { protocol: "TCP", ...port });
  return [...ports.values()];
}
