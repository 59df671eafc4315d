// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources under test have templates.
import { describe, expect, test } from "vitest";
import { codeOf, importsOf, isTest, lineAt } from "./source.ts";

describe("codeOf", () => {
  test.each([
    ["a line comment", "a // b", "a     "],
    ["a block comment keeps its line breaks", "a /* b\nc */ d", "a     \n     d"],
    ["a string keeps its quotes", `f("ab", 'c')`, `f("  ", ' ')`],
    ["an escaped quote does not close", String.raw`f("a\"b") g`, `f("    ") g`],
    ["a comment mark in a string is no comment", `f("//") g`, `f("  ") g`],
    ["a template keeps its code", "`a ${b(`c${d}`)} e` f", "`  ${b(` ${d}`)}  ` f"],
    ["braces within a template's code", "`${ { a: {} }.a } x` y", "`${ { a: {} }.a }  ` y"],
    ["a regular expression with a quote", `x = /["']/.test(a); b`, `x = /    /.test(a); b`],
    ["a slash in a class does not close", `x = /[/"]/; "a"`, `x = /    /; " "`],
    ["a regular expression after return", `return /"/;`, `return / /;`],
    ["a division is code", `a / b / "c"`, `a / b / " "`],
    ["a division after a parenthesis", `(a) / b; "c"`, `(a) / b; " "`],
    ["a division after a string", `"a" / b / "c"`, `" " / b / " "`],
    ["an unclosed string ends with its line", `it's\nb("c")`, `it' \nb(" ")`],
    ["a first line for the shell", "#!/usr/bin/env node\na", "                   \na"],
  ])("%s", (_name, text, code) => {
    expect(codeOf(text)).toBe(code);
  });
});

describe("importsOf", () => {
  test("finds every form of import, with its line", () => {
    const text = [
      `import a from "one";`,
      `import type { B } from 'two';`,
      `import {`,
      `  c,`,
      `} from "three";`,
      `export * from "./four.ts";`,
      `export { d } from "five";`,
      `import "six";`,
      `const e = await import("seven");`,
      `type F = import("eight").F;`,
      "const g = await import(`nine`);",
      `const h = require("ten");`,
    ].join("\n");
    expect(importsOf(text)).toEqual([
      { specifier: "one", line: 1 },
      { specifier: "two", line: 2 },
      { specifier: "three", line: 5 },
      { specifier: "./four.ts", line: 6 },
      { specifier: "five", line: 7 },
      { specifier: "six", line: 8 },
      { specifier: "seven", line: 9 },
      { specifier: "eight", line: 10 },
      { specifier: "nine", line: 11 },
      { specifier: "ten", line: 12 },
    ]);
  });

  test("what only looks like an import is none", () => {
    expect(
      importsOf(`// import "a"\nconst b = 'import "c"';\nexport const d = e.from("f");\nexport function g() {}`),
    ).toEqual([]);
  });
});

test.each([
  ["packages/kinds/src/kind.test.ts", true],
  ["packages/kinds/src/kind.test-d.ts", true],
  ["packages/client/src/watch.real.test.ts", true],
  ["operators/locust/test/world.ts", true],
  ["packages/kinds/src/kind.ts", false],
  ["packages/kinds/src/test/kind.ts", false],
])("isTest(%s) is %s", (path, expected) => {
  expect(isTest(path)).toBe(expected);
});

test("lines count from one", () => {
  expect([0, 1, 2, 3].map((offset) => lineAt("a\nb\n", offset))).toEqual([1, 1, 2, 2]);
});
