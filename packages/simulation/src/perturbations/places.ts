// Where a fault can matter, read off the run without faults.
import type { Kind, KubeObject } from "@telltale/kinds";
import { type Change, isNoise } from "../history.ts";
import type { Sent } from "../network.ts";
import type { Reference } from "../reference.ts";
import type { World } from "../world.ts";

/** A write of the operator that changed something. */
export interface Place {
  readonly write: number;
  readonly change: Change;
}

/** All of them, but for leases. */
export function placesOf({ writes }: Reference): Place[] {
  return writes.flatMap(({ write, changes }) => {
    const change = changes.find(({ key }) => !isNoise(key));
    return change === undefined ? [] : [{ write, change }];
  });
}

/** At most so many of a list, from its beginning to its end. */
export function spread<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)] as T);
}

/** Each of a list with each of another: all of the first with its own one of the second, then with the next one. */
export function* each<A, B>(first: readonly A[], second: readonly B[]): Iterable<readonly [A, B]> {
  for (const [shift] of second.entries()) {
    for (const [i, a] of first.entries()) yield [a, second[(i + shift) % second.length] as B];
  }
}

/** The kind that the scenario declares for an object. */
export const kindOf = (kinds: readonly Kind[], { apiVersion, kind }: KubeObject): Kind | undefined =>
  kinds.find((it) => it.kind === kind && it.group === apiVersion?.split("/")[0]);

/** The place of the declared object that a change is about: its own, or that of its owner. */
export function ownerOf(
  { scenario: { kinds } }: Pick<Reference, "scenario">,
  { key, after }: Change,
): string | undefined {
  if (kindOf(kinds, after) !== undefined && after.metadata?.ownerReferences === undefined) return key;
  for (const reference of after.metadata?.ownerReferences ?? []) {
    const kind = kindOf(kinds, reference);
    if (kind === undefined || reference.controller !== true) continue;
    const { namespace } = after.metadata ?? {};
    const place = kind.scope === "Cluster" || namespace === undefined ? "" : `${namespace}/`;
    return `/${kind.group}/${kind.plural}/${place}${reference.name}`;
  }
  return kindOf(kinds, after) === undefined ? undefined : key;
}

/** As soon as the server has carried out a write of the operator, before its sender hears of it. */
export function after(world: World, write: number, act: (sent: Sent) => void): void {
  world.network.rules.push({
    applied(sent) {
      if (sent.write === write) act(sent);
    },
  });
}
