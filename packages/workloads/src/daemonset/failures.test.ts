import { instant, plus } from "@telltale/kinds";
import { expect, test } from "vitest";
import { Failures } from "./failures.ts";

const begin = instant(1_000_000);

test("a failed pod is replaced at once the first time, and later and later after that", () => {
  const failures = new Failures();
  expect(failures.heldUntil("a")).toBeUndefined();
  const delays = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900];
  let at = begin;
  for (const delay of delays) {
    failures.replaced("a", at);
    expect(failures.heldUntil("a")).toBe(plus(at, delay * 1000));
    at = plus(at, delay * 1000);
  }
});

test("nodes are told apart, and what is long ago is forgotten", () => {
  const failures = new Failures();
  failures.replaced("a", begin);
  failures.replaced("b", plus(begin, 1_000));
  failures.replaced("b", plus(begin, 1_800_001));
  expect(failures.heldUntil("a")).toBeUndefined();
  expect(failures.heldUntil("b")).toBe(plus(begin, 1_802_001));
  failures.replaced("a", plus(begin, 1_800_002));
  expect(failures.heldUntil("a")).toBe(plus(begin, 1_801_002));
});
