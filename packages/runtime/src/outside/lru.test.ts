import { expect, it } from "vitest";
import { Lru } from "./lru.ts";

it("forgets whoever was not asked for the longest", () => {
  const lru = new Lru<string, number>(2);
  lru.set("a", 1);
  lru.set("b", 2);
  lru.get("a");
  lru.set("c", 3);
  expect([lru.get("a"), lru.get("b"), lru.get("c")]).toEqual([1, undefined, 3]);
});

it("counts an entry that is set again once", () => {
  const lru = new Lru<string, number>(2);
  for (let i = 0; i < 5; i += 1) lru.set("a", i);
  lru.set("b", 9);
  expect([lru.get("a"), lru.get("b")]).toEqual([4, 9]);
  lru.delete("a");
  lru.set("c", 3);
  expect([lru.get("a"), lru.get("b"), lru.get("c")]).toEqual([undefined, 9, 3]);
});
