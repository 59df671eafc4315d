// The answer when an apply would take fields from others.
import { StatusError } from "../status.ts";
import { type FieldSet, shownPath } from "./fieldset.ts";
import type { Manager } from "./managers.ts";

/** What an apply would take from one manager. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const perManager = conflicts
    .map(({ manager, fields }) => ({ who: shownManager(manager), paths: fields.paths().map(shownPath) }))
    .sort((a, b) => (a.who < b.who ? -1 : a.who > b.who ? 1 : 0));
  const causes = perManager.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field })),
  );
  const [only] = causes;
  const listed = perManager.map(({ who, paths }) =>
    [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)].join("\n"),
  );
  const message =
    causes.length === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${listed.join("\n")}`;
  return new StatusError(409, "Conflict", message, { causes });
}

function shownManager(m: Manager): string {
  const through = m.subresource === "" ? "" : ` with subresource ${JSON.stringify(m.subresource)}`;
  return `${JSON.stringify(m.name)}${through}${m.operation === "Update" ? ` using ${m.apiVersion}` : ""}`;
}
