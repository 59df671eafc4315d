// Values from outside, cut to the types of a schema, so that code which trusts them cannot fall over. Not validation: what
// has the right type and a wrong value stays, and so does what the schema does not know.
import type { Structural } from "@telltale/kinds";

type Loose = Readonly<Record<string, unknown>>;

/** The value without members and items of a wrong type, or undefined when it is of a wrong type itself. */
export function shaped(schema: Structural, value: unknown): unknown {
  return cut(schema, value, () => true);
}

/** The same, and without those that lack something which is required of them. */
export function whole(schema: Structural, value: unknown): unknown {
  return cut(schema, value, hasRequired);
}

type Keep = (schema: Structural, value: Loose) => boolean;

function cut(schema: Structural, value: unknown, keep: Keep): unknown {
  if (!hasType(schema, value)) return undefined;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : value.map((item) => cut(items, item, keep)).filter((item) => item !== undefined);
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const child = childOf(schema, name);
    return [name, child === undefined ? member : cut(child, member, keep)] as const;
  });
  const kept = Object.fromEntries(members.filter(([, member]) => member !== undefined));
  return keep(schema, kept) ? kept : undefined;
}

/** Where there is a default a server fills it in. */
function hasRequired({ required = [], properties = {} }: Structural, value: Loose): boolean {
  return required.every((name) => Object.hasOwn(value, name) || properties[name]?.default !== undefined);
}

function childOf({ properties = {}, additionalProperties }: Structural, name: string): Structural | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}

function hasType(schema: Structural, value: unknown): boolean {
  if (schema["x-kubernetes-int-or-string"] === true) return Number.isInteger(value) || typeof value === "string";
  switch (schema.type) {
    case undefined:
      return true;
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === schema.type;
  }
}

export function isRecord(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
