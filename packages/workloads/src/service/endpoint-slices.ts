// EndpointSlices of Services: their pods, a hundred to a slice. `slices.ts` says which endpoint is in which.
import { EndpointSlice, Node, Service } from "@telltale/kinds/builtin";
import { type Controller, controller, type Look } from "@telltale/runtime";
import { isTerminating, nameOf, uidOf } from "../pods/facts.ts";
import { selectedPods, selecting } from "../pods/selected.ts";
import {
  type Backend,
  backendsOf,
  concerns,
  type Family,
  familiesOf,
  hostnameOf,
  isHeadless,
  referenceTo,
  selectorOf,
  silence,
  together,
  turnedAt,
} from "./backends.ts";
import { managedBy, ownSlices, serviceName, type Writes, write, writesFor } from "./slice-writes.ts";
import { type Endpoint, grouped, keyOf, layOut } from "./slices.ts";

const us = "endpointslice-controller.k8s.io";
export const headless = "service.kubernetes.io/headless";
const reserved: ReadonlySet<string> = new Set([managedBy, serviceName, headless]);
const most = 100;

export interface World {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  /** By family: those of the Service. */
  readonly backends: readonly { readonly family: Family; readonly pods: readonly Backend[] }[];
  /** Where nodes are. */
  readonly zones: ReadonlyMap<string, string>;
}

export function endpointSlices(): Controller {
  const declared = controller(Service, "endpointslice-controller").owns(EndpointSlice).reads(Node).untilGone();
  return selecting(declared, Service, selectorOf, concerns)
    .spacing(together)
    .gate((service) => (selectorOf(service) === undefined ? "ignore" : "go"))
    .reconcile<World, Writes>({
      observe,
      plan,
      act: write,
      status: () => silence,
    });
}

function observe(service: Service, look: Look): World {
  const pods = selectedPods(look, service.metadata?.namespace ?? "", selectorOf(service) ?? {});
  const zones = new Map<string, string>();
  for (const node of look.list(Node)) {
    const zone = node.metadata?.labels?.["topology.kubernetes.io/zone"];
    if (zone !== undefined) zones.set(nameOf(node), zone);
  }
  const backends = familiesOf(service).map((family) => ({ family, pods: backendsOf(service, pods, family) }));
  return { service, slices: ownSlices(look.children(EndpointSlice), us), backends, zones };
}

export function plan(world: World): Writes {
  const { service, slices, backends } = world;
  const groups = backends.flatMap(({ family, pods }) =>
    grouped(
      family,
      pods.map((pod) => ({ endpoint: endpointOf(pod, world), ports: pod.ports })),
    ),
  );
  const layout = layOut(slices, groups, { most, always: backends.map(({ family }) => family) });
  const dress = { generateName: `${nameOf(service)}-`, labels: labelsFor(service), moments: () => momentsOf(world) };
  return writesFor(layout, dress, { isLeaving: isTerminating(service) });
}

function endpointOf({ pod, address, isServing, isLeaving }: Backend, { service, zones }: World): Endpoint {
  const nodeName = pod.spec?.nodeName;
  const zone = zones.get(nodeName ?? "");
  return {
    addresses: [address],
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (isServing && !isLeaving),
      serving: isServing,
      terminating: isLeaving,
    },
    ...hostnameOf(pod, service),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: referenceTo(pod),
    ...(zone === undefined ? {} : { zone }),
  };
}

function labelsFor(service: Service): Readonly<Record<string, string>> {
  const own = Object.entries(service.metadata?.labels ?? {}).filter(([name]) => !reserved.has(name));
  return {
    ...Object.fromEntries(own),
    ...(isHeadless(service) ? { [headless]: "" } : {}),
    [serviceName]: nameOf(service),
    [managedBy]: us,
  };
}

/** When pods came or turned that the slices do not show like that; of a new Service also when it was made. */
function momentsOf({ service, slices, backends }: World): readonly (string | undefined)[] {
  const shown = new Map<string, boolean | undefined>();
  for (const { endpoints } of slices) for (const it of endpoints ?? []) shown.set(keyOf(it), it.conditions?.serving);
  const news = backends.flatMap(({ pods }) =>
    pods.filter(({ address, pod, isServing }) => shown.get(`${address} ${uidOf(pod)}`) !== isServing),
  );
  const made = slices.length === 0 ? [service.metadata?.creationTimestamp] : [];
  return [...made, ...news.map(({ pod }) => turnedAt(pod))];
}
