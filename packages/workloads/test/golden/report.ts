// What an author of a controller needs to put a difference right: each difference, and both sequences side by side.
import { type Difference, said } from "./compare.ts";
import { change } from "./paths.ts";
import type { Recording, State } from "./recording.ts";
import type { Replay } from "./replay.ts";

export function report(name: string, found: readonly Difference[], ours: Replay, recorded: Recording): string {
  const concerned = [...new Set(found.map(({ object }) => object))];
  return [
    `${name} differs from what was recorded in ${found.length} places`,
    ...(ours.failure === undefined ? [] : [`  the scenario could not be performed: ${ours.failure}`]),
    ...found.map((it) => `  - ${said(it)}`),
    ...concerned.flatMap((object) => sequences(object, ours, recorded)),
    ...(ours.complaints.length === 0 ? [] : ["", "logged:", ...ours.complaints.slice(0, 10).map((it) => `  ${it}`)]),
  ].join("\n");
}

/** The states of an object, ours and the recorded ones, each as what differs from the one before. */
export function sequences(object: string, ours: Recording, recorded: Recording): readonly string[] {
  return ["", `${object}, ours:`, ...lines(ours, object), `${object}, recorded:`, ...lines(recorded, object)];
}

function lines(recording: Recording, object: string): readonly string[] {
  const states = recording.objects.get(object) ?? [];
  const varied = recording.varied.get(object) ?? [];
  if (states.length === 0) return ["  (none)"];
  const one = (label: string, state: State, before: State | undefined) =>
    `  ${label} step ${state.step} ${state.event} ${state.event === "DELETED" ? "" : change(before?.body, state.body)}`;
  return states.flatMap((state, n) => [
    one(`#${n}`, state, states[n - 1]),
    ...varied.filter(({ after }) => after === n).map((it) => one("  or", it, state)),
  ]);
}
