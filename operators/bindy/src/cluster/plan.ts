// Which instances are made, changed and removed, and which slots they have (5.3, 8.3). Pure.
import { type Instant, instant, parseTime } from "@telltale/kinds";
import { isReadyChild } from "../aggregate/child-view.ts";
import { assignInstanceSlots, type InstanceSlots } from "../aggregate/slots.ts";
import type { Bind9ClusterSpec, Bind9Instance } from "../kinds/index.ts";
import { annotations, instanceName, managedInstanceLabels, ordinalOf, type Role } from "../names.ts";
import type { Child, Wanted, World } from "./world.ts";

export interface Plan {
  /** As they have to be: primaries first, in ascending order. */
  readonly keep: readonly Kept[];
  readonly repair: readonly { readonly instance: Bind9Instance; readonly slot: number }[];
  readonly remove: readonly Bind9Instance[];
}

export interface Kept {
  readonly name: string;
  readonly isNew: boolean;
  readonly slot: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Pick<
    Bind9Instance["spec"],
    "clusterRef" | "role" | "version" | "image" | "configMapRefs" | "volumes" | "volumeMounts" | "bindcarConfig"
  >;
}

const nothing: Plan = { keep: [], repair: [], remove: [] };

export function plan(world: World, now: Instant): Plan {
  const { it, checked, children, taken } = world;
  if (checked.at === "invalid") return nothing;
  const { name = "" } = it.metadata;
  const wanted = wantedOf(name, checked.spec).filter((one) => !taken.includes(one.name));
  const { slots, repair } = slotsOf(world, now);
  const there = new Map(children.map((child) => [child.view.name, child]));
  const keep = wanted.flatMap((one) => {
    const child = there.get(one.name);
    // Its name is free again once it is gone.
    if (child?.view.isLeaving === true) return [];
    const slot = slots.get(one.name) ?? 0;
    return [{ ...keptOf(name, one, checked.spec), isNew: child === undefined, slot }];
  });
  return {
    keep,
    repair: repair.flatMap(({ name: of, slot }) => {
      const instance = there.get(of)?.instance;
      return instance === undefined ? [] : [{ instance, slot }];
    }),
    remove: surplus(name, children, new Set(wanted.map((one) => one.name))),
  };
}

export function wantedOf(cluster: string, { primary, secondary }: Bind9ClusterSpec): readonly Wanted[] {
  const of = (role: Role, count = 0): Wanted[] =>
    Array.from({ length: count }, (_, ordinal) => ({ name: instanceName(cluster, role, ordinal), role, ordinal }));
  return [...of("primary", primary?.replicas), ...of("secondary", secondary?.replicas)];
}

/** Those that are there and those that are to be made, in one numbering. */
export function slotsOf({ it, checked, children, taken }: World, now: Instant): InstanceSlots {
  const { name = "" } = it.metadata;
  const present = children.map(({ instance, isManaged }) => {
    const { metadata, spec } = instance;
    return {
      name: metadata.name ?? "",
      role: spec.role,
      ordinal: isManaged ? (ordinalOf(metadata.name ?? "", name, spec.role) ?? 0) : undefined,
      created: parseTime(metadata.creationTimestamp) ?? instant(0),
      annotation: metadata.annotations?.[annotations.instanceIndex],
    };
  });
  const names = new Set(present.map((one) => one.name));
  const wanted = checked.at === "valid" ? wantedOf(name, checked.spec) : [];
  const missing = wanted
    .filter((one) => !names.has(one.name) && !taken.includes(one.name))
    .map((one) => ({ ...one, created: now, annotation: undefined }));
  return assignInstanceSlots([...present, ...missing]);
}

function keptOf(cluster: string, { name, role }: Wanted, spec: Bind9ClusterSpec): Omit<Kept, "isNew" | "slot"> {
  const { version, image, configMapRefs, volumes, volumeMounts, global } = spec;
  const { bindcarConfig } = global ?? {};
  return {
    name,
    labels: { ...spec[role]?.labels, ...managedInstanceLabels(cluster, role) },
    spec: {
      clusterRef: cluster,
      role,
      ...(version === undefined ? {} : { version }),
      ...(image === undefined ? {} : { image }),
      ...(configMapRefs === undefined ? {} : { configMapRefs }),
      ...(volumes === undefined ? {} : { volumes }),
      ...(volumeMounts === undefined ? {} : { volumeMounts }),
      ...(bindcarConfig === undefined ? {} : { bindcarConfig }),
    },
  };
}

/** Secondaries before primaries, the highest first; one primary at a time while the others are not all ready. */
function surplus(cluster: string, children: readonly Child[], wanted: ReadonlySet<string>): readonly Bind9Instance[] {
  const managed = children.filter(({ isManaged, view }) => isManaged && !view.isLeaving);
  const of = (role: Role) =>
    managed
      .filter(({ instance, view }) => instance.spec.role === role && !wanted.has(view.name))
      .map(({ instance }) => instance)
      .sort((a, b) => ordinal(b, cluster) - ordinal(a, cluster));
  const [secondaries, primaries] = [of("secondary"), of("primary")];
  const others = managed.filter(({ instance, view }) => instance.spec.role === "primary" && wanted.has(view.name));
  const isSafe = others.every(({ view }) => isReadyChild(view));
  return [...secondaries, ...(isSafe ? primaries : primaries.slice(0, 1))];
}

const ordinal = ({ metadata, spec }: Bind9Instance, cluster: string): number =>
  ordinalOf(metadata.name ?? "", cluster, spec.role) ?? Number.MAX_SAFE_INTEGER;
