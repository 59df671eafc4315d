import { expect, test } from "vitest";
import { hasBadPlaceholder, substitute, substituteAll, UnsafeValue } from "./substitute.ts";

test("a placeholder becomes the value of its variable", () => {
  expect(substitute("vpc-${name}-${name}", { name: "a" })).toBe("vpc-a-a");
});

test("what a value brings along is not looked at again", () => {
  expect(substitute("${a}${b}", { a: "${b}", b: "${a}" })).toBe("${b}${a}");
});

test("a value may hold what a replacement would take for a pattern", () => {
  expect(substitute("${a}", { a: "$& $1 $$ $`" })).toBe("$& $1 $$ $`");
});

test.each([
  "${var.cluster}",
  "${local.x}",
  "${substr(a, 0, 1)}",
  "${unknown}",
  "$${name}",
  "$$${name}",
  "${}",
  "${1a}",
  "${na-me}",
  "${ name }",
  "$name",
])("%s is left as it is", (text) => {
  expect(substitute(text, { name: "x", var: "x", na: "x" })).toBe(text);
});

test("what every object has is no variable", () => {
  expect(substitute("${constructor} ${toString}", {})).toBe("${constructor} ${toString}");
});

test("every text of a value is looked at, and nothing but texts", () => {
  const value = { "${a}": ["${a}", 1, true, null, { deep: "-${a}-" }] };
  expect(substituteAll(value, { a: 'x"y' })).toEqual({ "${a}": ['x"y', 1, true, null, { deep: '-x"y-' }] });
});

test("a value that is refused is named, and not shown", () => {
  const refuse = () => substitute("a ${secret}", { secret: "marker" }, (value) => value === "marker");
  expect(refuse).toThrow(UnsafeValue);
  expect(refuse).toThrow("variable secret has characters that may not stand in a module");
});

test.each([
  ["${a}", false],
  ["$${a-b}", false],
  ["plain $ text {}", false],
  ["${a-b}", true],
  ["${a", true],
  ["${a}${", true],
])("%s has a bad placeholder: %s", (text, is) => {
  expect(hasBadPlaceholder(text)).toBe(is);
});
