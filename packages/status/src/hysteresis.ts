// A probe's verdict that does not follow every single answer: so many failures to turn bad, so many successes to recover.

export interface Probe {
  readonly verdict: "good" | "bad";
  /** Answers in a row that speak against the verdict. */
  readonly against: number;
}

export interface Hysteresis {
  readonly fail: number;
  readonly ok: number;
}

/** The verdict after one more answer. Before the first answer a probe counts as good. */
export function hysteresis(previous: Probe | undefined, ok: boolean, limits: Hysteresis): Probe {
  const { verdict, against } = previous ?? { verdict: "good", against: 0 };
  if (ok === (verdict === "good")) return { verdict, against: 0 };
  const needed = verdict === "good" ? limits.fail : limits.ok;
  return against + 1 >= needed ? { verdict: ok ? "good" : "bad", against: 0 } : { verdict, against: against + 1 };
}
