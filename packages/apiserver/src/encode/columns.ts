// What a Table says about its columns.

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

export function column(
  name: string,
  type: string,
  more: { readonly format?: string; readonly description?: string; readonly priority?: number } = {},
): TableColumn {
  return {
    name,
    type,
    format: more.format ?? "",
    description: more.description ?? `${name} of the object`,
    priority: more.priority ?? 0,
  };
}

/** `Name:string/name | Ready | Age | IP*`: a type that is not given is `string`, a star is for `-o wide`. */
export function columns(text: string): TableColumn[] {
  return text.split(" | ").map((part) => {
    const wide = part.endsWith("*");
    const [name = "", type = "string"] = (wide ? part.slice(0, -1) : part).split(":");
    const [base = "string", format = ""] = type.split("/");
    return column(name, base, { format, priority: wide ? 1 : 0 });
  });
}
