// Compares what we did with what was recorded. Ours may write less often, so neighbouring states may be merged; but none
// may be invented, every object ends each phase as recorded, and the Events are the same set.
import type { Allowed } from "./differences.ts";
import { isObject, type JsonObject } from "./json.ts";
import { ordered } from "./ordered.ts";
import { type Gap, gaps, told as gapTold, leaves } from "./paths.ts";
import { phaseAt, phasesOf } from "./phases.ts";
import type { Recording, State, Told } from "./recording.ts";
import type { Scenario } from "./scenario.ts";

export type Difference =
  | { readonly is: "invented"; readonly object: string; readonly n: number; readonly when: string; readonly near: Near }
  | { readonly is: "end"; readonly object: string; readonly when: string; readonly near: Near }
  | { readonly is: "unknown object"; readonly object: string; readonly when: string }
  | { readonly is: "missing object"; readonly object: string; readonly when: string }
  | { readonly is: "extra event" | "missing event"; readonly object: string; readonly event: Told };

/** The recorded state that comes nearest, and where ours differs from it. */
export type Near = { readonly n: string; readonly gaps: readonly Gap[] } | undefined;

/** What the recorder of a real controller manager puts before a text that comes too often: how often is not compared. */
const combined = /^\(combined from similar events\): /;

export function compare(
  scenario: Pick<Scenario, "name" | "steps">,
  ours: Recording,
  recorded: Recording,
  allowed: readonly Allowed[] = [],
): readonly Difference[] {
  const mine = allowed.filter((it) => it.scenario === scenario.name);
  const found: Difference[] = [];
  const names = new Set([...recorded.objects.keys(), ...ours.objects.keys()]);
  for (const object of names) {
    const exceptions = mine.filter((it) => it.object === object);
    if (exceptions.some((it) => it.path === undefined && it.between !== true)) continue;
    const isFree = exceptions.some((it) => it.between === true);
    const paths = exceptions.flatMap((it) => it.path ?? []);
    const common = recorded.objects.get(object) ?? [];
    const varied = recorded.varied.get(object) ?? [];
    const slots: Slot[] = [
      ...common.map((state, n) => ({ at: 2 * n, n: `#${n}`, ...seen(state, paths) })),
      ...varied.map((state) => ({ at: 2 * state.after + 1, n: `varied after #${state.after}`, ...seen(state, paths) })),
    ].sort((a, b) => a.at - b.at);
    const states = merge((ours.objects.get(object) ?? []).map((state) => seen(state, paths)));
    const all = compareObject(scenario, object, states, slots);
    found.push(...(isFree ? all.filter(({ is }) => is !== "invented") : all));
  }
  return [...found, ...compareEvents(ours, recorded, mine)];
}

/** A state made comparable: `key` is equal for equal states. */
interface Seen {
  readonly step: number;
  readonly body: JsonObject;
  readonly key: string;
}

interface Slot extends Seen {
  /** Common state n is at 2n, what varied after it at 2n + 1. */
  readonly at: number;
  readonly n: string;
}

function compareObject(
  { steps }: Pick<Scenario, "steps">,
  object: string,
  ours: readonly Seen[],
  slots: readonly Slot[],
): readonly Difference[] {
  const found: Difference[] = [];
  const phases = phasesOf(steps);
  const phaseOf = (step: number) => phaseAt(phases, step);
  const when = (phase: number) => phases[phase]?.when ?? "";
  const [first] = ours;
  if (slots.length === 0 && first !== undefined) {
    return [{ is: "unknown object", object, when: when(phaseOf(first.step)) }];
  }
  const common = slots.filter(({ at }) => at % 2 === 0);
  const [firstSlot] = common;
  if (first === undefined) {
    return firstSlot === undefined ? [] : [{ is: "missing object", object, when: when(phaseOf(firstSlot.step)) }];
  }

  for (const [phase] of phases.entries()) {
    const mine = ours.filter(({ step }) => phaseOf(step) === phase);
    const theirs = slots.filter(({ step }) => phaseOf(step) === phase);
    let from = -1;
    let last: Slot | undefined;
    for (const state of mine) {
      const slot = theirs.find((it) => it.at >= from && it.key === state.key);
      last = slot;
      if (slot === undefined) {
        const ahead = theirs.filter(({ at }) => at >= from);
        const near = nearest(state, ahead.length > 0 ? ahead : theirs.length > 0 ? theirs : slots);
        found.push({ is: "invented", object, n: ours.indexOf(state), when: when(phase), near });
      } else from = slot.at % 2 === 0 ? slot.at + 1 : slot.at;
    }
    const ends = lastOf(slots.filter(({ step }) => phaseOf(step) <= phase));
    const end = ours.findLast(({ step }) => phaseOf(step) <= phase);
    if (ends.length === 0 || ends.some((it) => it.key === end?.key)) continue;
    if (mine.length > 0 && last === undefined) break; // said already
    found.push({ is: "end", object, when: when(phase), near: end === undefined ? undefined : nearest(end, ends) });
    break; // what follows would say the same again
  }
  return found;
}

/** The last common state, and what varied after it: one of these it was, in each run. */
function lastOf(slots: readonly Slot[]): readonly Slot[] {
  const last = slots.findLast(({ at }) => at % 2 === 0);
  return slots.filter(({ at }) => at === last?.at || at === (last?.at ?? -2) + 1);
}

function nearest(state: Seen, slots: readonly Slot[]): Near {
  return slots
    .map(({ at, n, body }) => ({ at, n, gaps: gaps(state.body, body) }))
    .toSorted((a, b) => a.gaps.length - b.gaps.length || (a.at % 2) - (b.at % 2))[0];
}

function seen({ step, event, body }: State, without: readonly string[]): Seen {
  const one = ordered({ event, ...body });
  const kept = [...leaves(one)].filter(([path]) => !without.some((it) => path === it || path.startsWith(`${it}.`)));
  return { step, body: isObject(one) ? one : {}, key: JSON.stringify(kept) };
}

/** Consecutive states that are equal now are one. */
const merge = (states: readonly Seen[]): readonly Seen[] =>
  states.filter((state, i) => state.key !== states[i - 1]?.key);

function compareEvents(ours: Recording, recorded: Recording, allowed: readonly Allowed[]): readonly Difference[] {
  const key = ({ regarding, type, reason, message, component }: Told) =>
    JSON.stringify([regarding, type, reason, message.replace(combined, ""), component]);
  const keys = (events: readonly Told[]) => new Set(events.map(key));
  const emitted = keys(ours.events);
  const known = keys([...recorded.events, ...recorded.eventsVaried]);
  const skip = new Set(allowed.filter((it) => it.path === undefined || it.path === "events").map((it) => it.object));
  const missing = recorded.events.filter((it) => !emitted.has(key(it)) && !skip.has(it.regarding));
  const extra = ours.events.filter((it) => !known.has(key(it)) && !skip.has(it.regarding));
  return [
    ...missing.map((event) => ({ is: "missing event" as const, object: event.regarding, event })),
    ...extra.map((event) => ({ is: "extra event" as const, object: event.regarding, event })),
  ];
}

/** A difference as a person reads it. */
export function said(it: Difference): string {
  switch (it.is) {
    case "unknown object":
      return `${it.object} was never recorded, and is there after ${it.when}`;
    case "missing object":
      return `${it.object} is not there; it was recorded after ${it.when}`;
    case "invented":
      return `${it.object}: our state #${it.n}, after ${it.when}, is none of those recorded there${nearSaid(it.near)}`;
    case "end":
      return `${it.object}: how it stands at the end of ${it.when} is not as recorded${nearSaid(it.near)}`;
    default: {
      const { regarding, type, reason, message, component } = it.event;
      return `${it.is}: ${regarding} ${type} ${reason} "${message}" of ${component}`;
    }
  }
}

function nearSaid(near: Near): string {
  if (near === undefined) return "; we have no such object then";
  const most = 12;
  const lines = near.gaps.slice(0, most).map((gap) => `\n      ${gapTold(gap)}`);
  const more = near.gaps.length > most ? `\n      and ${near.gaps.length - most} more` : "";
  return `; nearest is recorded ${near.n}:${lines.join("")}${more}`;
}
