/** An invariant that did not hold. */
export interface Violation {
  /** `I1` ... `I31` */
  readonly invariant: string;
  readonly what: string;
}
