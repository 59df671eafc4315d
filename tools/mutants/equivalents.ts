// Mutants that change nothing that anybody could see, and why. They count neither as killed nor as survivors.

export interface Equivalent {
  readonly module: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

const of = (
  module: string,
  rows: readonly (readonly [from: string, to: string, why: string])[],
): readonly Equivalent[] => rows.map(([from, to, why]) => ({ module, from, to, why }));

export const equivalents: readonly Equivalent[] = [
  ...of("packages/client/src/retry.ts", [
    ['outcome.at === "answered"', "true", "no other outcome has a time to come back"],
    ["value === undefined", "false", "what is no text is no number and no date either"],
  ]),
  ...of("packages/runtime/src/cache/version.ts", [
    ["a < b", "a <= b", "those that are the same were answered before"],
    ["compareVersions(a, b) ?? 0", "compareVersions(a, b)", "undefined is not below zero either"],
    ["compareVersions(a, b) ?? 1", "compareVersions(a, b)", "undefined is not zero or below either"],
    ["a !== undefined && b !== undefined", "a !== undefined", "what is no text is no decimal number either"],
    ["a !== undefined && b !== undefined", "b !== undefined", "what is no text is no decimal number either"],
    [
      "a !== undefined && b !== undefined && (compareVersions(a, b) ?? 0) < 0",
      "(compareVersions(a, b) ?? 0) < 0",
      "what is no text is no decimal number either, and two of them are the same",
    ],
  ]),
  ...of("packages/workloads/src/job/backoff.ts", [
    ["at < now", "at <= now", "both are that moment"],
    ["at < earlier", "at <= earlier", "both are that moment"],
    ["at > last", "at >= last", "both are that moment"],
  ]),
  ...of("operators/capt/src/failure.ts", [
    ["generation === undefined", "false", "one that is undefined is read as one that is not there"],
    ["notes === undefined", "false", "those that are undefined are read as those that are not there"],
  ]),
];
