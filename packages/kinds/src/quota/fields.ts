// Looking into objects of which only the wire is known: what is not there, or is not what it should be, is undefined.

/** The value at a path of members. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) here = isRecord(here) && Object.hasOwn(here, name) ? here[name] : undefined;
  return here;
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const here = at(value, ...path);
  return typeof here === "string" ? here : "";
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const here = at(value, ...path);
  return Array.isArray(here) ? here : [];
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
