// Which machines of a hypervisor are adopted, as an annotation of a Provider says it in JSON (3.11). Pure.
import { powerOf } from "../link/observed.ts";
import { redact } from "../redact.ts";
import type { Listed } from "./listing.ts";
import { compilePattern, type Pattern } from "./pattern.ts";

export interface Filter {
  readonly isWanted: (machine: Pick<Listed, "name" | "power" | "cpu" | "memoryMiB">) => boolean;
}

/** The longest annotation that is read (7.6). */
const longest = 8_192;

type Range = readonly [least: number, most: number];

export function filterOf(json: string | undefined): Filter | { readonly problem: string } {
  if (json === undefined || json.trim() === "") return { isWanted: () => true };
  if (json.length > longest) return { problem: `it is longer than ${longest} characters` };
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    return { problem: "it is no JSON" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) return { problem: "it is no JSON object" };
  return filterFrom(read);
}

function filterFrom(read: object): Filter | { readonly problem: string } {
  const { namePattern, powerState, ...numbers } = read as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(numbers).find((name) => !limits.includes(name));
  // Left out, a slip of the pen would adopt everything.
  if (unknown !== undefined) return { problem: `${redact(unknown)} is no field of it` };
  const pattern = patternOf(namePattern);
  if (pattern !== undefined && "problem" in pattern) return { problem: `namePattern: ${pattern.problem}` };
  const power = typeof powerState === "string" ? powerOf(powerState) : "Unknown";
  const anyPower = powerState === undefined || powerState === "";
  if (!anyPower && power === "Unknown") return { problem: "powerState is neither On nor Off" };
  const bad = limits.find((name) => !isLimit(numbers[name]));
  if (bad !== undefined) return { problem: `${bad} is no whole number from 0` };
  const cpu = rangeOf(numbers["minCPU"], numbers["maxCPU"]);
  const memory = rangeOf(numbers["minMemoryMiB"], numbers["maxMemoryMiB"]);
  return {
    isWanted: (machine) =>
      (pattern?.test(machine.name) ?? true) &&
      (anyPower || machine.power === power) &&
      isIn(machine.cpu, cpu) &&
      isIn(machine.memoryMiB, memory),
  };
}

const limits: readonly string[] = ["minCPU", "maxCPU", "minMemoryMiB", "maxMemoryMiB"];

function patternOf(given: unknown): Pattern | { readonly problem: string } | undefined {
  if (given === undefined || given === "") return undefined;
  return typeof given === "string" ? compilePattern(given) : { problem: "it is no text" };
}

const isLimit = (given: unknown): boolean =>
  given === undefined || (typeof given === "number" && Number.isInteger(given) && given >= 0);

/** Zero is no limit. */
const rangeOf = (least: unknown, most: unknown): Range => [
  Number(least ?? 0),
  Number(most ?? 0) || Number.POSITIVE_INFINITY,
];

const isIn = (value: number, [least, most]: Range): boolean => value >= least && value <= most;
