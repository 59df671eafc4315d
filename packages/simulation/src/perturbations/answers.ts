// P15-P18, P25: what servers answer when they are busy, disagree, have nothing under that name any more, or take their time.
import type { Ms } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import type { Sent } from "../network.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import { there } from "../stranger.ts";
import { keyOf } from "../target.ts";
import type { World } from "../world.ts";
import { onRequest } from "./moments.ts";
import { type Place, placesOf, spread } from "./places.ts";

const most = 16;

/** Whoever failed often comes again after five minutes, and a minute later by chance. */
const longestPause: Ms = 360_000;

/** From a write on, for a while: all that the operator asks. Without a while: that write alone. */
function isWithin(world: World, write: number, length: Ms): (sent: Sent) => boolean {
  let until: number | undefined;
  return (sent) => {
    if (sent.write === write) {
      until = world.clock.now() + length;
      world.busyFor(length);
      return true;
    }
    return until !== undefined && world.clock.now() < until;
  };
}

function statusWrites(reference: Reference): readonly Place[] {
  return spread(
    placesOf(reference).filter(({ change }) => change.sent?.target.subresource === "status"),
    most,
  );
}

/** So many conflicts in a row end a pass for good, unless it comes again. */
const conflicts = 6;

export const answers: readonly Perturbation[] = [
  {
    id: "P15",
    what: "429 with Retry-After: to one write, or to everything for a while",
    *plans(reference): Iterable<Fault> {
      for (const { write } of spread(placesOf(reference), most)) {
        yield { p: "P15", write, after: 1, for: 0 };
        yield { p: "P15", write, after: 60, for: 0 };
        yield { p: "P15", write, after: 2, for: 30_000 };
      }
    },
    arm(fault, world) {
      const isBusy = isWithin(world, numberIn(fault, "write"), numberIn(fault, "for"));
      const retryAfter = numberIn(fault, "after");
      onRequest(world, (sent) => {
        if (!isBusy(sent)) return undefined;
        world.busyFor(longestPause);
        return { do: "refuse", status: 429, retryAfter };
      });
    },
  },
  {
    id: "P16",
    what: "409 to every k-th write",
    *plans(reference): Iterable<Fault> {
      const places = spread(placesOf(reference), 4);
      for (const every of [2, 1, 3, 5]) for (const { write } of places) yield { p: "P16", write, every };
    },
    arm(fault, world) {
      const [first, every] = [numberIn(fault, "write"), numberIn(fault, "every")];
      let left = conflicts;
      onRequest(world, ({ write, method, target }) => {
        if (write === undefined || write < first || (write - first) % every !== 0 || left === 0) return undefined;
        // To a deletion it says that another object has taken the name, and a lease is nobody else's.
        if (method === "DELETE" || target.resource === "leases") return undefined;
        left -= 1;
        world.busyFor(longestPause);
        return { do: "refuse", status: 409 };
      });
    },
  },
  {
    id: "P17",
    what: "422: the schema does not take a status",
    *plans(reference): Iterable<Fault> {
      for (const { write } of statusWrites(reference)) for (const times of [1, 4]) yield { p: "P17", write, times };
    },
    arm(fault, world) {
      const first = numberIn(fault, "write");
      let left = numberIn(fault, "times");
      onRequest(world, ({ write, target }) => {
        if (write === undefined || write < first || target.subresource !== "status" || left === 0) return undefined;
        left -= 1;
        world.busyFor(longestPause);
        const cause = { reason: "FieldValueInvalid", message: "Invalid value", field: "status" };
        return { do: "refuse", status: 422, details: { name: target.name, kind: target.resource, causes: [cause] } };
      });
    },
  },
  {
    id: "P18",
    what: "404 to a status write, because the object has just vanished",
    expects: (fault) => (fault["again"] === true ? "own" : "gone"),
    *plans(reference): Iterable<Fault> {
      for (const { write } of statusWrites(reference))
        for (const again of [false, true]) yield { p: "P18", write, again };
    },
    arm(fault, world) {
      const write = numberIn(fault, "write");
      onRequest(world, (sent) => {
        if (sent.write === write && sent.target.subresource === "status")
          vanish(world, keyOf(sent.target), fault["again"] === true);
        return undefined;
      });
    },
  },
  {
    id: "P25",
    what: "answers are slow: one comes after its client gave up, or all of a pass together after its time",
    *plans(reference): Iterable<Fault> {
      for (const { write } of spread(placesOf(reference), most)) {
        for (const side of ["before", "after"]) yield { p: "P25", write, by: 40_000, side, for: 0 };
        yield { p: "P25", write, by: 25_000, side: "after", for: 180_000 };
      }
    },
    arm(fault, world) {
      const isSlow = isWithin(world, numberIn(fault, "write"), numberIn(fault, "for"));
      const by = numberIn(fault, "by");
      const slow = textIn(fault, "side") === "before" ? { before: by } : { after: by };
      onRequest(world, (sent) => {
        if (!isSlow(sent)) return undefined;
        world.busyFor(by + longestPause);
        return { do: "slow", ...slow };
      });
    },
  },
];

/** Somebody takes its finalizers away and deletes it; and may apply it again a little later. */
function vanish(world: World, key: string, again: boolean): void {
  const { clock, server, trace, scenario } = world;
  const before = there(world, key);
  if (before === undefined) return;
  trace.note(clock.now(), "person", `forces ${key} away`);
  server.store.commit(key, { object: undefined });
  const { kind, metadata } = before;
  const applied = scenario.apply.find((it) => it.kind === kind && it.metadata?.name === metadata?.name);
  if (!again || applied === undefined) return;
  world.busyFor(3_000);
  clock.after(3_000, () => world.do(`makes ${key} again`, () => world.apply(applied)));
}
