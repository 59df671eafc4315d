import { describe, expect, it } from "vitest";
import { indexed } from "../../test/job/samples.ts";
import { including } from "./indexes.ts";
import { successOf } from "./success-policy.ts";

describe("a success policy", () => {
  const met = (rules: readonly object[], ...completed: number[]) =>
    successOf(indexed({ completions: 9, successPolicy: { rules: [...rules] } }), including([], completed));

  it("wants all of the indexes that it names", () => {
    expect(met([{ succeededIndexes: "0,2-3" }], 0, 2)).toBeUndefined();
    expect(met([{ succeededIndexes: "0,2-3" }], 0, 2, 3)).toBe("Matched rules at index 0");
  });

  it("or as many of them as it says", () => {
    expect(met([{ succeededIndexes: "0-3", succeededCount: 2 }], 0, 8)).toBeUndefined();
    expect(met([{ succeededIndexes: "0-3", succeededCount: 2 }], 0, 3)).toBe("Matched rules at index 0");
  });

  it("or as many as it says of all, and the first rule that is met is named", () => {
    expect(met([{ succeededIndexes: "7" }, { succeededCount: 2 }], 1, 2)).toBe("Matched rules at index 1");
  });

  it("is not met by nothing, and a Job without one never meets it", () => {
    expect(met([{ succeededCount: 0 }])).toBeUndefined();
    expect(successOf(indexed(), including([], [0, 1, 2]))).toBeUndefined();
  });
});
