// I18: a wait that has a deadline ends by then, also where the process that began it is gone.
import { type Instant, instant, type KubeObject, type Ms } from "@telltale/kinds";
import { kindOf, nameOf } from "../facts.ts";
import type { Invariant } from "../invariant.ts";
import { lookAt } from "../look.ts";
import type { Deadline } from "../scenario.ts";
import type { World } from "../world.ts";

/** A clock wakes a pass one second after its limit. */
const tick: Ms = 2000;
/** So long after its start a process is at work. */
const recovery: Ms = 60_000;
/** So long after the last request that failed everybody has come back from their pauses. */
const pauses: Ms = 360_000;

interface Wait extends Deadline {
  /** When it was first seen. */
  readonly since: Instant;
}

export const deadlines: Invariant = {
  id: "I18",
  what: "a wait that has a deadline ends by then",
  watch(world, say) {
    const { scenario } = world;
    const waits = new Map<string, { readonly object: KubeObject; readonly list: readonly Wait[] }>();
    const judge = (object: KubeObject, list: readonly Wait[], now: Instant) => {
      for (const { what, at, since } of list) {
        // Whoever undoes what was said begins the wait anew.
        const late = lateness(world, instant(Math.max(at, since)), now);
        if (late > tick) say(`${nameOf(object)} waited for ${what} ${Math.round(late / 1000)} s longer than it may`);
      }
    };
    if (scenario.deadlines === undefined) return {};
    return {
      change({ key, type, after, at }) {
        if (kindOf(scenario.kinds, after) === undefined) return;
        const { list = [] } = waits.get(key) ?? {};
        const next = type === "DELETED" ? [] : (scenario.deadlines?.(after, lookAt(world.server)) ?? []);
        const same = (a: Deadline) => (b: Deadline) => a.what === b.what && a.at === b.at;
        judge(
          after,
          list.filter((old) => !next.some(same(old))),
          at,
        );
        waits.set(key, { object: after, list: next.map((it) => ({ since: at, ...list.find(same(it)), ...it })) });
      },
      restored() {
        for (const key of waits.keys()) if (world.server.store.get(key) === undefined) waits.delete(key);
      },
      end() {
        for (const { object, list } of waits.values()) judge(object, list, world.clock.now());
      },
    };
  },
};

/** By the better of two clocks: a process whose own is wrong is right by its own, or by the hours that really passed. */
function lateness(world: World, due: Instant, now: Instant): Ms {
  const local = world.working?.clock.now() ?? now;
  const starts = world.processes.map(({ clock }) => clock.since);
  const trouble = Math.max(due, ...starts.map((it) => it + recovery), (world.network.disturbedAt ?? 0) + pauses);
  const slack = Math.max(...world.processes.map(({ clock }) => clock.slack));
  return Math.min(now - trouble, local - due) - slack;
}
