// I9: who says Ready is, in the server's history and not only in a cache.
import { deepEqual, type KindRef, type KubeObject } from "@telltale/kinds";
import { findCondition } from "@telltale/status";
import { conditionsOf, kindOf, nameOf, resourceIn, statusOf } from "../facts.ts";
import type { Change } from "../history.ts";
import type { Invariant } from "../invariant.ts";
import { lookAt } from "../look.ts";
import type { Sent } from "../network.ts";
import type { Pass } from "../pass.ts";
import type { Look } from "../scenario.ts";
import type { World } from "../world.ts";

/** What a process had heard when a pass began. */
interface View {
  /** How far each cache had come: `group/resource` -> version. */
  readonly told: ReadonlyMap<string, number>;
  /** Writes that were carried out, and whose answer was under way. */
  readonly open: ReadonlySet<Sent>;
}

export const promises: Invariant = {
  id: "I9",
  what: "what Ready=True promises was so on the server while the pass looked",
  watch(world, say) {
    const { promise, kinds } = world.scenario;
    if (promise === undefined) return {};
    const views = new WeakMap<Pass, View>();
    const open = new Set<Sent>();
    return {
      pass(pass) {
        const held = pass.process.manager.cache.held();
        const told = new Map(held.map(({ kind, version }) => [`${kind.group}/${kind.plural}`, Number(version())]));
        views.set(pass, { told, open: new Set(open) });
      },
      heard(sent, { as }) {
        if (as === "answer") open.delete(sent);
      },
      applied(sent, changes) {
        const { pass, target } = sent;
        const [change] = changes;
        if (change !== undefined) open.add(sent);
        if (pass === undefined || target.subresource !== "status" || change?.author === undefined) return;
        if (world.history.isRewound) return; // what it looked at may not have been
        const top = kindOf(kinds, change.after)?.conditions.top;
        if (top === undefined || findCondition(conditionsOf(change.after), top)?.status !== "True") return;
        if (isFound(change, top)) return;
        const object = asObserved(world, change);
        const from = oldest(world, pass, views.get(pass) ?? { told: new Map(), open });
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

/** The revision before the first change that the process had not heard of when the pass began, or was made to forget. */
function oldest(world: World, pass: Pass, { told, open }: View): number {
  const { name, wentBack } = pass.process;
  for (const { revision, key, author, sent } of world.history.changes) {
    if (revision > pass.revision) break;
    const version = told.get(resourceIn(key));
    const isAnswered = author === name && !wentBack && !(sent !== undefined && open.has(sent));
    if (version !== undefined && revision > version && !isAnswered) return revision - 1;
  }
  return pass.revision;
}
