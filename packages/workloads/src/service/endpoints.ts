// Endpoints of Services: all of their pods in one object, the older form of EndpointSlices. Pure but for the shell.
import { canonicalJson, deepEqual } from "@telltale/kinds";
import { Endpoints, Service } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look } from "@telltale/runtime";
import { change } from "../objects/change.ts";
import { unlessEnding } from "../objects/ending.ts";
import { isTerminating, nameOf } from "../pods/facts.ts";
import { selectedPods, selecting } from "../pods/selected.ts";
import {
  type Backend,
  backendsOf,
  concerns,
  familiesOf,
  hostnameOf,
  isHeadless,
  referenceTo,
  selectorOf,
  silence,
  together,
  turnedAt,
} from "./backends.ts";
import { headless } from "./endpoint-slices.ts";
import { type Annotations, triggered } from "./trigger.ts";

export const endpointsManagedBy = "endpoints.kubernetes.io/managed-by";
export const endpointController = "endpoint-controller";
const overCapacity = "endpoints.kubernetes.io/over-capacity";
/** More addresses than this are not shown: an object can only be so large. */
const capacity = 1000;

type Subset = NonNullable<Endpoints["subsets"]>[number];
type Address = NonNullable<Subset["addresses"]>[number];

export interface World {
  readonly service: Service;
  readonly backends: readonly Backend[];
  readonly shown: Endpoints | undefined;
}

/** What shall be there. Undefined: nothing is to be done. */
type Plan = Endpoints | undefined;

export function endpoints(): Controller {
  const declared = controller(Service, endpointController)
    .watches(Endpoints, ({ old, new: next }) => [placeOf(next ?? old)])
    .writes(Endpoints, "create", "patch")
    .untilGone();
  return selecting(declared, Service, selectorOf, concerns)
    .spacing(together)
    .gate((service) => (selectorOf(service) === undefined ? "ignore" : "go"))
    .reconcile<World, Plan>({ observe, plan, act, status: () => silence });
}

const placeOf = (it: Endpoints | undefined) => ({ namespace: it?.metadata?.namespace ?? "", name: nameOf(it ?? {}) });

function observe(service: Service, look: Look): World {
  const { namespace = "", name = "" } = service.metadata ?? {};
  const pods = selectedPods(look, namespace, selectorOf(service) ?? {});
  const backends = backendsOf(service, pods, familiesOf(service)[0]);
  return { service, backends, shown: look.get(Endpoints, { namespace, name }) };
}

export function plan({ service, backends, shown }: World): Plan {
  if (isTerminating(shown ?? {}) || (shown === undefined && isTerminating(service))) return undefined;
  const isPublishing = service.spec?.publishNotReadyAddresses === true;
  const listed = backends.filter(({ isLeaving }) => !isLeaving || isPublishing);
  const all = subsetsOf(service, listed, isPublishing);
  const subsets = bounded(all);
  const labels = labelsFor(service);
  const kept = capped(shown?.metadata?.annotations, subsets !== all);
  const isSame =
    shown !== undefined &&
    deepEqual(shown.subsets ?? [], subsets) &&
    deepEqual(shown.metadata?.labels ?? {}, labels) &&
    shown.metadata?.annotations?.[overCapacity] === kept[overCapacity];
  if (isSame) return undefined;
  const annotations = triggered(kept, momentsOf({ service, backends: listed, shown }, subsets));
  return { metadata: { name: nameOf(service), labels, annotations }, subsets };
}

/** Pods by the ports that they have. One without any is listed only where the Service asks for none. */
function subsetsOf(service: Service, backends: readonly Backend[], isPublishing: boolean): Subset[] {
  const subsets = new Map<string, Subset & { addresses: Address[]; notReadyAddresses: Address[] }>();
  const asksForNone = (service.spec?.ports ?? []).length === 0;
  for (const { pod, address, ports, isServing } of backends) {
    if (ports.length === 0 && !asksForNone) continue;
    const key = canonicalJson(ports);
    const subset = subsets.get(key) ?? { addresses: [], notReadyAddresses: [], ports: ports.map(withoutEmptyName) };
    subsets.set(key, subset);
    const nodeName = pod.spec?.nodeName;
    (isServing || isPublishing ? subset.addresses : subset.notReadyAddresses).push({
      ip: address,
      ...hostnameOf(pod, service),
      ...(nodeName === undefined ? {} : { nodeName }),
      targetRef: referenceTo(pod),
    });
  }
  return [...subsets.values()].map(withoutEmpty);
}

function withoutEmptyName({ name, ...port }: Backend["ports"][number]): NonNullable<Subset["ports"]>[number] {
  return name === "" ? port : { name, ...port };
}

function withoutEmpty({ addresses = [], notReadyAddresses = [], ports = [] }: Subset): Subset {
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}

/** As many addresses as there is room for, the ready ones first. The very list where all have room. */
function bounded(subsets: Subset[]): Subset[] {
  const count = (which: "addresses" | "notReadyAddresses") => subsets.flatMap((it) => it[which] ?? []).length;
  if (count("addresses") + count("notReadyAddresses") <= capacity) return subsets;
  let room = capacity;
  const take = (addresses: Address[] = []): Address[] => {
    const taken = addresses.slice(0, room);
    room -= taken.length;
    return taken;
  };
  const ready = subsets.map(({ addresses }) => take(addresses));
  const all = subsets.map((it, i) => ({
    ...it,
    addresses: ready[i] ?? [],
    notReadyAddresses: take(it.notReadyAddresses),
  }));
  return all.map(withoutEmpty).filter((it) => it.addresses !== undefined || it.notReadyAddresses !== undefined);
}

function capped(annotations: Annotations | undefined, isCut: boolean): Annotations {
  const { [overCapacity]: _, ...others } = annotations ?? {};
  return isCut ? { ...others, [overCapacity]: "truncated" } : others;
}

const labelsFor = (service: Service): Readonly<Record<string, string>> => ({
  ...service.metadata?.labels,
  ...(isHeadless(service) ? { [headless]: "" } : {}),
  [endpointsManagedBy]: endpointController,
});

/** When pods came or turned that are not shown like that; of a new Service also when it was made. */
function momentsOf({ service, backends, shown }: World, subsets: readonly Subset[]): readonly (string | undefined)[] {
  const before = standing(shown?.subsets ?? []);
  const after = standing(subsets);
  const news = backends.filter(({ pod }) => {
    const { uid } = referenceTo(pod);
    return after.get(uid) !== undefined && after.get(uid) !== before.get(uid);
  });
  const made = shown === undefined ? [service.metadata?.creationTimestamp] : [];
  return [...made, ...news.map(({ pod }) => turnedAt(pod))];
}

/** By uid: where a pod is listed. */
function standing(subsets: readonly Subset[]): ReadonlyMap<string, "ready" | "not ready"> {
  const found = new Map<string, "ready" | "not ready">();
  for (const { addresses = [], notReadyAddresses = [] } of subsets) {
    for (const { targetRef } of addresses) found.set(targetRef?.uid ?? "", "ready");
    for (const { targetRef } of notReadyAddresses) found.set(targetRef?.uid ?? "", "not ready");
  }
  return found;
}

async function act(wanted: Plan, hands: Hands<typeof Service>, world: World): Promise<World> {
  const { shown } = world;
  if (wanted === undefined) return world;
  const { labels, annotations = {} } = wanted.metadata ?? {};
  if (shown !== undefined) {
    const fields = { "/metadata/labels": labels, "/metadata/annotations": annotations, "/subsets": wanted.subsets };
    await hands.patch(Endpoints, shown, change(shown, fields));
    return world;
  }
  const { annotations: _, ...bare } = wanted.metadata ?? {};
  const metadata = Object.keys(annotations).length === 0 ? bare : { ...bare, annotations };
  await unlessEnding(() => hands.create(Endpoints, { ...wanted, metadata }, { owner: "none" }));
  return world;
}
