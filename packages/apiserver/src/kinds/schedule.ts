// What is wrong with a cron schedule, in the words of the reader that upstream uses.
import { parseGoDuration } from "@telltale/kinds";
import { goQuote } from "../status.ts";

/** Undefined when the schedule can be read. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith("@")) return descriptorProblem(schedule);
  const fields = schedule.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== 5) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  for (const [i, field] of fields.entries()) {
    for (const part of field.split(",")) {
      const problem = part === "" ? undefined : partProblem(part, bounds[i] ?? { min: 0, max: 59 });
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** A schedule that brings its time zone along. */
export const namesZone = (schedule: string): boolean => /^(?:CRON_)?TZ=/.test(schedule);

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const bounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

function descriptorProblem(schedule: string): string | undefined {
  if (descriptors.includes(schedule)) return undefined;
  if (!schedule.startsWith("@every ")) return `unrecognized descriptor: ${schedule}`;
  const duration = schedule.slice("@every ".length);
  return parseGoDuration(duration) === undefined
    ? `failed to parse duration ${schedule}: time: invalid duration ${goQuote(duration)}`
    : undefined;
}

/** `*`, `n`, `n-m`, each with an optional `/step`. */
function partProblem(part: string, bound: Bounds): string | undefined {
  const [range = "", step, ...moreSteps] = part.split("/");
  const [low = "", high, ...moreHigh] = range.split("-");
  let start = bound.min;
  let end = bound.max;
  if (low !== "*" && low !== "?") {
    const first = point(low, bound);
    if (typeof first === "string") return first;
    const last = high === undefined ? first : point(high, bound);
    if (moreHigh.length > 0) return `too many hyphens: ${part}`;
    if (typeof last === "string") return last;
    start = first;
    end = high === undefined && step !== undefined ? bound.max : last;
  }
  if (moreSteps.length > 0) return `too many slashes: ${part}`;
  const by = step === undefined ? 1 : whole(step);
  if (typeof by === "string") return by;
  if (start < bound.min) return `beginning of range (${start}) below minimum (${bound.min}): ${part}`;
  if (end > bound.max) return `end of range (${end}) above maximum (${bound.max}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return by === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

function point(word: string, bound: Bounds): number | string {
  const named = bound.names?.indexOf(word.toLowerCase()) ?? -1;
  return named >= 0 ? named + bound.min : whole(word);
}

function whole(word: string): number | string {
  if (!/^[+-]?\d+$/.test(word))
    return `failed to parse int from ${word}: strconv.Atoi: parsing ${goQuote(word)}: invalid syntax`;
  const value = Number(word);
  if (!Number.isSafeInteger(value))
    return `failed to parse int from ${word}: strconv.Atoi: parsing ${goQuote(word)}: value out of range`;
  return value < 0 ? `negative number (${value}) not allowed: ${word}` : value;
}
