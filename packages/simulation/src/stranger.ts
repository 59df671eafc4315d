// Somebody else's hands: objects by their place in the server's store, read and changed past the operator and its network.
import { isConflict } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";
import type { World } from "./world.ts";

/** An object as it is in a store: with fields of any kind. */
export type Loose = KubeObject & { readonly [field: string]: unknown };

export interface EditOptions {
  /** Whose fields they become. */
  readonly manager: string;
  readonly part?: "status";
}

/** What is there now. */
export function there(world: World, key: string): Loose | undefined {
  return world.server.store.get(key)?.object() as Loose | undefined;
}

/** So often somebody may be faster. */
const tries = 5;

/** Changes an object on top of what is there. `change` gives undefined where there is nothing to change. */
export async function edit(
  world: World,
  key: string,
  { manager, part }: EditOptions,
  change: (object: Loose) => KubeObject | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const object = there(world, key);
    const next = object === undefined ? undefined : change(object);
    if (object === undefined || next === undefined) return;
    const path = `${pathOf(key, object)}${part === undefined ? "" : `/${part}`}`;
    try {
      await world.person.request({ method: "PUT", path, query: { fieldManager: manager }, body: next });
      return;
    } catch (error) {
      if (attempt === tries || !isConflict(error)) throw error;
    }
  }
}

export type Propagation = "Orphan" | "Background" | "Foreground";

/** `uid`: this very one. */
export async function remove(world: World, key: string, propagation: Propagation, uid?: string): Promise<void> {
  const object = there(world, key);
  if (object === undefined || (uid !== undefined && object.metadata?.uid !== uid)) return;
  const body = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: propagation };
  await world.person.request({ method: "DELETE", path: pathOf(key, object), body });
}

/** Makes an object at a place where none is. */
export async function make(world: World, key: string, object: KubeObject): Promise<void> {
  const path = pathOf(key, object).split("/").slice(0, -1).join("/");
  await world.person.request({ method: "POST", path, query: { fieldManager: "person" }, body: object });
}

/** Longer than any other trouble lasts. */
const patience = 1_200_000;

/** Looks again, every second at first, until it holds. */
export function until(world: World, holds: () => boolean, then: () => void, waited = 0): void {
  if (holds()) then();
  else if (waited < patience) {
    const wait = waited < 10_000 ? 1000 : 10_000;
    world.busyFor(wait);
    world.clock.after(wait, () => until(world, holds, then, waited + wait));
  }
}

/** `/example.com/shops/default/corner` -> `/apis/example.com/v1/namespaces/default/shops/corner`. */
function pathOf(key: string, { apiVersion = "v1" }: KubeObject): string {
  const [, group = "", resource = "", ...place] = key.split("/");
  const root = group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const [first = "", name] = place;
  return name === undefined ? `${root}/${resource}/${first}` : `${root}/namespaces/${first}/${resource}/${name}`;
}
