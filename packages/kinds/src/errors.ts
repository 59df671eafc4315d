// A declaration that cannot work, found when it is made: the kind, the field, what is wrong and the way out.

export class DeclarationError extends Error {
  readonly kind: string;
  readonly field: string;

  constructor(kind: string, field: string, problem: string, fix: string) {
    super(`${kind}: ${field}: ${problem}; ${fix}`);
    this.name = "DeclarationError";
    this.kind = kind;
    this.field = field;
  }
}

/** Reports a problem at a field of the kind being declared. */
export type Complain = (field: string, problem: string, fix: string) => never;

export function complainOf(kind: string): Complain {
  return (field, problem, fix) => {
    throw new DeclarationError(kind, field, problem, fix);
  };
}
