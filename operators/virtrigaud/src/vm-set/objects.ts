// The objects that a set makes: machines and claims, by ordinal (3.4). Pure.
import type { Applied } from "@telltale/client";
import type { PersistentVolumeClaim } from "@telltale/kinds/builtin";
import type { VirtualMachine, VMSet } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";

export type Template = VMSet["spec"]["template"];
type Pairs = Readonly<Record<string, string>>;

export const nameOf = ({ metadata }: VMSet, ordinal: number): string => `${metadata.name}-${ordinal}`;

/** The set's name and the ordinal that the name of a machine of a set has. Undefined: it is none. */
export function parsedName(name: string): { readonly set: string; readonly ordinal: number } | undefined {
  const [, set, digits] = /^(.+)-(0|[1-9][0-9]{0,6})$/.exec(name) ?? [];
  return set === undefined ? undefined : { set, ordinal: Number(digits) };
}

export interface Seat {
  readonly ordinal: number;
  /** Of its revision. */
  readonly hash: string;
}

/** Ours win over the selector's, and those over the template's: a machine that its set does not select would be let go. */
export function labelsOf({ metadata, spec }: VMSet, { ordinal, hash }: Seat, template = spec.template): Pairs {
  return {
    ...template.metadata?.labels,
    ...spec.selector.matchLabels,
    [labels.vmSet]: metadata.name ?? "",
    [labels.vmSetOrdinal]: String(ordinal),
    [labels.revision]: hash,
  };
}

export function annotationsOf(set: VMSet, ordinal: number, template = set.spec.template): Pairs {
  const claims = claimNamesOf(set, ordinal);
  return {
    ...template.metadata?.annotations,
    ...(claims.length === 0 ? {} : { [annotations.volumeClaims]: claims.join(",") }),
  };
}

export function machineOf(set: VMSet, seat: Seat, template: Template): Applied<VirtualMachine> {
  return {
    metadata: {
      name: nameOf(set, seat.ordinal),
      namespace: set.metadata.namespace ?? "",
      labels: { ...labelsOf(set, seat, template) },
      annotations: { ...annotationsOf(set, seat.ordinal, template) },
    },
    spec: template.spec,
  };
}

/** An older definition loses the names of claims: then their place in the list tells them apart. */
export const claimNamesOf = (set: VMSet, ordinal: number): readonly string[] =>
  (set.spec.volumeClaimTemplates ?? []).map(({ metadata }, i) => {
    return `${metadata?.name ?? `claim-${i}`}-${nameOf(set, ordinal)}`;
  });

export function claimsOf(set: VMSet, ordinal: number): readonly Applied<PersistentVolumeClaim>[] {
  const names = claimNamesOf(set, ordinal);
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }, i) => ({
    metadata: {
      name: names[i] ?? "",
      namespace: set.metadata.namespace ?? "",
      labels: {
        ...metadata?.labels,
        [labels.vmSet]: set.metadata.name ?? "",
        [labels.vmSetOrdinal]: String(ordinal),
      },
      ...(metadata?.annotations === undefined ? {} : { annotations: { ...metadata.annotations } }),
    },
    spec,
  }));
}
