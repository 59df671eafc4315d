// What a run of tests is told, and what it tells: a line for each thing that happened.
import { readFileSync } from "node:fs";

export const orderVariable = "TELLTALE_MUTANTS";

/** What a run is told. */
export type Order = { readonly log: string } & (
  | { readonly do: "look" }
  | { readonly do: "try"; readonly places: Readonly<Record<string, readonly Place[]>> } // by the id of a test
  | { readonly do: "stay"; readonly mutant: number } // on from the start, for what is reached while a file is loaded
);

/** A mutant that a test comes by, and how often. */
export type Place = readonly [mutant: number, times: number];

/** One line of the log. */
export type Line =
  | { readonly is: "reached"; readonly test: string; readonly took: number; readonly places: readonly Place[] }
  | { readonly is: "loaded"; readonly places: readonly Place[] } // outside of tests
  | { readonly is: "begun"; readonly mutant: number }
  | { readonly is: "killed"; readonly mutant: number; readonly test: string }
  | { readonly is: "red"; readonly test: string } // without any mutant
  | { readonly is: "doubtful"; readonly test: string };

export function readLog(log: string): readonly Line[] {
  const lines = readFileSync(log, "utf8").split("\n");
  return lines.filter((it) => it !== "").map((it) => JSON.parse(it) as Line);
}
