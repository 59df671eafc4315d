import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatSelector,
  type LabelSelector,
  matchesRequirements,
  matchesSelector,
  parseLabelSelector,
  type Requirement,
} from "./label-selector.ts";

function requirements(text: string): Requirement[] {
  const parsed = parseLabelSelector(text);
  if ("error" in parsed) throw new Error(parsed.error);
  return parsed.ok;
}

const matchesText = (text: string, labels: Record<string, string>) => matchesRequirements(requirements(text), labels);

const expression = (operator: string, ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key: "a", operator, values }],
});

describe("a selector", () => {
  it("matches everything when it is empty and nothing when there is none", () => {
    for (const empty of [
      {},
      { matchLabels: {} },
      { matchLabels: null, matchExpressions: null },
      { matchExpressions: [] },
    ]) {
      expect(matchesSelector(empty, { a: "1" })).toBe(true);
      expect(matchesSelector(empty, undefined)).toBe(true);
    }
    expect(matchesSelector(undefined, { a: "1" })).toBe(false);
    expect(matchesSelector(null, {})).toBe(false);
  });

  it("wants all of its parts", () => {
    const selector = { matchLabels: { a: "1", b: "2" }, matchExpressions: [{ key: "c", operator: "Exists" }] };
    expect(matchesSelector(selector, { a: "1", b: "2", c: "" })).toBe(true);
    expect(matchesSelector(selector, { a: "1", b: "2" })).toBe(false);
    expect(matchesSelector(selector, { a: "1", b: "3", c: "" })).toBe(false);
    expect(matchesSelector(selector, undefined)).toBe(false);
  });

  it.each([
    ["In", ["1", "2"], true, false, false],
    ["NotIn", ["1", "2"], false, true, true],
    ["Exists", [], true, true, false],
    ["DoesNotExist", [], false, false, true],
  ])("with %s %j looks at value and absence", (operator, values, listed, other, absent) => {
    const selector = expression(operator, ...values);
    expect(matchesSelector(selector, { a: "1" })).toBe(listed);
    expect(matchesSelector(selector, { a: "3" })).toBe(other);
    expect(matchesSelector(selector, { b: "1" })).toBe(absent);
    expect(matchesSelector(selector, undefined)).toBe(absent);
  });

  it("matches nothing when an expression is malformed", () => {
    const malformed = [
      expression("Gt", "1"),
      expression("in", "1"),
      expression("In"),
      expression("NotIn"),
      expression("Exists", "1"),
    ];
    for (const selector of malformed) {
      expect(matchesSelector(selector, { a: "1" })).toBe(false);
      expect(matchesSelector(selector, {})).toBe(false);
    }
  });

  it("does not take what every object has for a label", () => {
    for (const key of ["constructor", "toString", "__proto__"]) {
      expect(matchesSelector({ matchExpressions: [{ key, operator: "Exists" }] }, {})).toBe(false);
      expect(matchesSelector({ matchExpressions: [{ key, operator: "DoesNotExist" }] }, {})).toBe(true);
      const labels = Object.fromEntries([[key, "x"]]);
      expect(matchesSelector({ matchLabels: labels }, labels)).toBe(true);
      expect(matchesSelector({ matchLabels: labels }, {})).toBe(false);
    }
  });
});

describe("a selector as text", () => {
  it.each<[string, Requirement[]]>([
    ["", []],
    ["  ", []],
    ["k", [{ key: "k", operator: "Exists", values: [] }]],
    ["!k", [{ key: "k", operator: "DoesNotExist", values: [] }]],
    ["! k", [{ key: "k", operator: "DoesNotExist", values: [] }]],
    ["k=v", [{ key: "k", operator: "In", values: ["v"] }]],
    [" k == v ", [{ key: "k", operator: "In", values: ["v"] }]],
    ["k=", [{ key: "k", operator: "In", values: [""] }]],
    ["k!=v", [{ key: "k", operator: "NotIn", values: ["v"] }]],
    ["k in (b,a,b)", [{ key: "k", operator: "In", values: ["a", "b"] }]],
    ["k in ()", [{ key: "k", operator: "In", values: [""] }]],
    ["k in (,1)", [{ key: "k", operator: "In", values: ["", "1"] }]],
    ["k notin (a , b)", [{ key: "k", operator: "NotIn", values: ["a", "b"] }]],
    ["in in (in,notin)", [{ key: "in", operator: "In", values: ["in", "notin"] }]],
    ["k>5", [{ key: "k", operator: "Gt", values: ["5"] }]],
    ["k<5", [{ key: "k", operator: "Lt", values: ["5"] }]],
    [
      "x/b=1,!a",
      [
        { key: "a", operator: "DoesNotExist", values: [] },
        { key: "x/b", operator: "In", values: ["1"] },
      ],
    ],
  ])("%j is read", (text, expected) => {
    expect(parseLabelSelector(text)).toEqual({ ok: expected });
  });

  it.each([
    ["!(", "unable to parse requirement: found '(', expected: identifier"],
    ["k in 1", "unable to parse requirement: found '1' expected: '('"],
    ["k in (a", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["k in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"],
    ["k in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["k=(", "unable to parse requirement: found '(', expected: identifier"],
    ["k foo v", "unable to parse requirement: found 'foo', expected: in, notin, =, ==, !=, gt, lt"],
    ["=a", "found '=', expected: !, identifier, or 'end of string'"],
    [",a", "found ',', expected: !, identifier, or 'end of string'"],
    ["k=a b", "found 'b', expected: ',' or 'end of string'"],
    ["a,", "found '', expected: identifier after ','"],
    ["a,,b", "found ',', expected: identifier after ','"],
  ])("%j is refused as the API server refuses it", (text, error) => {
    expect(parseLabelSelector(text)).toEqual({ error });
  });

  it.each([
    ["-k", 'unable to parse requirement: <nil>: Invalid value: "-k": name part must consist of '],
    ["k=-v", 'unable to parse requirement: values[0][k]: Invalid value: "-v": '],
    ["k=a/b", 'unable to parse requirement: values[0][k]: Invalid value: "a/b": '],
    ["a/b/c", 'unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key must consist of '],
    ["k in (-a,-b)", 'unable to parse requirement: [values[0][k]: Invalid value: "-a": '],
    ["k>x", 'unable to parse requirement: values[0]: Invalid value: "x": '],
  ])("%j is refused for its key or value", (text, error) => {
    const parsed = parseLabelSelector(text);
    expect("error" in parsed && parsed.error.startsWith(error)).toBe(true);
  });

  it("compares whole numbers, and text that is none never", () => {
    expect(matchesText("k>5", { k: "6" })).toBe(true);
    expect(matchesText("k>5", { k: "5" })).toBe(false);
    expect(matchesText("k>5", { k: "10" })).toBe(true);
    expect(matchesText("k<5", { k: "-1" })).toBe(true);
    expect(matchesText("k<5", { k: "x" })).toBe(false);
    expect(matchesText("k<5", {})).toBe(false);
    expect(matchesRequirements([{ key: "k", operator: "Lt", values: [] }], { k: "1" })).toBe(false);
    expect(matchesRequirements([{ key: "k", operator: "Lt", values: ["5", "6"] }], { k: "1" })).toBe(false);
  });

  it("takes an absent label for unequal", () => {
    expect(matchesText("k!=v", {})).toBe(true);
    expect(matchesText("k notin (v)", {})).toBe(true);
    expect(matchesText("k=", {})).toBe(false);
  });
});

describe("writing a selector", () => {
  it("sorts by key, and values within", () => {
    const selector = {
      matchLabels: { z: "1", b: "" },
      matchExpressions: [
        { key: "c", operator: "NotIn", values: ["y", "x"] },
        { key: "a", operator: "Exists" },
        { key: "d", operator: "DoesNotExist" },
        { key: "e", operator: "In", values: ["v"] },
      ],
    };
    expect(formatSelector(selector)).toBe("a,b=,c notin (x,y),!d,e in (v),z=1");
    expect(formatSelector({})).toBe("");
  });

  it("leaves an unknown operator as an error in the text", () => {
    expect(parseLabelSelector(formatSelector(expression("Near", "1")))).toHaveProperty("error");
  });

  it("selects the same in both forms", () => {
    const key = fc.constantFrom("a", "b", "in", "constructor");
    const value = fc.constantFrom("", "1", "2", "in");
    const labels = fc
      .array(fc.tuple(key, value), { maxLength: 3 })
      .map((entries): Record<string, string> => Object.fromEntries(entries));
    const anyExpression = fc.oneof(
      fc.record({
        key,
        operator: fc.constantFrom("In", "NotIn"),
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist") }),
    );
    const selector = fc.record({ matchLabels: labels, matchExpressions: fc.array(anyExpression, { maxLength: 2 }) });
    fc.assert(
      fc.property(selector, labels, (object, found) => {
        expect(matchesText(formatSelector(object), found)).toBe(matchesSelector(object, found));
      }),
      { numRuns: 2000 },
    );
  });
});
