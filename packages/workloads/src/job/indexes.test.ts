import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstMissing, formatIndexes, has, including, overlap, parseIndexes, total, union } from "./indexes.ts";

describe("the text of a set of indexes", () => {
  it("joins three and more, and lists two", () => {
    const text = (...of: number[]) => formatIndexes(including([], of));
    expect([text(0), text(1, 0), text(0, 1, 2), text(5, 0, 1, 2, 7, 8)]).toEqual(["0", "0,1", "0-2", "0-2,5,7,8"]);
  });

  it("is read up to the limit, and what cannot be read is left out", () => {
    expect(parseIndexes("0-5,7", 4)).toEqual([{ first: 0, last: 3 }]);
    expect(parseIndexes("x,2,,9-1,-3,99999999999999999999", 10)).toEqual([{ first: 2, last: 2 }]);
    expect(parseIndexes(undefined, 10)).toEqual([]);
  });

  it("is the same set when it is written and read", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), (list) => {
        const read = parseIndexes(formatIndexes(including([], list)), 61);
        expect(list.every((index) => has(read, index)) && total(read) === list.length).toBe(true);
      }),
    );
  });
});

describe("sets of indexes", () => {
  const even = including([], [0, 2, 4]);

  it("are joined and compared", () => {
    expect(formatIndexes(union(even, including([], [1, 3])))).toBe("0-4");
    expect(overlap(even, including([], [1, 2, 3, 4]))).toBe(2);
  });

  it("tell the lowest that are missing", () => {
    expect(firstMissing(even, 2, 9)).toEqual([1, 3]);
    expect(firstMissing(even, 9, 6)).toEqual([1, 3, 5]);
    expect(firstMissing(including([], [0, 1, 2]), 9, 3)).toEqual([]);
    expect(firstMissing(including([], [7]), 2, 3)).toEqual([0, 1]);
  });
});
