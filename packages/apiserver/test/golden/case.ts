// What a case of the golden corpus says, and what a recording of it holds. The data is in `../fixtures/golden`.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json, JsonObject } from "../../src/json.ts";

/** One behaviour of the server, shown by requests that run in a namespace of their own. */
export interface Case {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly Step[];
  /** Parts of CRD specs, installed before the steps; what is left out is filled in. */
  readonly crd?: JsonObject | readonly JsonObject[];
  readonly namespace?: false;
  /** What it makes would change the answers to other cases. */
  readonly alone?: true;
  readonly vars?: Readonly<Record<string, string>>;
  /** Paths to delete afterwards. */
  readonly cleanup?: readonly string[];
  readonly webhook?: Readonly<Record<string, Behaviour>>;
}

/** One step. `do` is an HTTP method or COLLECT, WAIT, CRD, SLEEP, COMPACT, PARALLEL, REVIEWS, BEHAVE. */
export interface Step {
  readonly do: string;
  readonly title?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly body?: Json;
  readonly raw?: Raw;
  /** `none`, or another token. */
  readonly auth?: string;
  readonly save?: Readonly<Record<string, string>>;
  readonly save_optional?: boolean;
  readonly compare?: readonly string[];
  readonly compare_also?: readonly string[];
  readonly drop?: readonly string[];
  readonly unordered_errors?: boolean;
  readonly relations?: readonly (readonly [string, string, string])[];
  readonly elapsed?: readonly [number, number];
  readonly record?: false | "all";
  readonly must?: "any";
  readonly repeat?: number;
  /** Of a request: it opens a watch. Of COLLECT: the watch's name. */
  readonly watch?: string | { readonly for_ms?: number };
  /** The name of a watch; of BEHAVE the new behaviour. */
  readonly as?: string | Behaviour;
  // COLLECT
  readonly for_ms?: number;
  readonly quiet_ms?: number;
  readonly expect?: number;
  readonly until_end?: boolean;
  readonly pick?: readonly string[];
  readonly bookmarks?: boolean;
  readonly keep?: boolean;
  readonly sorted?: boolean;
  // WAIT
  readonly method?: string;
  readonly until?: Readonly<Record<string, Json>>;
  readonly timeout_ms?: number;
  // CRD, SLEEP, PARALLEL, BEHAVE
  readonly crd?: JsonObject;
  readonly wait?: false;
  readonly ms?: number;
  readonly steps?: readonly Step[];
  readonly unordered?: boolean;
  readonly name?: string;
}

/** A body that is not JSON: text, bytes, or text with a long middle. */
type Raw =
  | string
  | {
      readonly base64?: string;
      readonly head?: string;
      readonly repeat?: string;
      readonly times?: number;
      readonly tail?: string;
    };

/** What a case's webhook answers. Without anything it allows. */
export interface Behaviour {
  /** Members of the response; null leaves it out. A `patch` may be a JSON array. */
  readonly response?: JsonObject | null;
  readonly delay_ms?: number;
  readonly status?: number;
  readonly text?: string;
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly omit?: readonly string[];
  /** No patch for objects that carry this label. */
  readonly unless_label?: string;
  readonly convert?: "ok" | "fail" | "rename" | "labels" | "metadata" | "drop" | "same" | "uid";
}

/** The normalised answers to the steps of a case. */
export interface Recording {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly JsonObject[];
}

const folder = fileURLToPath(new URL("../fixtures/golden", import.meta.url));

/** The areas in order of their letter, each with its cases. */
export function readCases(): { readonly area: string; readonly cases: readonly Case[] }[] {
  return readdirSync(`${folder}/cases`)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => ({
      area: name.slice(0, -".json".length),
      cases: JSON.parse(readFileSync(`${folder}/cases/${name}`, "utf8")) as Case[],
    }));
}

export function readRecordings(version: string, area: string): ReadonlyMap<string, Recording> {
  const lines = readFileSync(recordingFile(version, area), "utf8").split("\n").filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Recording).map((r) => [r.id, r]));
}

export const recordingFile = (version: string, area: string): string => `${folder}/recorded/${version}/${area}.jsonl`;
