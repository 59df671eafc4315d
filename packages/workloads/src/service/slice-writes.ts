// From a layout of slices to what has to be written: what is as it shall be is left alone.
import type { JsonPatchOperation } from "@telltale/client";
import { deepEqual, type KindRef } from "@telltale/kinds";
import { EndpointSlice } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";
import { change } from "../objects/change.ts";
import { unlessEnding } from "../objects/ending.ts";
import { isTerminating } from "../pods/facts.ts";
import type { Draft, Layout } from "./slices.ts";
import { type Annotations, triggered } from "./trigger.ts";

export const managedBy = "endpointslice.kubernetes.io/managed-by";
export const serviceName = "kubernetes.io/service-name";

/** What all slices of one owner have in common. */
export interface Dress {
  readonly generateName: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Those that are copied. None: none. */
  readonly annotations?: Annotations;
  /** The moments that a change now goes back to. Asked for only where there is one. */
  readonly moments: () => readonly (string | undefined)[];
}

export interface Writes {
  readonly create: readonly EndpointSlice[];
  readonly patch: readonly { readonly slice: EndpointSlice; readonly operations: readonly JsonPatchOperation[] }[];
  readonly remove: readonly EndpointSlice[];
}

/** An owner that is going away gets no new slices: the garbage collector is taking the old ones. */
export function writesFor({ drafts, remove }: Layout, dress: Dress, owner: { readonly isLeaving: boolean }): Writes {
  const patch = drafts.flatMap(({ of, ...draft }) => {
    const operations = of === undefined ? [] : changed(of, draft, dress);
    return of === undefined || operations.length === 0 ? [] : [{ slice: of, operations }];
  });
  const create = owner.isLeaving ? [] : drafts.filter(({ of }) => of === undefined).map((it) => fresh(it, dress));
  return { create, patch, remove };
}

function changed(of: EndpointSlice, { endpoints, ports }: Draft, dress: Dress): readonly JsonPatchOperation[] {
  const isSame =
    (endpoints === of.endpoints || deepEqual(endpoints, of.endpoints ?? [])) &&
    deepEqual(ports, of.ports ?? []) &&
    deepEqual(of.metadata?.labels ?? {}, dress.labels) &&
    deepEqual(others(of.metadata?.annotations), dress.annotations ?? {});
  if (isSame) return [];
  return change(of, {
    "/metadata/labels": dress.labels,
    "/metadata/annotations": triggered(dress.annotations, dress.moments()),
    "/endpoints": endpoints,
    "/ports": ports,
  });
}

const others = (annotations: Annotations | undefined): Annotations => triggered(annotations, []);

function fresh({ addressType, endpoints, ports }: Draft, dress: Dress): EndpointSlice {
  const annotations = triggered(dress.annotations, dress.moments());
  return {
    metadata: {
      generateName: dress.generateName,
      labels: dress.labels,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    addressType,
    endpoints: [...endpoints],
    ports: [...ports],
  };
}

/** Answers with the world as it was: there is nothing to say of it that would need another look. */
export async function write<K extends KindRef, W>(
  { create, patch, remove }: Writes,
  hands: Hands<K>,
  world: W,
): Promise<W> {
  for (const slice of create) await unlessEnding(() => hands.create(EndpointSlice, slice));
  for (const { slice, operations } of patch) await hands.patch(EndpointSlice, slice, operations);
  for (const slice of remove) await hands.remove(EndpointSlice, slice, "Background");
  return world;
}

/** The slices that a controller has made for the object of this pass, and that stay. */
export function ownSlices(slices: readonly EndpointSlice[], controller: string): readonly EndpointSlice[] {
  return slices.filter((it) => it.metadata?.labels?.[managedBy] === controller && !isTerminating(it));
}
