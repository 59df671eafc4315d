// Defaults as the API server applies them: pure, on a copy. Shared with the embedded server and with conversions.
import type { Structural } from "./structural.ts";

type Loose = Record<string, unknown>;

/**
 * The value with every default of the schema filled in. A default stands for a missing member, and for a null where null is
 * not allowed; such a null without a default is dropped. Absent parents stay absent unless they have a default of their own.
 */
export function applyDefaults<T>(schema: Structural, value: T): T {
  return fill(schema, value) as T;
}

function fill(schema: Structural, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = schema.items;
    return items === undefined ? value : value.map((item) => fill(items, refused(items, item) ? missing(items) : item));
  }
  if (typeof value !== "object" || value === null) return value;
  const out: Loose = { ...(value as Loose) };
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (child.default !== undefined && (!Object.hasOwn(out, name) || out[name] === undefined)) {
      set(out, name, structuredClone(child.default));
    }
  }
  for (const [name, member] of Object.entries(out)) {
    const named = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    const child = named ?? schema.additionalProperties;
    if (child === undefined || member === undefined) continue;
    if (!refused(child, member)) set(out, name, fill(child, member));
    else if (child.default === undefined) delete out[name];
    else set(out, name, fill(child, missing(child)));
  }
  return out;
}

/** A null that the schema does not allow. */
function refused(schema: Structural, value: unknown): boolean {
  return value === null && schema.nullable !== true;
}

function missing(schema: Structural): unknown {
  return schema.default === undefined ? null : structuredClone(schema.default);
}

function set(target: Loose, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  } else target[name] = value;
}
