// The numbers of children: of pods remembered in `status.pods`, of instances in an annotation (5.2, 5.3). Pure.
import type { Instant } from "@telltale/kinds";
import { assignSlots } from "@telltale/status";
import type { Role } from "../names.ts";

export interface SlottedPod {
  readonly name: string;
  readonly created: Instant;
}

/**
 * The slot of each live pod, by its name. Who has one keeps it, newcomers take the lowest free ones in the order of their age,
 * and gaps are closed once no rollout is under way.
 */
export function assignPodSlots(
  held: ReadonlyMap<string, number>,
  pods: readonly SlottedPod[],
  desired: number,
  rolling: boolean,
): ReadonlyMap<string, number> {
  const children = pods.map(({ name, created }) => {
    const slot = held.get(name);
    return { key: name, created, ...(slot === undefined ? {} : { held: slot }) };
  });
  return assignSlots(children, { desired, compact: !rolling }).slots;
}

export interface SlottedInstance {
  readonly name: string;
  readonly role: Role;
  /** Of a managed one: its number within the role. Undefined: a person made it. */
  readonly ordinal: number | undefined;
  readonly created: Instant;
  /** What the annotation says, whatever that is. */
  readonly annotation: string | undefined;
}

export interface InstanceSlots {
  readonly slots: ReadonlyMap<string, number>;
  /** Whose annotation has to be written. */
  readonly repair: readonly { readonly name: string; readonly slot: number }[];
}

/** The slot of each instance of a cluster, terminating ones and those to be made included. Managed ones choose first. */
export function assignInstanceSlots(instances: readonly SlottedInstance[]): InstanceSlots {
  const children = instances.map((it) => {
    const held = slotIn(it.annotation);
    const order = orderOf(it) + (held === undefined && it.ordinal === undefined ? afterManaged : 0);
    return { key: it.name, created: it.created, order, ...(held === undefined ? {} : { held }) };
  });
  const { slots, repair } = assignSlots(children);
  return { slots, repair: repair.map(({ key, slot }) => ({ name: key, slot })) };
}

/** More than a cluster has instances of one role. */
const perRole = 10_000;
const afterManaged = 10 * perRole;

const orderOf = ({ role, ordinal = 0 }: SlottedInstance): number => (role === "primary" ? 0 : perRole) + ordinal;

/** A decimal number without sign, up to 9999. */
export const slotIn = (annotation = ""): number | undefined =>
  /^(0|[1-9]\d{0,3})$/.test(annotation) ? Number(annotation) : undefined;
