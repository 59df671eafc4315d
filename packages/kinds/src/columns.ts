// What `kubectl get` shows, and the other paths that the API server follows in an object.

export type ColumnType = "string" | "integer" | "number" | "boolean" | "date";

export interface Column {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: ColumnType;
  /** 0: always shown. 1: with `-o wide`. */
  readonly priority: number;
  readonly description?: string;
  readonly format?: string;
}

export function column(
  name: string,
  jsonPath: string,
  type: ColumnType = "string",
  more: { priority?: number; description?: string; format?: string } = {},
): Column {
  return { name, jsonPath, type, priority: 0, ...more };
}

/** A column shown with `-o wide` only. */
export const wide = (name: string, jsonPath: string, type: ColumnType = "string"): Column =>
  column(name, jsonPath, type, { priority: 1 });

/** The status, or another field, of one condition. */
export const conditionColumn = (
  name: string,
  type: string,
  field: "status" | "reason" | "message" = "status",
): Column => column(name, `.status.conditions[?(@.type=='${type}')].${field}`);

export const age = (): Column => column("Age", ".metadata.creationTimestamp", "date");

/** The paths behind `kubectl scale`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}
