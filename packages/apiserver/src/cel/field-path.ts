// The `fieldPath` of a rule: `.spec.name`, `['a-b']`, `.map['key']`. Lists cannot be entered.
import type { Structural } from "@telltale/kinds";

/** The path as error messages append it (`.a-b`, `[key]`), or undefined when it leads nowhere in the schema. */
export function fieldPath(text: string, schema: Structural): string | undefined {
  let rest = text;
  let here: Structural | undefined = schema;
  let shown = "";
  while (rest !== "") {
    const match = /^(?:\.([A-Za-z_][\w-]*)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest);
    if (match === null || here === undefined) return undefined;
    const name: string = match[1] ?? (match[2] ?? "").replace(/\\(.)/g, "$1");
    const property: Structural | undefined =
      here.properties !== undefined && Object.hasOwn(here.properties, name) ? here.properties[name] : undefined;
    if (property === undefined && here.additionalProperties === undefined) return undefined;
    shown += property === undefined ? `[${name}]` : `.${name}`;
    here = property ?? here.additionalProperties;
    rest = rest.slice(match[0].length);
  }
  return shown;
}
