// Mutants that change nothing that anybody could see, and why. They count neither as killed nor as survivors.

export interface Equivalent {
  readonly module: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const equivalents: readonly Equivalent[] = [];
