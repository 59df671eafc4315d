import fc from "fast-check";
import { expect, it } from "vitest";
import { Heap } from "./heap.ts";

it("gives back what was put in, in order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.array(fc.integer()), (some, more) => {
      const heap = new Heap<number>((a, b) => a < b);
      for (const n of some) heap.push(n);
      const taken = Array.from({ length: Math.floor(some.length / 2) }, () => heap.pop());
      for (const n of more) heap.push(n);
      expect([...heap]).toHaveLength(heap.size);
      const rest: (number | undefined)[] = [];
      while (heap.first !== undefined) rest.push(heap.pop());
      const order = (a: number | undefined, b: number | undefined) => (a ?? 0) - (b ?? 0);
      expect(taken).toEqual([...some].sort(order).slice(0, taken.length));
      expect(rest).toEqual([...rest].sort(order));
      expect([...taken, ...rest].sort(order)).toEqual([...some, ...more].sort(order));
    }),
  );
});
