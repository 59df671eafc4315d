/** An invariant that did not hold. */
export interface Violation {
  /** `I1` ... `I30` */
  readonly invariant: string;
  readonly what: string;
}
