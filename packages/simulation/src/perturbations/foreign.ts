// P19-P21: somebody else writes to a status: takes our conditions for theirs, adds some of their own, or wipes it all.
import { type Condition, type Conditions, declarationOf, deepEqual, type Kind } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import { edit, type Loose } from "../stranger.ts";
import type { World } from "../world.ts";
import { after, kindOf, type Place, placesOf, spread } from "./places.ts";

const most = 24;
/** So long somebody else's condition stays. */
const stay = 60_000;
const stranger = { manager: "stranger", part: "status" } as const;

export const foreign: readonly Perturbation[] = [
  {
    id: "P19",
    what: "somebody else changes or removes a condition of ours",
    *plans(reference) {
      const found = ownStatusWrites(reference).flatMap(({ write, change }) =>
        moved(change.before, change.after).flatMap((type) =>
          mayBeDerived(kindOf(reference.scenario.kinds, change.after), type)
            ? (["changed", "removed"] as const).map((how) => ({ p: "P19", write, on: change.key, type, how }))
            : [],
        ),
      );
      yield* spread(found, most);
    },
    arm(fault, world) {
      const [on, type, how] = [textIn(fault, "on"), textIn(fault, "type"), textIn(fault, "how")];
      const tampers = acts(world, on, (list) =>
        how === "removed"
          ? list.filter((it) => it.type !== type)
          : list.map((it) => (it.type === type ? tampered(it) : it)),
      );
      strangerAfter(fault, world, `${how} ${type} of`, tampers);
    },
  },
  {
    id: "P20",
    what: "somebody else adds conditions of their own, and puts the list into another order",
    *plans(reference) {
      for (const { write, change } of spread(ownStatusWrites(reference), most))
        yield { p: "P20", write, on: change.key };
    },
    arm(fault, world) {
      const on = textIn(fault, "on");
      let order: readonly string[] = [];
      const comes = acts(world, on, (list) => {
        order = list.map(({ type }) => type);
        const others = list.filter(({ type }) => type !== foreignType);
        return [theirs(list[0]), ...others.toReversed()];
      });
      // Whoever leaves takes along what is theirs, and puts back what they moved.
      const rank = ({ type }: Condition) => (order.includes(type) ? order.indexOf(type) : order.length);
      const leaves = () =>
        changed(world, on, (list) =>
          list.filter(({ type }) => type !== foreignType).toSorted((a, b) => rank(a) - rank(b)),
        );
      strangerAfter(fault, world, "comes to", async () => {
        await comes();
        world.busyFor(stay);
        world.clock.after(stay, () => world.do(`takes ${foreignType} off ${on}`, leaves, "stranger"));
      });
    },
  },
  {
    id: "P21",
    what: "a status is wiped, as after a restore from a backup",
    free: (fault, { kinds }) => {
      const kind = kinds.find((it) => textIn(fault, "on").startsWith(`/${it.group}/${it.plural}/`));
      return (kind?.memory ?? []).map((path) => `${kind?.kind} *.status.${path}`);
    },
    *plans(reference) {
      for (const { write, change } of spread(ownStatusWrites(reference), most))
        yield { p: "P21", write, on: change.key };
    },
    arm(fault, world) {
      const on = textIn(fault, "on");
      strangerAfter(fault, world, "wipes the status of", () =>
        edit(world, on, stranger, (object) => {
          const { status, ...rest } = object;
          return status === undefined || isPast(world, object) ? undefined : rest;
        }),
      );
    },
  },
];

/** Writes of the status of a declared kind, while it is not final: later nobody may put anything right. */
function ownStatusWrites(reference: Reference): Place[] {
  return placesOf(reference).filter(({ change }) => {
    const kind = kindOf(reference.scenario.kinds, change.after);
    return kind !== undefined && change.sent?.target.subresource === "status" && !isFinal(kind, change.after as Loose);
  });
}

const isFinal = (kind: Kind, { status }: Loose): boolean => kind.phases?.final((status ?? {}) as never) === true;

/** The types of conditions that a write put there or changed. */
function moved(before: object | undefined, now: object): string[] {
  const old = conditionsOf(before as Loose | undefined);
  return conditionsOf(now as Loose)
    .filter(
      (it) =>
        !deepEqual(
          old.find(({ type }) => type === it.type),
          it,
        ),
    )
    .map(({ type }) => type);
}

/** Whether it can be said anew by who looks at the world: what is memory cannot, once it is gone. */
function mayBeDerived(kind: Kind | undefined, type: string): boolean {
  const declared = kind === undefined ? undefined : declarationOf(kind.conditions as Conditions, type);
  if (kind === undefined || declared === undefined || kind.memory.includes(`conditions.${type}`)) return false;
  return !("present" in declared) || declared.present === "always" || declared.present === "whenTrue";
}

const conditionsOf = (object: Loose | undefined): readonly Condition[] =>
  (object?.["status"] as { conditions?: readonly Condition[] } | undefined)?.conditions ?? [];

const foreignType = "example.net/Seen";

const theirs = (like: Condition | undefined): Condition => ({
  type: foreignType,
  status: "Unknown",
  reason: "Looking",
  message: "somebody else looks at this",
  lastTransitionTime: like?.lastTransitionTime ?? "2026-01-01T00:00:00Z",
});

const tampered = (it: Condition): Condition => ({
  ...it,
  status: it.status === "True" ? "False" : "True",
  message: "somebody else said so",
});

type Rewrite = (list: readonly Condition[], object: Loose) => readonly Condition[];

/** Whether nobody may put it right any more. */
function isPast({ scenario }: World, object: Loose): boolean {
  const kind = kindOf(scenario.kinds, object);
  return kind === undefined || isFinal(kind, object);
}

/** Changes conditions, unless nobody may put them right any more. */
function acts(world: World, on: string, change: Rewrite): () => Promise<void> {
  const open: Rewrite = (list, object) => (isPast(world, object) ? list : change(list, object));
  return () => changed(world, on, open);
}

function strangerAfter(fault: Fault, world: World, what: string, act: () => Promise<void>): void {
  after(world, numberIn(fault, "write"), () => world.do(`${what} ${textIn(fault, "on")}`, act, "stranger"));
}

function changed(world: World, on: string, change: Rewrite): Promise<void> {
  return edit(world, on, stranger, (object) => {
    const conditions = change(conditionsOf(object), object);
    if (deepEqual(conditions, conditionsOf(object))) return undefined;
    return { ...object, status: { ...(object["status"] as object), conditions } } as Loose;
  });
}
