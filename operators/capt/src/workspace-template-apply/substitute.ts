// Placeholders in a template: `${name}` becomes the value of a variable, in parsed values and never in serialised ones. Pure.

/** The values by name. */
export type Variables = Readonly<Record<string, string>>;

/** What a text may not take in. `undefined`: it takes in everything. */
export type Refuses = (value: string) => boolean;

/** Raised by `substitute` where a value may not go into a text. */
export class UnsafeValue extends Error {
  readonly variable: string;

  constructor(variable: string) {
    super(`variable ${variable} has characters that may not stand in a module`);
    this.name = "UnsafeValue";
    this.variable = variable;
  }
}

// `$${` is how Terraform writes a `${` that means itself: it is left alone.
const placeholder = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** One pass over one text. What is not a variable of ours stays: it may be Terraform's. */
export function substitute(text: string, variables: Variables, refuses?: Refuses): string {
  return text.replace(placeholder, (found, name: string) => {
    if (found.startsWith("$$") || !Object.hasOwn(variables, name)) return found;
    const value = variables[name] ?? "";
    if (refuses?.(value) === true) throw new UnsafeValue(name);
    return value;
  });
}

/** The same in every text of a value, however deep. The names of members are not touched. */
export function substituteAll(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") return substitute(value, variables);
  if (Array.isArray(value)) return value.map((item) => substituteAll(item, variables));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, substituteAll(member, variables)]));
}

/** Whether some `${` in a text begins no placeholder: outside a module it can only be a mistake. */
export const hasBadPlaceholder = (text: string): boolean =>
  text
    .replace(/\$\$\{/g, "")
    .replace(placeholder, "")
    .includes("${");
