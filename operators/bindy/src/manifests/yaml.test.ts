import { describe, expect, it } from "vitest";
import { toYaml } from "./yaml.ts";

describe("objects as YAML", () => {
  it("2.2 has conditions in the form of the specification: a status and a time are texts", () => {
    const condition = {
      type: "Bind9Instance-0",
      status: "True",
      reason: "Ready",
      message: "Instance production-dns-primary-0 is ready (2/2 pods)",
      lastTransitionTime: "2025-01-18T10:28:00Z",
    };
    expect(toYaml([condition])).toBe(`- type: Bind9Instance-0
  status: "True"
  reason: Ready
  message: Instance production-dns-primary-0 is ready (2/2 pods)
  lastTransitionTime: "2025-01-18T10:28:00Z"
`);
  });

  it("quotes what could be read as something else, and leaves out what is not there", () => {
    expect(
      toYaml({
        a: "yes",
        b: "a: b",
        c: "",
        d: "1.5",
        e: "- x",
        f: "line\nline\u0080é",
        g: undefined,
        "h i:": "#",
        j: "x ",
      }),
    ).toBe('a: "yes"\nb: "a: b"\nc: ""\nd: "1.5"\ne: "- x"\nf: "line\\nline\\u0080\\u00e9"\n"h i:": "#"\nj: "x "\n');
  });

  it("nests maps and lists, empty ones too", () => {
    expect(toYaml({ a: { b: [1, { c: true, d: [] }], e: {} }, f: [[1], ["x"]] }, { g: null })).toBe(`a:
  b:
  - 1
  - c: true
    d: []
  e: {}
f:
- - 1
- - x
---
g: null
`);
  });
});
