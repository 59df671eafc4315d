import { describe, expect, it } from "vitest";
import { type Row, table } from "./table.ts";

const rows: readonly Row<number, { readonly word: string }>[] = [
  { id: "T-1", when: (n) => n < 0, result: () => ({ word: "negative" }) },
  { id: "T-2", when: (n) => n < 10, result: (n) => ({ word: `small ${n}` }) },
  { id: "T-3", when: (n) => n < 100, result: () => ({ word: "large" }) },
];

describe("a decision table", () => {
  it("answers with the first row that matches, and names it", () => {
    expect(table(rows)(-1)).toEqual({ word: "negative", row: "T-1" });
    expect(table(rows)(5)).toEqual({ word: "small 5", row: "T-2" });
  });

  it("answers with the last one when asked to", () => {
    expect(table(rows, "last")(-1)).toEqual({ word: "large", row: "T-3" });
  });

  it("keeps its rows in the order of the declaration, for docs and tests", () => {
    expect(table(rows, "last").rows.map((r) => r.id)).toEqual(["T-1", "T-2", "T-3"]);
  });

  it("has rows that can be awaited as what they are", async () => {
    const [first] = rows;
    expect(await Promise.resolve(first)).toBe(first);
  });

  it("does not guess where no row matches", () => {
    expect(() => table(rows)(1000)).toThrow("no row of T-1, T-2, T-3 matches");
  });

  it("refuses two rows with one id", () => {
    expect(() => table([...rows, ...rows.slice(0, 1)])).toThrow("two rows with one id");
  });
});
