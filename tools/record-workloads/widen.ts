// A stored recording with what further runs showed: states that it does not have are added to what varied.
import type { JsonObject } from "../../packages/workloads/test/golden/json.ts";
import { ordered } from "../../packages/workloads/test/golden/ordered.ts";
import { phaseAt, phasesOf } from "../../packages/workloads/test/golden/phases.ts";
import { readRecording, type State, type Varied } from "../../packages/workloads/test/golden/recording.ts";
import type { Scenario } from "../../packages/workloads/test/golden/scenario.ts";
import type { Observed } from "../../packages/workloads/test/golden/symbols.ts";
import { changeOf } from "./combine.ts";
import { longestCommon } from "./longest-common.ts";

export function widen(
  scenario: Pick<Scenario, "steps">,
  stored: readonly JsonObject[],
  server: string,
  runs: readonly Observed[],
): readonly JsonObject[] {
  const recorded = readRecording(stored);
  const phases = phasesOf(scenario.steps);
  const keyOf = ({ step, event, body }: State) => JSON.stringify([phaseAt(phases, step), event, ordered(body)]);
  const [header = {}, ...lines] = stored;
  const before = Number(header["runs"]) + Number(header["furtherRuns"] ?? 0);
  const added: JsonObject[] = [];
  for (const [object, common] of recorded.objects) {
    const known: Varied[] = [...(recorded.varied.get(object) ?? [])];
    const isKnown = (state: State, after: number) =>
      known.some((it) => it.after === after && keyOf(it) === keyOf(state));
    for (const [i, run] of runs.entries()) {
      const states = run.objects.get(object) ?? [];
      const places = longestCommon([common.map(keyOf), states.map(keyOf)]);
      let base: { readonly after: number; readonly body: JsonObject } | undefined;
      for (const [place, state] of states.entries()) {
        if (places.some(([, mine]) => mine === place)) continue;
        const after = places.findLast(([, mine = -1]) => mine < place)?.[0] ?? -1;
        const onto = base?.after === after ? base.body : (common[after]?.body ?? {});
        if (isKnown(state, after)) continue;
        const change = changeOf(onto, state.body);
        const line = { record: "varied", object, run: before + i + 1, after, step: state.step, event: state.event };
        added.push({ ...line, change });
        known.push({ ...state, after });
        base = { after, body: state.body };
      }
    }
  }
  const varied = Number(header["variedCount"]) + added.length;
  const furtherRuns = Number(header["furtherRuns"] ?? 0) + runs.length;
  return [{ ...header, variedCount: varied, furtherRuns, furtherServer: server }, ...lines, ...added];
}
