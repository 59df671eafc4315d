// I9: who says Ready is, in the server's history and not only in a cache.
import { deepEqual, type KindRef, type KubeObject } from "@telltale/kinds";
import { findCondition } from "@telltale/status";
import { conditionsOf, kindOf, nameOf, resourceIn, statusOf } from "../facts.ts";
import type { Change } from "../history.ts";
import type { Invariant } from "../invariant.ts";
import { lookAt } from "../look.ts";
import type { Pass } from "../pass.ts";
import type { Look } from "../scenario.ts";
import type { World } from "../world.ts";

export const promises: Invariant = {
  id: "I9",
  what: "what Ready=True promises was so on the server while the pass looked",
  watch(world, say) {
    const { promise, kinds } = world.scenario;
    if (promise === undefined) return {};
    /** How far each cache had come when a pass began: `group/resource` -> version. */
    const views = new WeakMap<Pass, ReadonlyMap<string, number>>();
    return {
      pass(pass) {
        const held = pass.process.manager.cache.held();
        views.set(pass, new Map(held.map(({ kind, version }) => [`${kind.group}/${kind.plural}`, Number(version())])));
      },
      applied({ pass, target }, changes) {
        const [change] = changes;
        if (pass === undefined || target.subresource !== "status" || change?.author === undefined) return;
        if (world.history.isRewound) return; // what it looked at may not have been
        const top = kindOf(kinds, change.after)?.conditions.top;
        if (top === undefined || findCondition(conditionsOf(change.after), top)?.status !== "True") return;
        if (isFound(change, top)) return;
        const object = asObserved(world, change);
        const from = oldest(world, pass, views.get(pass) ?? new Map());
        for (let at = change.revision; at >= from; at -= 1) {
          if (promise.call(world.scenario, object, lookAt(world.server, at), world.backend)) return;
        }
        // Who has not been told of everything knows kinds as they never were together.
        if (from < pass.revision && promise.call(world.scenario, object, asKnown(pass), world.backend)) return;
        say(
          `${pass.process.name} says ${top}=True of ${nameOf(object)}, and it was not so at any time since it looked`,
        );
      },
    };
  },
};

/** What stood there already, of the same generation, is not its word. */
function isFound({ before, after }: Change, top: string): boolean {
  const [old, now] = [before, after].map((it) => ({
    condition: findCondition(conditionsOf(it), top),
    of: statusOf(it)["observedGeneration"],
  }));
  return old?.condition !== undefined && deepEqual(old, now);
}

/** What the process has in its cache. */
function asKnown({ process }: Pass): Look {
  return {
    list: <T extends KubeObject>(kind: KindRef<T>) => {
      const held = process.manager.cache
        .held()
        .find((it) => it.kind.group === kind.group && it.kind.plural === kind.plural);
      return [...(held?.store.values() ?? [])] as KubeObject[] as T[];
    },
  };
}

/** The status with the spec that it speaks of: somebody may have changed it meanwhile. */
function asObserved(world: World, { after, key }: Change): KubeObject {
  const observed = statusOf(after)["observedGeneration"];
  if (typeof observed !== "number" || observed === after.metadata?.generation) return after;
  const then = world.history.changes.findLast((it) => it.key === key && it.after.metadata?.generation === observed);
  return then === undefined ? after : ({ ...then.after, status: statusOf(after) } as KubeObject);
}

/** The revision before the first change that the process had not been told of when the pass began. */
function oldest(world: World, pass: Pass, told: ReadonlyMap<string, number>): number {
  for (const { revision, key, author } of world.history.changes) {
    if (revision > pass.revision) break;
    const version = told.get(resourceIn(key));
    if (version !== undefined && revision > version && author !== pass.process.name) return revision - 1;
  }
  return pass.revision;
}
