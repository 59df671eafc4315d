// Reads what a pass has to know of one class: who uses it, and which types of providers there are. From the cache alone.

import type { Look, MapLook } from "@telltale/runtime";
import { vmsByClass } from "../indexes.ts";
import { Provider, type ProviderType, providerTypes, VirtualMachine, type VMClass } from "../kinds/index.ts";
import { answering } from "../reachable.ts";
import { type Crossing, isOpenTo, providerKey } from "../references.ts";
import { toldAll, vmClassProblems } from "../validate/index.ts";
import type { World } from "./world.ts";

/** Machines by the `namespace/name` of their class, and Providers by their type. */
export const byType = "type of a provider";

export function observe(vmClass: VMClass, look: Look, crossing: Crossing): World {
  return {
    vmClass,
    problem: toldAll(vmClassProblems(vmClass)),
    types: typesIn(look),
    used: usedBy(vmClass, look, crossing),
    providers: providersIn(vmClass, look),
  };
}

export const typesIn = (look: MapLook): readonly ProviderType[] =>
  providerTypes.filter((type) => look.where(Provider, byType, type).length > 0).sort();

function providersIn({ metadata: { namespace: home = "" } }: VMClass, look: MapLook): World["providers"] {
  const all = look.list(Provider).map((provider) => {
    const { namespace = "", name = "" } = provider.metadata;
    const key = providerKey(home, { namespace, name });
    return { key, type: provider.spec.type, answers: answering(provider) };
  });
  return all.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** A machine that may not use it from its namespace does not: it holds nobody up. */
export function usedBy(vmClass: VMClass, look: MapLook, { isFree }: Crossing): number {
  const { namespace = "", name = "" } = vmClass.metadata;
  const home = ({ metadata }: VirtualMachine) => metadata.namespace ?? "";
  return look
    .where(VirtualMachine, vmsByClass.name, `${namespace}/${name}`)
    .filter((vm) => isFree || home(vm) === namespace || isOpenTo(vmClass, home(vm))).length;
}
