import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedKeys } from "./sorted-keys.ts";

describe("sorted keys", () => {
  it("are the sorted set, after any sequence of additions and removals", () => {
    const step = fc.record({ add: fc.boolean(), key: fc.integer({ min: 0, max: 40 }).map(String) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const keys = new SortedKeys();
        const set = new Set<string>();
        for (const { add, key } of steps) {
          if (add) keys.add(key);
          else keys.delete(key);
          if (add) set.add(key);
          else set.delete(key);
          expect(keys.size).toBe(set.size);
        }
        expect(keys.first(1000)).toEqual([...set].sort());
      }),
    );
  });

  it("stay sorted over many chunks, in whatever order they come and go", () => {
    const all = Array.from({ length: 5000 }, (_, i) => `pod-${(i * 7919) % 5000}`);
    const keys = new SortedKeys();
    for (const key of all) keys.add(key);
    expect(keys.first(5000)).toEqual([...all].sort());
    for (const key of all.slice(0, 4990)) keys.delete(key);
    expect(keys.first(5000)).toEqual(all.slice(4990).sort());
    expect(keys.size).toBe(10);
  });

  it("count a key once, and do not mind the loss of one that is not there", () => {
    const keys = new SortedKeys();
    keys.delete("a");
    keys.add("a");
    keys.add("a");
    keys.delete("b");
    expect([keys.size, keys.first(9)]).toEqual([1, ["a"]]);
  });

  it("give as many as are asked for", () => {
    const keys = new SortedKeys();
    for (const key of ["c", "a", "b"]) keys.add(key);
    expect([keys.first(2), keys.first(0)]).toEqual([["a", "b"], []]);
  });
});
