// Endpoints that somebody made by hand for a Service without a selector, as EndpointSlices: whoever reads slices sees them too.
import { EndpointSlice, Endpoints, Service } from "@telltale/kinds/builtin";
import { type Controller, controller, type Look } from "@telltale/runtime";
import { nameOf } from "../pods/facts.ts";
import { selectorOf } from "./backends.ts";
import { endpointsManagedBy } from "./endpoints.ts";
import { managedBy, ownSlices, serviceName, type Writes, write, writesFor } from "./slice-writes.ts";
import { type Endpoint, type Group, grouped, layOut, type SlicePort } from "./slices.ts";

const us = "endpointslicemirroring-controller.k8s.io";
const skip = "endpointslice.kubernetes.io/skip-mirror";
/** Endpoints that are no endpoints: somebody elects a leader with them. */
const election = "control-plane.alpha.kubernetes.io/leader";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const most = 1000;

type Subset = NonNullable<Endpoints["subsets"]>[number];
type Address = NonNullable<Subset["addresses"]>[number];

export interface World {
  readonly endpoints: Endpoints;
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
}

export function mirroredSlices(): Controller {
  return controller(Endpoints, "endpointslicemirroring-controller")
    .owns(EndpointSlice)
    .watches(Service, ({ old, new: next }) => {
      const { namespace = "", name = "" } = (next ?? old)?.metadata ?? {};
      return [{ namespace, name }];
    })
    .reconcile<World, Writes>({
      observe,
      plan,
      act: write,
      status: () => ({ status: undefined }),
    });
}

function observe(endpoints: Endpoints, look: Look): World {
  const { namespace = "", name = "" } = endpoints.metadata ?? {};
  const slices = ownSlices(look.children(EndpointSlice), us);
  return { endpoints, service: look.get(Service, { namespace, name }), slices };
}

export function plan({ endpoints, service, slices }: World): Writes {
  const { labels, annotations } = endpoints.metadata ?? {};
  // What a controller has made, it makes slices of as well.
  const isMirrored =
    service !== undefined &&
    selectorOf(service) === undefined &&
    labels?.[endpointsManagedBy] === undefined &&
    labels?.[skip] !== "true" &&
    annotations?.[election] === undefined;
  const groups = isMirrored ? groupsOf(endpoints) : [];
  const { [lastApplied]: _, ...copied } = annotations ?? {};
  const dress = {
    generateName: `${nameOf(endpoints)}-`,
    labels: { ...labels, [serviceName]: nameOf(endpoints), [managedBy]: us },
    annotations: copied,
    moments: () => [],
  };
  return writesFor(layOut(slices, groups, { most }), dress, { isLeaving: false });
}

function groupsOf({ subsets }: Endpoints): readonly Group[] {
  const found = { IPv4: new Map<string, Entry>(), IPv6: new Map<string, Entry>() };
  for (const { addresses, notReadyAddresses, ports = [] } of subsets ?? []) {
    const asked = ports.map(portOf);
    const put = (address: Address, ready: boolean) => {
      const family = address.ip.includes(":") ? "IPv6" : "IPv4";
      found[family].set(JSON.stringify([address.ip, asked]), { endpoint: endpointOf(address, ready), ports: asked });
    };
    for (const address of notReadyAddresses ?? []) put(address, false);
    for (const address of addresses ?? []) put(address, true);
  }
  return [...grouped("IPv4", found.IPv4.values()), ...grouped("IPv6", found.IPv6.values())];
}

interface Entry {
  readonly endpoint: Endpoint;
  readonly ports: readonly SlicePort[];
}

const portOf = ({ name = "", ...port }: NonNullable<Subset["ports"]>[number]): SlicePort => ({ name, ...port });

function endpointOf({ ip, hostname, nodeName, targetRef }: Address, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === undefined || hostname === "" ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}
