// All built-in kinds as served resources, in the order in which discovery tells of them.

import type { TakenNames } from "../crd/names.ts";
import { serviceAllocator } from "../kinds/allocator.ts";
import { allStrategies } from "../kinds/builtin.ts";
import type { Store } from "../store/store.ts";
import { builtinResource } from "./builtin.ts";
import { Catalogue } from "./catalogue.ts";
import { definitionResource, policyResource } from "./definitions.ts";

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

export function builtins(store: Store): Catalogue {
  const allocator = serviceAllocator(store.scan("//services/").records.map((r) => r.object()));
  const made = allStrategies.map((s) => {
    if (s.kind.kind === "CustomResourceDefinition") return definitionResource(s, allocator);
    return s.kind.kind.startsWith("ValidatingAdmissionPolicy")
      ? policyResource(s, allocator)
      : builtinResource(s, allocator);
  });
  return new Catalogue(made, groupOrder);
}

/** The names that built-in kinds hold in a group. */
export function takenNames(c: Catalogue, group: string): TakenNames {
  const own = c.all().filter((r) => r.builtin && r.group === group);
  return {
    resources: new Set(own.flatMap((r) => [r.resource, r.singular, ...r.shortNames])),
    kinds: new Set(own.flatMap((r) => [r.kind, r.listKind])),
  };
}
