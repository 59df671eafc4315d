// The Table that `kubectl get` prints: columns, a row an object, and as much of each object as the client wants.
import type { Instant } from "@telltale/kinds";
import { at, type Json, type JsonObject, text } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import { badRequest, goQuote } from "../status.ts";
import { column, type TableColumn } from "./columns.ts";
import { partial } from "./partial.ts";
import { builtinForm, builtinScale } from "./table-builtin.ts";
import { customForm, customScale } from "./table-custom.ts";

/** How objects of one kind become rows. */
export interface TableForm {
  readonly columns: readonly TableColumn[];
  row(object: JsonObject, now: Instant): Json[];
  /** What the row says beside its cells: a pod that is done. */
  conditions?(object: JsonObject): JsonObject[] | undefined;
  /** Kinds without columns of their own write no rows as null. */
  readonly nullWhenEmpty?: true;
}

/** The form for objects of a kind that this resource answers with: its own, or its scale. */
export function tableForm(r: Resource, kind: string): TableForm {
  if (kind === "Scale") return r.builtin ? builtinScale : customScale;
  if (!r.builtin) return customForm(r);
  return builtinForm(r.group, r.kind) ?? fallback;
}

export type Include = "Metadata" | "Object" | "None";

export function includedObject(query: URLSearchParams): Include {
  const wanted = query.get("includeObject") ?? "";
  if (wanted === "" || wanted === "Metadata") return "Metadata";
  if (wanted === "Object" || wanted === "None") return wanted;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuote(wanted)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

export function table(
  version: string,
  form: TableForm,
  columns: readonly TableColumn[] | null,
  metadata: JsonObject,
  objects: readonly JsonObject[],
  include: Include,
  now: Instant,
): JsonObject {
  const rows = objects.map((object): JsonObject => {
    const conditions = form.conditions?.(object);
    return {
      cells: form.row(object, now),
      ...(conditions === undefined ? {} : { conditions }),
      object: include === "None" ? null : include === "Object" ? object : partial(object, version),
    };
  });
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: columns === null ? null : columns.map((c): JsonObject => ({ ...c })),
    rows: rows.length === 0 && form.nullWhenEmpty === true ? null : rows,
  };
}

const fallback: TableForm = {
  columns: [column("Name", "string", { format: "name" }), column("Created At", "date")],
  row: (object) => [
    text(at(object, "metadata", "name")),
    text(at(object, "metadata", "creationTimestamp")) || "0001-01-01T00:00:00Z",
  ],
  nullWhenEmpty: true,
};
