// The phases of a scenario: what is done without waiting in between is one, and only its end is a settled point.
import type { Scenario } from "./scenario.ts";
import { told } from "./steps.ts";

export interface Phase {
  /** The first of its actions, as an index into the steps. */
  readonly from: number;
  readonly when: string;
}

export function phasesOf(steps: Scenario["steps"]): readonly Phase[] {
  const phases: { from: number; when: string }[] = [];
  for (const [i, step] of steps.entries()) {
    const isAction = "do" in step;
    const follows = i > 0 && "do" in (steps[i - 1] ?? {});
    const last = phases.at(-1);
    if (last === undefined) phases.push({ from: 0, when: `step ${i} (${told(step)})` });
    else if (isAction && follows) last.when += `, step ${i} (${told(step)})`;
    else if (isAction) phases.push({ from: i, when: `step ${i} (${told(step)})` });
  }
  return phases;
}

/** The phase of a step, as an index. */
export const phaseAt = (phases: readonly Phase[], step: number): number =>
  phases.findLastIndex(({ from }) => from <= step);
