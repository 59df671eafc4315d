// How endpoints are laid out in slices: what is in one stays there, so that a change of one endpoint is a change of one
// slice. Pure.
import { deepEqual } from "@telltale/kinds";
import type { EndpointSlice } from "@telltale/kinds/builtin";

export type Endpoint = EndpointSlice["endpoints"][number];
export type SlicePort = NonNullable<EndpointSlice["ports"]>[number];

/** Endpoints that can share a slice: of one type of address, on the same ports. */
export interface Group {
  readonly addressType: string;
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly Endpoint[];
}

/** A slice as it shall be. `of`: the one that becomes it; `endpoints` is its very list where nothing changes in it. */
export interface Draft extends Group {
  readonly of?: EndpointSlice;
}

export interface Layout {
  readonly drafts: readonly Draft[];
  readonly remove: readonly EndpointSlice[];
}

export interface LayoutOptions {
  /** How many endpoints a slice holds. */
  readonly most: number;
  /** The types of addresses that have a slice even when there is no endpoint. */
  readonly always?: readonly string[];
}

export function layOut(
  slices: readonly EndpointSlice[],
  groups: readonly Group[],
  { most, always = [] }: LayoutOptions,
): Layout {
  const spare = new Set(slices);
  const drafts: Draft[] = [];
  for (const group of groups) {
    const key = keyOfGroup(group);
    const own = slices.filter((slice) => keyOfGroup(slice) === key);
    for (const draft of spread(own, group, most)) {
      drafts.push(draft);
      if (draft.of !== undefined) spare.delete(draft.of);
    }
  }
  for (const addressType of always) {
    if (!drafts.some((it) => it.addressType === addressType)) drafts.push({ addressType, ports: [], endpoints: [] });
  }
  // One that is not needed any more becomes one that is.
  const settled = drafts.map((draft) => {
    const of = draft.of ?? [...spare].find(({ addressType }) => addressType === draft.addressType);
    if (of === undefined) return draft;
    spare.delete(of);
    return { ...draft, of };
  });
  return { drafts: settled, remove: [...spare] };
}

interface Held {
  readonly of: EndpointSlice;
  readonly endpoints: Endpoint[];
  isChanged: boolean;
}

/** Each endpoint stays where it is. New ones go where something is written anyway, then where all have room, then elsewhere. */
function spread(slices: readonly EndpointSlice[], group: Group, most: number): readonly Draft[] {
  const left = new Map(group.endpoints.map((it) => [keyOf(it), it]));
  const held = slices.map((of): Held => keep(of, left, most));
  for (const it of held) if (it.isChanged) fill(it, left, most);
  const room = held
    .filter((it) => left.size > 0 && !it.isChanged && it.endpoints.length + left.size <= most)
    .toSorted((a, b) => b.endpoints.length - a.endpoints.length)[0];
  if (room !== undefined) fill(room, left, most);
  const kept = held
    .filter(({ endpoints }) => endpoints.length > 0)
    .map(({ of, endpoints, isChanged }) => ({ ...group, of, endpoints: isChanged ? endpoints : of.endpoints }));
  const rest = [...left.values()];
  const made = Array.from({ length: Math.ceil(rest.length / most) }, (_, i) => ({
    ...group,
    endpoints: rest.slice(i * most, (i + 1) * most),
  }));
  return [...kept, ...made];
}

/** What of a slice is still wanted, as it is wanted. An endpoint that another slice has already is dropped. */
function keep(of: EndpointSlice, left: Map<string, Endpoint>, most: number): Held {
  const before = of.endpoints ?? [];
  const endpoints: Endpoint[] = [];
  let isChanged = false;
  for (const old of before) {
    const key = keyOf(old);
    const wanted = left.get(key);
    if (wanted === undefined || endpoints.length === most) continue;
    left.delete(key);
    const isSame = deepEqual(old, wanted);
    endpoints.push(isSame ? old : wanted);
    if (!isSame) isChanged = true;
  }
  return { of, endpoints, isChanged: isChanged || endpoints.length !== before.length };
}

function fill(held: Held, left: Map<string, Endpoint>, most: number): void {
  for (const [key, endpoint] of left) {
    if (held.endpoints.length >= most) return;
    held.endpoints.push(endpoint);
    held.isChanged = true;
    left.delete(key);
  }
}

/** What an endpoint is, whatever its condition. */
export const keyOf = ({ addresses, targetRef }: Endpoint): string => `${addresses[0] ?? ""} ${targetRef?.uid ?? ""}`;

/** The same for slices and groups that go together. The order of ports means nothing. */
function keyOfGroup({
  addressType,
  ports,
}: Pick<Group, "addressType"> & { readonly ports?: readonly SlicePort[] | null }) {
  const texts = (ports ?? []).map(({ name, port, protocol, appProtocol }) =>
    [name, port, protocol, appProtocol].join(),
  );
  return `${addressType} ${texts.sort().join(" ")}`;
}

/** Endpoints by what they can share a slice for. */
export function grouped(
  addressType: string,
  endpoints: Iterable<{ readonly endpoint: Endpoint; readonly ports: readonly SlicePort[] }>,
): readonly Group[] {
  const groups = new Map<string, Group & { readonly endpoints: Endpoint[] }>();
  for (const { endpoint, ports } of endpoints) {
    const key = keyOfGroup({ addressType, ports });
    const found = groups.get(key) ?? { addressType, ports, endpoints: [] };
    found.endpoints.push(endpoint);
    groups.set(key, found);
  }
  return [...groups.values()];
}
