// Rows of custom resources: the columns that their definition names, each cell the first thing its path leads to.
import { evaluate, type Instant, type JsonPath, parsePath, parseTime } from "@telltale/kinds";
import type { PrinterColumn } from "../crd/version.ts";
import { at, type Json, type JsonObject, stringify, text } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import { age, humanDuration } from "./age.ts";
import { column, type TableColumn } from "./columns.ts";
import type { TableForm } from "./table.ts";

/** The form of a custom resource; paths are parsed once. */
export function customForm(r: Resource): TableForm {
  const form = forms.get(r) ?? build(r.columns ?? []);
  forms.set(r, form);
  return form;
}

const forms = new WeakMap<Resource, TableForm>();

const name = column("Name", "string", { format: "name" });
const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  format: "",
  description: "When the object was created",
  priority: 0,
  jsonPath: ".metadata.creationTimestamp",
};

interface Cell {
  readonly column: TableColumn;
  readonly path: JsonPath;
}

function build(configured: readonly PrinterColumn[]): TableForm {
  const cells: Cell[] = [];
  for (const c of configured.length === 0 ? [ageColumn] : configured) {
    const path = parsePath(c.jsonPath);
    // One path that cannot be read spoils them all.
    if ("error" in path) return { columns: [name], row: (object) => [nameOf(object)] };
    cells.push({ column: header(c), path });
  }
  return {
    columns: [name, ...cells.map((c) => c.column)],
    row: (object, now) => [nameOf(object), ...cells.map((c) => cell(c, object, now))],
  };
}

const nameOf = (object: JsonObject): string => text(at(object, "metadata", "name"));

function header({ name: title, type, format, description, priority, jsonPath }: PrinterColumn): TableColumn {
  const said = description || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return column(title, type, { format, description: said, priority });
}

function cell({ column: { type }, path }: Cell, object: JsonObject, now: Instant): Json {
  const found = first(path, object);
  if (found === undefined || found === null) return null;
  switch (type) {
    case "integer":
      if (typeof found === "bigint") return found;
      return typeof found === "number" ? Math.trunc(found) : null;
    case "number":
      return typeof found === "number" || typeof found === "bigint" ? found : null;
    case "boolean":
      return typeof found === "boolean" ? found : null;
    case "date":
      return typeof found === "string" ? sinceText(found, now) : null;
    default:
      return typeof found === "string" ? found : stringify(found);
  }
}

/** The first thing at a path. `..` follows the data, which may be deeper than the stack; what cannot be found is not there. */
function first(path: JsonPath, object: JsonObject): Json | undefined {
  try {
    return evaluate(path, object)[0] as Json | undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sinceText(moment: string, now: Instant): string {
  const since = parseTime(moment);
  return since === undefined ? "<invalid>" : humanDuration(now - since);
}

/** What `scale` of a custom resource shows. */
export const customScale: TableForm = {
  columns: [name, column("Desired", "integer"), column("Available", "integer"), column("Age", "date")],
  row: (object, now) => [
    nameOf(object),
    at(object, "spec", "replicas") ?? 0,
    at(object, "status", "replicas") ?? 0,
    age(at(object, "metadata", "creationTimestamp"), now),
  ],
};
