import { describe, expect, it } from "vitest";
import { bind9InstanceConditionType, extractChildIndex, podConditionType } from "./reasons.ts";

describe("A-39 types of children", () => {
  it.each([
    ["Bind9Instance-15", 15],
    ["Pod-0", 0],
    ["Bind9Instance-999", 999],
    ["Ready", null],
    ["Bind9Instance", null],
    ["Bind9Instance-", null],
    ["Bind9Instance-abc", null],
    ["Bind9Instance-007", null],
    ["Bind9Instance-+1", null],
    ["Pod-1.5", null],
    ["Invalid-Format", null],
    ["", null],
  ])("the index in %j is %s", (type, index) => expect(extractChildIndex(type)).toBe(index));

  it("are made of whole numbers from 0 on", () => {
    expect(bind9InstanceConditionType(999)).toBe("Bind9Instance-999");
    expect(bind9InstanceConditionType(0)).toBe("Bind9Instance-0");
    expect(podConditionType(0)).toBe("Pod-0");
    for (const make of [bind9InstanceConditionType, podConditionType])
      for (const index of [-1, 1.5, Number.NaN]) expect(() => make(index)).toThrow(RangeError);
  });
});
