// What is declared and not used, on purpose, with the text that tells a user so.
export interface Exception {
  /** As the report names it: `spec DNSZone a.b[].c`. One that ends in `*` means all that begins with it. */
  readonly what: string;
  readonly why: string;
  /** Stands in the operator's README or in a page of its `docs`, where the descriptions of fields are, too. */
  readonly told: string;
}
