// Options of lists and watches: numbers and booleans of the query, and which of them may stand together.
import { type FieldError, forbiddenField, invalid, notSupported } from "../status.ts";
import { queryBoolean, queryInteger } from "./options.ts";

export type VersionMatch = "" | "Exact" | "NotOlderThan";

export interface ListOptions {
  readonly watch: boolean;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: VersionMatch;
  /** 0 when there is none; a negative limit counts as none. */
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** Throws 400 for a number that is none, 422 for options that contradict each other. */
export function decodeListOptions(query: URLSearchParams): ListOptions {
  const limit = queryInteger(query, "limit") ?? 0;
  const timeoutSeconds = queryInteger(query, "timeoutSeconds");
  const match = query.get("resourceVersionMatch") ?? "";
  const options = {
    watch: queryBoolean(query, "watch") ?? false,
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    limit: Math.max(0, limit),
    continue: query.get("continue") ?? "",
    timeoutSeconds,
    allowWatchBookmarks: queryBoolean(query, "allowWatchBookmarks") ?? false,
    sendInitialEvents: queryBoolean(query, "sendInitialEvents"),
  };
  const errors = options.watch ? watchErrors(options, match) : listErrors(options, match);
  if (errors.length > 0) throw invalid("meta.k8s.io", "ListOptions", "", errors);
  return { ...options, resourceVersionMatch: match === "Exact" || match === "NotOlderThan" ? match : "" };
}

type Given = Pick<ListOptions, "resourceVersion" | "continue" | "sendInitialEvents">;

const field = "resourceVersionMatch";

function watchErrors({ sendInitialEvents }: Given, match: string): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents === undefined && match !== "")
    errors.push(
      forbiddenField(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
    );
  if (sendInitialEvents !== undefined && match !== "NotOlderThan")
    errors.push(forbiddenField(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  if (match !== "" && match !== "NotOlderThan") errors.push(notSupported(field, match, ["NotOlderThan"]));
  return errors;
}

function listErrors(given: Given, match: string): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (given.resourceVersion === "")
      errors.push(forbiddenField(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (given.continue !== "")
      errors.push(forbiddenField(field, "resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(notSupported(field, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && given.resourceVersion === "0")
      errors.push(forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (given.sendInitialEvents !== undefined)
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}
