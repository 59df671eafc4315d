import { describe, expect, test } from "vitest";
import { Gadget } from "../test/gadget.ts";
import { column } from "./columns.ts";
import { defineKind } from "./kind.ts";
import { referenceOf } from "./reference.ts";
import { Dictionary, Fields, Int32, List, Optional, Text } from "./schema.ts";

const lines = referenceOf(Gadget).split("\n");

describe("the reference of a kind", () => {
  test("of a small one is this page", () => {
    const small = defineKind({
      group: "telltale.test",
      version: "v1",
      kind: "Widget",
      description: "A thing.",
      spec: Fields({
        size: Int32({ minimum: 1, default: 2, description: "How large\nit is" }),
        name: Optional(Text({ pattern: "^(a|b)$" })),
      }),
      columns: [column("Size", ".spec.size", "integer")],
    });
    expect(referenceOf(small)).toBe(`# Widget

A thing.

|  |  |
|---|---|
| API version | \`telltale.test/v1\` |
| Kind | \`Widget\` |
| Resource | \`widgets.telltale.test\` |
| Scope | Namespaced |

## Columns

| Column | Path | Type | Shown | Description |
|---|---|---|---|---|
| Size | \`.spec.size\` | integer | always |  |

## Spec

| Field | Type | Required | Default | Limits | Description |
|---|---|---|---|---|---|
| \`spec.size\` | integer (int32) | yes | \`2\` | ≥ 1 | How large<br>it is |
| \`spec.name\` | string |  |  | matches \`^(a\\|b)$\` |  |
`);
  });

  test("has its parts in one order", () => {
    expect(lines.filter((line) => line.startsWith("#"))).toEqual([
      "# Gadget",
      "## Versions",
      "## Columns",
      "## Spec",
      "## Status",
      "## Phases",
      "## Conditions",
      "### Ready",
      "### Built",
      "### Broken",
      "### Drifted",
      "### Part-{index}",
    ]);
  });

  test.each([
    "| Short names | `gd` |",
    "| Subresources | `status`, `scale` |",
    "| `v2` | stored |  |",
    "| `v1` | converted | telltale.test/v1 Gadget is old; use v2 |",
    "| Zone | `.status.zones[0]` | string | `-o wide` |  |",
    "| `spec.owner` | string | yes |  | at most 63 characters; the owner cannot be changed |  |",
    "| `spec.share` | number |  |  | > 0; < 1 |  |",
    '| `spec.ports` | list by port, protocol of object | yes | `[{"name":"web","port":80,"protocol":"TCP"}]` | at most 4 items |  |',
    '| `spec.ports[].protocol` | string | yes | `"TCP"` | one of `TCP`, `UDP` |  |',
    "| `spec.labels` | map of string |  |  | at least 1 keys; at most 2 keys |  |",
    "| `spec.tags` | set of string |  |  | at most 3 items |  |",
    '| `spec.maxSurge` | integer or string | yes | `"25%"` |  |  |',
    "| `spec.template` | Kubernetes object |  |  |  |  |",
    "| `spec.value` | anything |  |  |  |  |",
    "| `status.conditions[].status` | string | yes |  | one of `True`, `False`, `Unknown` |  |",
    "| Pending | Nothing runs yet | Running, Failed | initial |",
    "| Running |  | Done, Failed, Pending (again) |  |",
    "| Failed | It failed for good |  | final |",
    "| **Ready** | The gadget works | good | always; computed from Built, Broken |",
    "| Broken | Something is broken | bad | while it is True |",
    "| Linked | What the other side says | good | always; repeats another object's |",
    "| Drifted | The spec was changed | neither good nor bad | from the first time that it is True |",
    "| Part-{index} | One part | good | one for each child, at most 4 |",
    "| `Building` | False | Parts are being made | wait |",
    "| `Changed` | True, False | It was edited \\| or not | recreate it |",
  ])("says %s", (line) => {
    expect(lines).toContain(line);
  });

  test("names every field, phase, condition and reason", () => {
    const text = referenceOf(Gadget);
    for (const name of Object.keys(Gadget.schema.spec.properties ?? {})) expect(text).toContain(`\`spec.${name}\``);
    for (const name of Object.keys(Gadget.schema.status?.properties ?? {}))
      expect(text).toContain(`\`status.${name}\``);
    for (const d of Object.values(Gadget.conditions.types))
      for (const reason of Object.keys(d.reasons)) expect(text).toContain(`\`${reason}\``);
  });

  test("is the same each time", () => {
    expect(referenceOf(Gadget)).toBe(referenceOf(Gadget));
  });

  test("goes down into lists and maps", () => {
    const deep = defineKind({
      group: "a.b",
      version: "v1",
      kind: "Deep",
      spec: Fields({ m: Dictionary(List(Fields({ x: Text() }))) }),
    });
    expect(referenceOf(deep)).toContain("| `spec.m` | map of list of object |");
    expect(referenceOf(deep)).toContain("| `spec.m{}[].x` | string | yes |");
  });

  test("of a kind without fields says so", () => {
    expect(referenceOf(defineKind({ group: "a.b", version: "v1", kind: "Bare" }))).toContain("## Spec\n\nNo fields.");
  });
});
