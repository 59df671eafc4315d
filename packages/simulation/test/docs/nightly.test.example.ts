import { replay } from "@telltale/simulation";
import { expect, test } from "vitest";
import { nightly } from "./backup.scenario.example.ts";

// P25 (write 1, by 40000, side before, for 0): answers are slow: one comes after its client gave up, or all of a pass together after its time
// I2: Job default/backup-<2> is there, and should not be
test("I2 holds in spite of P25 (write 1, by 40000, side before, for 0)", async () => {
  const { violations } = await replay(nightly, {"seed":1,"faults":[{"p":"P25","write":1,"by":40000,"side":"before","for":0}]});
  expect(violations).toEqual([]);
});
