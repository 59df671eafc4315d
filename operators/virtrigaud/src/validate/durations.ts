// Lengths of time that cannot be read, wherever a kind has them (2.6, L-21). Our definitions refuse them; those of an older
// installation let them through. Pure.
import type { Kind, Structural } from "@telltale/kinds";
import { parseLength } from "../durations.ts";
import { patterns } from "../kinds/patterns.ts";
import { type Problem, problem } from "./problem.ts";

/** Every length in a spec that is none. */
export const durationProblems = (kind: Pick<Kind, "schema">, spec: unknown): readonly Problem[] =>
  within(kind.schema.spec, spec, "spec");

function within(schema: Structural, value: unknown, field: string): readonly Problem[] {
  if (typeof value === "string") {
    if (schema.pattern !== patterns.duration || parseLength(value) !== undefined) return [];
    return [problem(field, value, "is not a length of time", "write it as 90s, 30m or 720h: there is no day")];
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, i) => within(items, item, `${field}[${i}]`));
  }
  if (typeof value !== "object" || value === null) return [];
  const known = schema.properties ?? {};
  return Object.entries(value).flatMap(([name, member]) => {
    const child = Object.hasOwn(known, name) ? known[name] : schema.additionalProperties;
    return child === undefined ? [] : within(child, member, `${field}.${name}`);
  });
}
