import fc from "fast-check";
import { expect, test } from "vitest";
import { compilePattern, longestPattern } from "./pattern.ts";

const matches = (pattern: string, text: string): boolean => {
  const compiled = compilePattern(pattern);
  if ("problem" in compiled) throw new Error(compiled.problem);
  return compiled.test(text);
};

const problem = (pattern: string): string => {
  const compiled = compilePattern(pattern);
  return "problem" in compiled ? compiled.problem : "";
};

test("a pattern matches what JavaScript's own matches", () => {
  const atom = fc.constantFrom("a", "b", "-", ".", "[ab]", "[^a]", "\\d", "\\w", "(a|b)", "(?:ab|)", "(a*b)", "\\b");
  const count = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "*?");
  const edge = fc.constantFrom("", "", "^", "$");
  const part = fc.tuple(atom, count).map(([one, times]) => (one === "\\b" ? one : one + times));
  const pattern = fc
    .tuple(edge, fc.array(part, { maxLength: 5 }), fc.constantFrom("", "|"), fc.array(part, { maxLength: 3 }), edge)
    .map(([first, left, or, right, last]) => [first, ...left, or, ...right, last].join(""));
  const name = fc.string({ unit: fc.constantFrom("a", "b", "-", "1", " "), maxLength: 8 });
  fc.assert(
    fc.property(pattern, name, (one, text) => matches(one, text) === new RegExp(one, "u").test(text)),
    { numRuns: 2_000 },
  );
});

test("what is common in Go is understood: case, names of groups, edges", () => {
  expect(matches("(?i)^web-[a-c]+$", "WEB-Cab")).toBe(true);
  expect(matches("(?P<tier>db|web)", "x")).toBe(false);
  expect(matches("\\Adb\\z", "db")).toBe(true);
  expect(matches("^\\x41\\x{42}$", "AB")).toBe(true);
  expect(matches("[]a-]+", "]")).toBe(true);
  expect(matches("^.$", "\u{1f600}")).toBe(true);
});

test("patterns that others take hours for end at once", () => {
  const name = "a".repeat(255);
  for (const slow of ["(a+)+$b", "(a|a)*b", ".*.*.*.*.*.*.*.*.*.*x", "(a*)*(a*)*b", "((a{1,9}){1,9})*b"]) {
    expect(matches(slow, name)).toBe(false);
  }
});

test("what cannot be matched in linear time, or is no pattern, is refused with a reason", () => {
  expect(problem("a".repeat(longestPattern + 1))).toBe("it is longer than 256 characters");
  expect(problem("(a{99}){99}")).toBe("its counts make it too long");
  expect(problem("(?=a)")).toContain("only (");
  expect(problem("(a)\\1")).toBe("\\1 is not known");
  expect(problem("a**")).toBe("a repetition is repeated");
  expect(problem("(a")).toBe("a ( has no )");
  expect(problem("a)")).toBe("a ) has no (");
  expect(problem("[b-a]")).toBe("a range in [ ] goes backwards");
  expect(problem("[a")).toBe("it ends too early");
  expect(problem("*a")).toBe("nothing is before *");
});

test("no text whatever makes it throw", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (pattern, text) => {
      const compiled = compilePattern(pattern);
      if ("test" in compiled) compiled.test(text);
    }),
  );
});
