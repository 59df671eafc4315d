// Defaults as the API server applies them: pure, on a copy. Shared with the embedded server and with conversions.
import type { Structural } from "./structural.ts";

type Loose = Record<string, unknown>;

/**
 * The value with every default of the schema filled in. A default stands for a missing member, and for a null one that
 * may not be null. Absent parents stay absent unless they have a default of their own.
 */
export function applyDefaults<T>(schema: Structural, value: T): T {
  return fill(schema, value) as T;
}

function fill(schema: Structural, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = schema.items;
    return items === undefined ? value : value.map((item) => fill(items, item));
  }
  if (typeof value !== "object" || value === null) return value;
  const out: Loose = { ...(value as Loose) };
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const present = Object.hasOwn(out, name) && out[name] !== undefined;
    if (child.default !== undefined && (!present || (out[name] === null && child.nullable !== true))) {
      set(out, name, structuredClone(child.default));
    }
    if (Object.hasOwn(out, name) && out[name] !== undefined) set(out, name, fill(child, out[name]));
  }
  const values = schema.additionalProperties;
  if (values !== undefined) for (const name of Object.keys(out)) set(out, name, fill(values, out[name]));
  return out;
}

function set(target: Loose, name: string, value: unknown): void {
  if (name === "__proto__") Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  else target[name] = value;
}
