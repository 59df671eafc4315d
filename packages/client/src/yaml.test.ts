import { expect, test } from "vitest";
import { yamlOf } from "./yaml.ts";

test("control characters are escaped, and everything else is as it was", () => {
  const object = { text: "a\u007f\u0085\ufeff\u00e4\n", "key\u0080": 1 };
  const text = yamlOf(object);
  expect(text).not.toMatch(/[\u007f-\u009f\ufeff]/);
  expect(text).toContain("\u00e4");
  expect(JSON.parse(text)).toEqual(object);
});
