// A broken rule of status, by its number in docs/status-rules.md.

export interface Violation {
  readonly rule: number;
  /** The condition type or status path that it is about. */
  readonly at: string;
  readonly problem: string;
}

/** Thrown in tests and simulation. In production a violation is counted and logged, and the status is written. */
export class StatusViolation extends Error {
  readonly violations: readonly Violation[];

  constructor(kind: string, name: string, violations: readonly Violation[]) {
    super(`${kind} ${name}: ${violations.map((v) => `rule ${v.rule}, ${v.at}: ${v.problem}`).join("; ")}`);
    this.name = "StatusViolation";
    this.violations = violations;
  }
}
