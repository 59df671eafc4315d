// Two recordings of one case side by side.
import { isObject, type Json } from "../../src/json.ts";
import type { Recording } from "./case.ts";
import type { Accepted } from "./differences.ts";
import { canonical, escaped } from "./json.ts";

export interface Difference {
  readonly step: number;
  /** The step's request. */
  readonly name: string;
  readonly pointer: string;
  readonly expected: Json | undefined;
  readonly got: Json | undefined;
}

export function compare(expected: Recording, got: Recording, accepted: readonly Accepted[]): Difference[] {
  const count = Math.max(expected.steps.length, got.steps.length);
  return Array.from({ length: count }, (_, step) => {
    const [left, right] = [expected.steps[step], got.steps[step]];
    const name = String((left ?? right)?.["step"]);
    return differing(left, right, "").map((difference) => ({ step, name, ...difference }));
  })
    .flat()
    .filter((d) => !accepted.some((a) => accepts(a, expected.id, d)));
}

/** The differences as lines: the step, then each pointer with both values. */
export function show(differences: readonly Difference[]): string {
  const lines: string[] = [];
  let last = -1;
  for (const { step, name, pointer, expected, got } of differences) {
    if (step !== last) lines.push(`step ${step}: ${name}`);
    last = step;
    lines.push(`  ${pointer === "" ? "(whole step)" : pointer}`);
    lines.push(`    expected ${canonical(expected)}`, `    got      ${canonical(got)}`);
  }
  return lines.join("\n");
}

function accepts(a: Accepted, id: string, d: Difference): boolean {
  if (a.case !== id || (a.step !== undefined && a.step !== d.step)) return false;
  return a.pointer === undefined || d.pointer === a.pointer || d.pointer.startsWith(`${a.pointer}/`);
}

type Pair = Pick<Difference, "pointer" | "expected" | "got">;

function differing(expected: Json | undefined, got: Json | undefined, pointer: string): Pair[] {
  if (Array.isArray(expected) && Array.isArray(got)) {
    const count = Math.max(expected.length, got.length);
    return Array.from({ length: count }, (_, i) => differing(expected[i], got[i], `${pointer}/${i}`)).flat();
  }
  if (isObject(expected) && isObject(got)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(got)])].sort();
    return keys.flatMap((key) => differing(expected[key], got[key], `${pointer}/${escaped(key)}`));
  }
  return canonical(expected) === canonical(got) ? [] : [{ pointer, expected, got }];
}
