// A decision table: rows with ids, tried in order. Tests name the rows, docs list them, and the answer says which one matched.

export interface Row<In, Out> {
  readonly id: string;
  readonly when: (input: In) => boolean;
  readonly result: (input: In) => Out;
}

export interface Table<In, Out> {
  (input: In): Out & { readonly row: string };
  readonly rows: readonly Row<In, Out>[];
}

/** `pick: "last"` takes the last row that matches. A table that matches nothing throws: give it a last row that always does. */
export function table<In, Out extends object>(
  rows: readonly Row<In, Out>[],
  pick: "first" | "last" = "first",
): Table<In, Out> {
  const ids = new Set(rows.map((row) => row.id));
  if (ids.size !== rows.length) throw new Error("a decision table has two rows with one id");
  const order = pick === "first" ? rows : [...rows].reverse();
  const decide = (input: In) => {
    const row = order.find((r) => r.when(input));
    if (row === undefined) throw new Error(`no row of ${rows.map((r) => r.id).join(", ")} matches`);
    return { ...row.result(input), row: row.id };
  };
  return Object.assign(decide, { rows });
}
