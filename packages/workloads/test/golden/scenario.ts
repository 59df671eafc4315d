// What a scenario file says: what is applied and done, and when, in terms of states reached.
import { readdirSync, readFileSync } from "node:fs";
import type { Json, JsonObject } from "./json.ts";

export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly steps: readonly Step[];
  readonly settleMs: number;
  /** `creation`: pods of one owner as they were made. `canonical`: those that stay, then the others as they were deleted. */
  readonly podNumbering: "creation" | "canonical";
  /** Whether the Namespace and what every namespace has are part of it. */
  readonly namespaceObjects?: boolean;
}

export type Step = Action | Until | { readonly wait: number };

export type Action =
  | { readonly do: "create"; readonly manifest: JsonObject }
  | {
      readonly do: "patch";
      readonly kind: string;
      readonly name: string;
      readonly type: "merge" | "strategic";
      readonly patch: Json;
      readonly subresource?: string;
    }
  | { readonly do: "delete"; readonly kind: string; readonly name: string; readonly propagationPolicy?: string }
  | { readonly do: "delete-namespace" }
  | PodAction
  | { readonly do: "kubelet"; readonly hold: boolean }
  | { readonly do: "scale-rs"; readonly replicas: number };

export interface PodAction {
  readonly do: "pod";
  readonly op: "delete" | "exit" | "unready" | "ready" | "run" | "release" | "label";
  /** Of those alive, in order of creation; -1 is the last. */
  readonly nth?: number;
  readonly name?: string;
  readonly code?: number;
  readonly labels?: JsonObject;
}

export interface Until {
  readonly until: "settled" | Condition;
  /** Seconds. */
  readonly timeout?: number;
}

export interface Condition {
  readonly kind: string;
  readonly name: string;
  readonly path?: string;
  readonly equals?: Json;
  readonly exists?: boolean;
  readonly gone?: boolean;
}

const folder = new URL("../fixtures/golden/", import.meta.url);

export const scenarioNames = (): readonly string[] =>
  readdirSync(new URL("scenarios/", folder))
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .sort();

export const scenario = (name: string): Scenario =>
  JSON.parse(readFileSync(new URL(`scenarios/${name}.json`, folder), "utf8")) as Scenario;

/** The lines of what was recorded. */
export const recordedLines = (name: string): readonly JsonObject[] =>
  readFileSync(new URL(`recorded/v1.36/${name}.jsonl`, folder), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);
