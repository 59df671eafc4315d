import { expect, test } from "vitest";
import { parse } from "yaml";
import { yamlOf } from "./print.ts";

test("what YAML does not take as it is, is escaped, and read as it was", () => {
  const data = { a: "^[^\u0080-\u009f\u202e]*$", b: "two\nlines\u2028and\ta tab", c: "é 😀", d: "\u{10ffff}\ufeff" };
  const text = yamlOf([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "it" }, data } as never]);
  expect(text).toMatch(/^[\n\t -~é😀]*$/u);
  expect(text).toContain("é 😀");
  expect(parse(text)).toMatchObject({ data });
});
