import { describe, expect, it } from "vitest";
import { declaresBackend, outputsIn, typedValue } from "./module.ts";

describe("a module", () => {
  it.each([
    ['terraform {\n  backend "s3" {\n  }\n}', true],
    ["terraform {\n  cloud {\n  }\n}", true],
    ['terraform { required_version = "1.4" }', false],
    ['# terraform { backend "s3" {} }', false],
    ['/* terraform { backend "s3" {} } */ output "a" { value = 1 }', false],
    ['output "backend" { value = 1 }', false],
    ['{"terraform": {"backend": {"s3": {}}}}', true],
    ['{"terraform": [{"required_version": "1"}, {"cloud": {}}]}', true],
    ['{"output": {"backend": {"value": 1}}}', false],
  ])("%j names a backend: %s", (text, expected) => {
    expect(declaresBackend(text)).toBe(expected);
  });

  it("tells its outputs, and which of them are sensitive", () => {
    const text = `
# output "commented" { value = 1 }
output "a" { value = { x = { y = 1 } } }
output "b" {
  value     = "#{not a comment}"
  sensitive = true
}
output "c" {
  sensitive = false
  value = 1
}`;
    expect(outputsIn(text)).toEqual([
      { name: "a", isSensitive: false },
      { name: "b", isSensitive: true },
      { name: "c", isSensitive: false },
    ]);
    expect(outputsIn('{"output": {"a": {"value": 1, "sensitive": true}}}')).toEqual([{ name: "a", isSensitive: true }]);
  });

  it("takes a text as what its variable is", () => {
    const text = 'variable "l" { type = list(string) }\nvariable "s" { type = string }\nvariable "n" {}';
    expect(typedValue(text, "l", '["a"]')).toEqual(["a"]);
    expect(typedValue(text, "l", "not JSON")).toBe("not JSON");
    expect(typedValue(text, "s", '["a"]')).toBe('["a"]');
    expect(typedValue(text, "n", "5")).toBe("5");
    expect(typedValue(text, "unknown", "{}")).toBe("{}");
    expect(typedValue('{"variable": {"m": {"type": "map(string)"}}}', "m", '{"a":"b"}')).toEqual({ a: "b" });
  });
});
