// What rules may cost at most by estimate, and what is said when they may cost more.
import type { Structural } from "@telltale/kinds";
import { type FieldError, forbiddenField } from "../status.ts";

export type Multiplier = number;

export const perRuleEstimate = 10_000_000;
const perSchemaEstimate = 100_000_000;
/** The largest request body, which bounds what is not bounded by the schema. */
const largestRequest = 3 * 1024 * 1024;

/** Undefined when the cost is within the limit. */
export function costMessage(what: string, cost: number, limit: number): string | undefined {
  if (cost <= limit) return undefined;
  const factor = cost / limit;
  // Close to 1 the digits matter, or it would say "1.0x".
  const by = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${by} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Adds up the rules of a schema and remembers the dearest. */
export class CostTotal {
  #total = 0;
  #dearest: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total += cost;
    // Rules of less than a hundredth of the limit are never named.
    if (cost < perSchemaEstimate / 100) return;
    this.#dearest = [...this.#dearest, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  errors(path: string): FieldError[] {
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    const message = costMessage(what, this.#total, perSchemaEstimate);
    if (message === undefined) return [];
    const part = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    return [...this.#dearest.map((rule) => forbiddenField(rule.path, part)), forbiddenField(path, message)];
  }
}

/** How many elements, entries or bytes a value of a schema may have. */
export function schemaSizes(schema: Structural): { readonly most: number } {
  switch (schema.type) {
    case "array":
      return { most: schema.maxItems ?? bounded(smallest(schema.items)) };
    case "object":
      if (schema.additionalProperties === undefined) return { most: Object.keys(schema.properties ?? {}).length };
      // The least that an entry takes is `"":` and a comma.
      return { most: schema.maxProperties ?? bounded(smallest(schema.additionalProperties) + 4) };
    case "string":
      return { most: stringSize(schema) };
    default:
      return { most: schema["x-kubernetes-int-or-string"] === true ? stringSize(schema) : 1 };
  }
}

const bounded = (size: number): number => Math.floor((largestRequest - 2) / (size + 1));

function stringSize(schema: Structural): number {
  switch (schema.format) {
    case "duration":
      return 30;
    case "date":
      return 20;
    case "date-time":
      return 20;
    default:
  }
  // A character takes up to four bytes.
  if (schema.maxLength !== undefined) return schema.maxLength * (schema.format === "byte" ? 1 : 4);
  if (schema.enum !== undefined) return Math.max(0, ...schema.enum.map((value) => String(value).length));
  return largestRequest - 2;
}

/** The fewest bytes that a value takes as JSON. */
function smallest(schema: Structural | undefined): number {
  if (schema === undefined) return 2;
  switch (schema.type) {
    case "string":
      return 2 + (schema.minLength ?? 0);
    case "boolean":
      return 4;
    case "integer":
    case "number":
      return 1;
    case "object": {
      let size = 2;
      for (const name of schema.required ?? []) {
        const property = schema.properties?.[name];
        if (property !== undefined && property.default === undefined) size += name.length + 4 + smallest(property);
      }
      return size;
    }
    default:
      return 2;
  }
}
