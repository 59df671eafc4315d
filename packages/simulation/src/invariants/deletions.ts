// I4: nothing is deleted on the basis of a view that is older than a recreation, of the object or of its owner.
import type { KubeObject } from "@telltale/kinds";
import { bodyOf, isEnd, kindOf, nameOf, viewOf } from "../facts.ts";
import type { Invariant } from "../invariant.ts";
import type { Sent } from "../network.ts";
import type { Process } from "../process.ts";
import type { World } from "../world.ts";

export const deletions: Invariant = {
  id: "I4",
  what: "nothing is deleted on a view from before its recreation, or its owner's",
  watch(world, say) {
    const seen = new WeakMap<Sent, string | undefined>();
    return {
      sent(sent) {
        if (sent.method !== "DELETE") return;
        const view = viewOf(world.process(sent.process), sent.target);
        seen.set(sent, view?.object?.metadata?.uid);
      },
      applied(sent, changes) {
        if (sent.method !== "DELETE") return;
        const change = changes.find(isEnd);
        if (change === undefined) return;
        const { after } = change;
        const uid = after.metadata?.uid;
        if (!isGuarded(sent, uid) && seen.get(sent) !== uid)
          say(`${sent.process} deleted ${nameOf(after)} (${uid}), and had seen ${seen.get(sent) ?? "no such one"}`);
        const owner = staleOwner(world, world.process(sent.process), after);
        if (owner !== undefined) say(`${sent.process} deleted ${nameOf(after)}, and knew only ${owner}`);
      },
    };
  },
};

function isGuarded(sent: Sent, uid: string | undefined): boolean {
  const { preconditions } = (bodyOf(sent) ?? {}) as { readonly preconditions?: { readonly uid?: string } };
  return preconditions?.uid !== undefined && preconditions.uid === uid;
}

/** An owner that lives, where the process knows only another one of the same name. In words. */
function staleOwner(world: World, process: Process | undefined, { metadata }: KubeObject): string | undefined {
  for (const { apiVersion, kind, name, uid } of metadata?.ownerReferences ?? []) {
    const declared = kindOf(world.scenario.kinds, { apiVersion, kind });
    if (declared === undefined) continue;
    const { group, version, plural: resource } = declared;
    const place =
      declared.scope === "Cluster" || metadata?.namespace === undefined ? {} : { namespace: metadata.namespace };
    const target = { group, version, resource, name, isWatch: false, ...place };
    const live = world.server.store.get(["", group, resource, ...Object.values(place), name].join("/"));
    const view = viewOf(process, target)?.object?.metadata?.uid;
    const isStale = view !== undefined && view !== uid && live?.uid === uid;
    if (isStale && (live.object() as KubeObject).metadata?.deletionTimestamp === undefined)
      return `${kind} ${name} from before it was made anew`;
  }
  return undefined;
}
