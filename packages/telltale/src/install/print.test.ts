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

test("what kubectl would take for a boolean or a number stays text", () => {
  const words = ["On", "Off", "yes", "n", "1:30", "1_000", "010", "0o7", "~", "OffGraceful", "v1", "a:b"];
  const text = yamlOf([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "it" }, words } as never]);
  for (const version of ["1.1", "1.2"] as const) expect(parse(text, { version })).toMatchObject({ words });
  expect(text).toContain('- "On"\n');
  expect(text).toContain("- OffGraceful\n");
});
