// What a Workspace's annotations tell the simulated runner to do: how long things take, what fails and how often, and what is
// strange about the result. Pure. What cannot be read is left out: a simulation has no right to fail on its own.
import type { Ms } from "@telltale/kinds";
import { type ErrorClass, isErrorClass } from "../error-class.ts";

export interface Script {
  readonly seed?: number;
  readonly latency: Readonly<Record<SimulatedStep, Ms>>;
  /** How many resources an apply makes. */
  readonly resources: number;
  readonly fail: readonly Failure[];
  readonly quirks: Quirks;
}

export type SimulatedStep = "init" | "plan" | "apply" | "destroy";

/** So many times in a row an operation fails. */
export interface Failure {
  readonly operation: SimulatedStep;
  readonly times: number;
  readonly class?: ErrorClass;
  readonly message: string;
}

/** What is strange about a run that went well. */
export interface Quirks {
  /** It never becomes ready. */
  readonly neverReady: boolean;
  /** The Secret comes so long after the Workspace is ready. */
  readonly secretDelay: Ms;
  /** Outputs that are not in the Secret. */
  readonly dropKeys: readonly string[];
  /** So long after it was ready, and for so long, it is out of step. */
  readonly unsync: readonly { readonly after: Ms; readonly for: Ms; readonly message: string }[];
}

export const noQuirks: Quirks = { neverReady: false, secretDelay: 0, dropKeys: [], unsync: [] };

const standardLatency: Script["latency"] = { init: 10, plan: 10, apply: 50, destroy: 20 };
const steps: readonly SimulatedStep[] = ["init", "plan", "apply", "destroy"];

export function parseScript(text: string | undefined): Script {
  const it = recordIn(text);
  const latencies = isRecord(it["latencyMs"]) ? it["latencyMs"] : {};
  const seed = it["seed"];
  return {
    ...(typeof seed === "number" ? { seed } : {}),
    latency: Object.fromEntries(
      steps.map((step) => [step, number(latencies[step], standardLatency[step])]),
    ) as Script["latency"],
    resources: Math.min(1000, Math.floor(number(it["resources"], 5))),
    fail: list(it["fail"]).flatMap(failureIn),
    quirks: {
      neverReady: it["neverReady"] === true,
      secretDelay: number(it["secretDelayMs"], 0),
      dropKeys: list(it["dropKeys"]).filter((key) => typeof key === "string"),
      unsync: list(it["unsync"]).flatMap((window) =>
        isRecord(window)
          ? [
              {
                after: number(window["afterMs"], 0),
                for: number(window["forMs"], 0),
                message: words(window["message"]),
              },
            ]
          : [],
      ),
    },
  };
}

/** Values that take the place of the invented ones. */
export const parseOverrides = (text: string | undefined): Readonly<Record<string, unknown>> => recordIn(text);

function failureIn(it: unknown): readonly Failure[] {
  if (!isRecord(it)) return [];
  const operation = steps.find((step) => step === it["operation"]);
  if (operation === undefined) return [];
  const name = typeof it["class"] === "string" ? it["class"] : undefined;
  return [
    {
      operation,
      times: number(it["times"], 1),
      ...(isErrorClass(name) ? { class: name } : {}),
      message: words(it["message"]),
    },
  ];
}

const words = (value: unknown): string => (typeof value === "string" && value !== "" ? value : "simulated failure");
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const number = (value: unknown, standard: number): number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : standard;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function recordIn(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
