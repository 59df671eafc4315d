import { expect, it } from "vitest";
import { systemRandom } from "./system.ts";

it("gives as many bytes as asked for, and no two draws alike", () => {
  const draws = Array.from({ length: 600 }, () => Buffer.from(systemRandom.bytes(16)).toString("hex"));
  expect(new Set(draws).size).toBe(600);
  expect(systemRandom.bytes(10_000)).toHaveLength(10_000);
  expect(systemRandom.bytes(0)).toHaveLength(0);
});

it("hands out copies: what a caller does to its bytes concerns nobody else", () => {
  const first = systemRandom.bytes(8);
  first.fill(0);
  expect(Buffer.from(systemRandom.bytes(8)).equals(Buffer.alloc(8))).toBe(false);
});
