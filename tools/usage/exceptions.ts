// What is declared and not used, on purpose. Each row says how a user learns of it: `told` is a text that stands in the description
// of the field, in the meaning of the reason, or in a page of the operator's docs.
export interface Exception {
  /** The operator. */
  readonly operator: string;
  /** As the report names it: `spec DNSZone a.b[].c`. A row ends in `*` where all that begins with it is meant. */
  readonly what: string;
  readonly why: string;
  readonly told: string;
}

export const exceptions: readonly Exception[] = [];
