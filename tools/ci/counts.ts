// How many tests a stage of CI runs, and how many it ran the last time somebody wrote that down.

/** By stage: `test:real`. */
export type Counts = Readonly<Record<string, number>>;

export interface Ran {
  readonly stage: string;
  readonly passed: number;
  readonly skipped: readonly string[];
  readonly seconds: number;
}

export interface Judgement {
  readonly lines: readonly string[];
  readonly isFewer: boolean;
}

/** A stage that ran fewer tests than it is known to have fails: a suite that was lost is found this way. */
export function judge({ stage, passed, skipped, seconds }: Ran, counts: Counts): Judgement {
  const known = counts[stage];
  const sum = `${stage}: ${passed} tests passed, ${skipped.length} skipped, in ${Math.round(seconds)} s`;
  const lines = [sum, ...skipped.map((name) => `  skipped: ${name}`)];
  const change = `set "${stage}" to ${passed} in .ci/tests.json`;
  if (known === undefined) return { lines: [...lines, `${stage} has no number of tests; ${change}`], isFewer: true };
  if (passed < known) {
    const why = `${stage} has ${known} tests in .ci/tests.json, and ${passed} passed; find out what is missing`;
    return { lines: [...lines, `${why}, or, if they were removed on purpose, ${change}`], isFewer: true };
  }
  const more = passed > known ? [`${passed - known} more than in .ci/tests.json: ${change}`] : [];
  return { lines: [...lines, ...more], isFewer: false };
}
