// P7, P9-P12: what goes wrong with watches, one kind at a time, while others are told in time.
import type { Ms } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Reference, Seen } from "../reference.ts";
import { inShortPages, withoutStreamedLists } from "../servers/skewed.ts";
import type { World } from "../world.ts";
import { kindOfTarget, onEvent, onRequest } from "./moments.ts";
import { spread } from "./places.ts";

const most = 24;
/** By then whoever watches has given up a stream that is silent. */
const longestStall: Ms = 700_000;

/** Events that are news to the operator, and of each kind one that is not: what it wrote itself it knows before. */
function newsIn({ events }: Reference): readonly Seen[] {
  const echoes = new Map(events.filter(({ isOwn }) => isOwn).map((it) => [it.kind, it] as const));
  return spread([...events.filter(({ isOwn }) => !isOwn), ...echoes.values()], most);
}

/** News that are no longer true some time later: how long that takes. */
function* overtaken({ events }: Reference): Iterable<Seen & { readonly by: Ms }> {
  for (const [i, seen] of events.entries()) {
    const later = events.slice(i + 1).filter(({ key, kind }) => key === seen.key && kind === seen.kind);
    const moments = new Set([later.find(({ isOwn }) => !isOwn)?.at, later.at(-1)?.at]);
    for (const at of moments) if (at !== undefined && !seen.isOwn) yield { ...seen, by: at - seen.at + 500 };
  }
}

function arm(fault: Fault, world: World, verdict: Parameters<typeof onEvent>[3]): void {
  onEvent(world, textIn(fault, "kind"), numberIn(fault, "event"), verdict);
}

export const watches: readonly Perturbation[] = [
  {
    id: "P7",
    what: "the events of one kind come late",
    *plans(reference): Iterable<Fault> {
      for (const { kind, event } of newsIn(reference))
        for (const by of [1_000, 30_000]) yield { p: "P7", kind, event, by };
    },
    arm(fault, world) {
      const by = numberIn(fault, "by");
      arm(fault, world, () => {
        world.busyFor(by);
        return { do: "delay", by };
      });
    },
  },
  {
    id: "P9",
    what: "states between two are never seen: the watch is silent for a while, and has to be begun anew",
    *plans(reference): Iterable<Fault> {
      for (const { kind, event, by } of spread([...overtaken(reference)], most)) yield { p: "P9", kind, event, by };
    },
    arm(fault, world) {
      const by = numberIn(fault, "by");
      arm(fault, world, () => {
        world.busyFor(by);
        return { do: "expire", after: by };
      });
    },
  },
  {
    id: "P10",
    what: "a watch goes silent without an end",
    *plans(reference): Iterable<Fault> {
      for (const { kind, event } of newsIn(reference)) yield { p: "P10", kind, event };
    },
    arm(fault, world) {
      arm(fault, world, () => {
        world.busyFor(longestStall);
        return { do: "stall" };
      });
    },
  },
  {
    id: "P11",
    what: "a watch is cut, between two lines or in the middle of one",
    *plans(reference): Iterable<Fault> {
      for (const { kind, event } of newsIn(reference))
        for (const inside of [true, false]) yield { p: "P11", kind, event, inside };
    },
    arm: (fault, world) => arm(fault, world, () => ({ do: "cut", inside: fault["inside"] === true })),
  },
  {
    id: "P12",
    what: "410: within a watch, at its start, and on the token of a page",
    *plans(reference): Iterable<Fault> {
      const { events } = reference;
      const isMany = (kind: string) => new Set(events.filter((it) => it.kind === kind).map(({ key }) => key)).size > 1;
      for (const { kind, event } of newsIn(reference)) {
        for (const at of ["event", "start"]) yield { p: "P12", kind, event, at };
        if (isMany(kind)) for (const times of [1, 3]) yield { p: "P12", kind, event, at: "token", times };
      }
    },
    arm(fault, world) {
      const at = textIn(fault, "at");
      if (at === "event") arm(fault, world, () => ({ do: "expire" }));
      else if (at === "start") expireStart(fault, world);
      else expireTokens(fault, world, numberIn(fault, "times"));
    },
  },
];

/** The stream ends, and whoever wants to go on from there comes too late. */
function expireStart(fault: Fault, world: World): void {
  let isDue = false;
  onRequest(world, (sent) => {
    if (!isDue || !sent.target.isWatch || kindOfTarget(sent) !== fault["kind"]) return undefined;
    isDue = false;
    return { do: "refuse", status: 410 };
  });
  arm(fault, world, () => {
    isDue = true;
    return { do: "cut" };
  });
}

/** The world has to be read anew, in short pages, and the next page is asked for too late. */
function expireTokens(fault: Fault, world: World, times: number): void {
  let [isDue, left] = [false, times];
  onRequest(world, (sent) => {
    if (!isDue || sent.method !== "GET" || kindOfTarget(sent) !== fault["kind"]) return undefined;
    if (!/[?&]continue=/.test(sent.request.path))
      return { do: "elsewhere", server: withoutStreamedLists(inShortPages(world.network.server, 1)) };
    left -= 1;
    if (left === 0) isDue = false;
    return { do: "refuse", status: 410 };
  });
  arm(fault, world, () => {
    isDue = true;
    return { do: "expire" };
  });
}
