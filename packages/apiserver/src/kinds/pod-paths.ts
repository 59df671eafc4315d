// Paths inside a pod: of mounted files, and to fields of the pod itself.
import { type JsonObject, text } from "../json.ts";
import { type FieldError, invalidField, notSupported, required } from "../status.ts";
import { told } from "./checks.ts";

type Found = FieldError[];

/** A path that stays below where it starts. */
export function descending(field: string, path: string): Found {
  return [
    ...(path.startsWith("/") ? [invalidField(field, path, "must be a relative path")] : []),
    ...(path.split("/").includes("..") ? [invalidField(field, path, "must not contain '..'")] : []),
  ];
}

/** A reference to a field of the pod itself. */
export function fieldPathProblems(field: string, reference: JsonObject, allowed: readonly string[]): Found {
  const path = text(reference["fieldPath"]);
  if (text(reference["apiVersion"]) === "") return [required(`${field}.apiVersion`)];
  if (path === "") return [required(`${field}.fieldPath`)];
  const keyed = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/.exec(path);
  if (keyed !== null) return [];
  if (allowed.includes(path)) return [];
  const known =
    /^(?:metadata\.(?:name|namespace|uid|labels|annotations)|spec\.(?:nodeName|serviceAccountName)|status\.(?:hostIPs?|podIPs?))$/;
  return known.test(path)
    ? [notSupported(`${field}.fieldPath`, path, [...allowed].sort())]
    : told(`${field}.fieldPath`, path, [`error converting fieldPath: field label not supported: ${path}`]);
}
