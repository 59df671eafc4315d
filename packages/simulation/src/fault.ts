// Something that goes wrong in a plan: which perturbation, and where. Plain data, so that a plan can be printed and replayed.

export interface Fault {
  /** `P1` ... `P38` */
  readonly p: string;
  readonly [detail: string]: string | number | boolean;
}

/** A run: its chance, and what goes wrong. */
export interface Plan {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** How long messages are under way. `none`: no time; `random`: up to 50 ms each, by the seed. Default: none. */
  readonly latency?: "none" | "random";
}
