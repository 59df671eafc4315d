// Which of the machines that a provider lists become objects in this pass, and under which names (3.11 steps 3 and 4). Pure.
import type { SafeText } from "@telltale/status";
import type { VirtualMachine } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import type { Filter } from "./filter.ts";
import { type Listed, obstacleTo } from "./listing.ts";
import { distinctName, objectName } from "./object-name.ts";

/** Each new object is looked at by its controller, which asks the provider: not all at once (L-14). */
export const atATime = 20;

export interface Known {
  /** The machines of this provider, in whatever namespace. */
  readonly machines: readonly VirtualMachine[];
  /** Every object of the namespace that new ones are made in, by name. */
  readonly names: ReadonlyMap<string, VirtualMachine>;
  /** Names of machines that clones are just making. */
  readonly inTheMaking: ReadonlySet<string>;
  readonly provider: { readonly name: string; readonly namespace: string };
}

export interface Discovery {
  /** Machines that nobody manages and that the filter lets through. */
  readonly found: number;
  readonly deeds: readonly Deed[];
  /** How many are left for later. */
  readonly left: number;
  /** Machines whose names belong to other objects. */
  readonly taken: readonly string[];
  readonly obstacles: readonly Obstacle[];
}

export type Deed =
  | { readonly is: "make"; readonly as: string; readonly listed: Listed }
  | { readonly is: "seed"; readonly object: VirtualMachine; readonly listed: Listed }; // it was made, and has no id yet

export interface Obstacle {
  readonly name: string;
  readonly why: SafeText;
}

export function discover(all: readonly Listed[], filter: Filter, known: Known): Discovery {
  const free = unmanaged(all, known).filter(filter.isWanted);
  const used = new Set<string>();
  const deeds: Deed[] = [];
  const taken: string[] = [];
  const obstacles: Obstacle[] = [];
  for (const listed of free) {
    const why = obstacleTo(listed);
    if (why !== undefined) {
      obstacles.push({ name: listed.name, why });
      continue;
    }
    const deed = deedFor(listed, known, used);
    if (deed === undefined) taken.push(listed.name);
    else deeds.push(deed);
  }
  const now = deeds.slice(0, atATime);
  return { found: free.length, deeds: now, left: deeds.length - now.length, taken, obstacles };
}

/** In the order of their ids, so that the same machines always get the same names. */
function unmanaged(all: readonly Listed[], { machines, inTheMaking }: Known): readonly Listed[] {
  const ids = new Set(machines.map(({ status }) => status?.id ?? ""));
  // Somebody is making these, and has not stored their ids yet.
  const names = new Set(machines.filter((it) => !it.status?.id && !awaitsId(it)).map(hypervisorName));
  const each = new Map(all.map((listed) => [listed.id, listed]));
  return [...each.values()]
    .filter(({ id, name }) => (id === "" || !ids.has(id)) && !names.has(name) && !inTheMaking.has(name))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

const hypervisorName = ({ metadata }: VirtualMachine): string =>
  metadata.annotations?.[annotations.vmName] ?? metadata.name ?? "";

/** It is there already, and waits for its id from here; a clone's waits for that from its VMClone. */
function awaitsId({ metadata, status }: VirtualMachine): boolean {
  const isAdopted = metadata.labels?.[labels.adopted] === "true";
  return isAdopted && !status?.id && metadata.annotations?.[annotations.clone] === undefined;
}

/** Undefined: its name belongs to an object that has nothing to do with it. */
function deedFor(listed: Listed, { names, provider }: Known, used: Set<string>): Deed | undefined {
  for (const as of [objectName(listed), distinctName(listed)]) {
    if (used.has(as)) continue;
    const object = names.get(as);
    if (object === undefined) {
      used.add(as);
      return { is: "make", as, listed };
    }
    if (isMeant(object, listed, provider)) {
      used.add(as);
      return { is: "seed", object, listed };
    }
    if (!isAdopted(object, provider)) return undefined;
  }
  return undefined;
}

type Place = Known["provider"];

const isOf = ({ metadata, spec }: VirtualMachine, { name, namespace }: Place): boolean =>
  spec.providerRef.name === name && (spec.providerRef.namespace ?? metadata.namespace) === namespace;

/** Whether an object without an id was made for this machine. */
function isMeant(object: VirtualMachine, { id }: Listed, provider: Place): boolean {
  const disk = object.spec.importedDisk?.diskID;
  return isOf(object, provider) && awaitsId(object) && (disk === undefined || disk === id);
}

/** Whether it is another machine of the same hypervisor whose name came to the same. */
const isAdopted = (object: VirtualMachine, provider: Place): boolean =>
  object.metadata.labels?.[labels.adopted] === "true" && isOf(object, provider);
