// All built-in kinds as served resources, in the order in which discovery tells of them.

import type { TakenNames } from "../crd/names.ts";
import { serviceAllocator } from "../kinds/allocator.ts";
import { allStrategies } from "../kinds/builtin.ts";
import type { Strategy } from "../kinds/strategy.ts";
import type { Store } from "../store/store.ts";
import { builtinResource } from "./builtin.ts";
import { Catalogue } from "./catalogue.ts";
import { definitionResource, withExpressions } from "./definitions.ts";
import type { Resource } from "./resource.ts";

/** The order in which discovery lists the built-in groups. */
const groupOrder = [
  "",
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
];

const services = "//services/";

export function builtins(store: Store): Catalogue {
  const allocator = serviceAllocator();
  const follow = () => {
    allocator.reset(store.scan(services).records.map((r) => r.object()));
    store.subscribe(services, store.revision, () => {}, follow); // goes on after a restore
  };
  follow();
  const made = allStrategies.map((s) => (s.allocate === undefined ? resourceOf(s) : builtinResource(s, allocator)));
  return new Catalogue(made, groupOrder);
}

/** Made once for all servers: a test, or a simulation, starts thousands. */
const resources = new Map<Strategy, Resource>();

function resourceOf(s: Strategy): Resource {
  let resource = resources.get(s);
  if (resource === undefined) {
    const { kind } = s.kind;
    if (kind === "CustomResourceDefinition") resource = definitionResource(s);
    else resource = withExpressions(s);
    resources.set(s, resource);
  }
  return resource;
}

/** The names that built-in kinds hold in a group. */
export function takenNames(c: Catalogue, group: string): TakenNames {
  const own = c.all().filter((r) => r.builtin && r.group === group);
  return {
    resources: new Set(own.flatMap((r) => [r.resource, r.singular, ...r.shortNames])),
    kinds: new Set(own.flatMap((r) => [r.kind, r.listKind])),
  };
}
