// Estimates as v1.36 made them for one schema: accepted, or by which factor too dear.
import type { Structural } from "@telltale/kinds";
import { beforeAll, describe, expect, test } from "vitest";
import recorded from "./cost.json" with { type: "json" };
import { loadCel } from "./engine.ts";
import { compileRules } from "./rules.ts";

beforeAll(loadCel);

const text = (maxLength: number): Structural => ({ type: "string", maxLength });
const properties: Record<string, Structural> = {
  a: text(20),
  i: { type: "integer" },
  d: { type: "number" },
  l: { type: "array", items: text(10), maxItems: 5 },
  o: { type: "object", properties: { x: { ...text(5), nullable: true } } },
  m: { type: "object", additionalProperties: { type: "integer" }, maxProperties: 5 },
  p: { "x-kubernetes-int-or-string": true },
  n: { ...text(5), nullable: true },
  u: { type: "string" },
  ul: { type: "array", items: { type: "string" } },
  um: { type: "object", additionalProperties: { type: "string" } },
  du: { type: "string", format: "duration" },
  e: { type: "string", enum: ["a", "bb"] },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  cond: {
    type: "array",
    maxItems: 10,
    items: { type: "object", properties: { type: text(30), status: { type: "string" } } },
  },
};

describe("a rule is estimated", () => {
  test.each(Object.entries(recorded))("%s: %s", (rule, factor) => {
    const spec: Structural = { type: "object", properties, "x-kubernetes-validations": [{ rule, message: "" }] };
    const { errors } = compileRules({ type: "object", properties: { spec } }, "schema");
    const found = /factor of (.*?) \(/.exec(errors[0]?.body ?? "");
    expect(found?.[1] ?? errors.map((error) => error.body).join()).toBe(factor);
  });
});
