// CustomResourceDefinitions of cases: made from fragments, and awaited until they are served.
import { at, isObject, type Json, type JsonObject, text } from "../../src/json.ts";
import { expandBody, type Variables } from "./variables.ts";

export const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A whole CRD from what a case says of it. */
export function crd(fragment: JsonObject, variables: Readonly<Variables>): JsonObject {
  const { kind: short, plural: shortPlural, versions, names, ...rest } = expandBody(fragment, variables) as JsonObject;
  const kind = text(at(names, "kind") ?? short ?? "Widget");
  const singular = text(at(names, "singular") ?? kind.toLowerCase());
  const plural = text(at(names, "plural") ?? shortPlural ?? `${singular}s`);
  const group = text(rest["group"] ?? variables["group"]);
  const list: Json[] = Array.isArray(versions) ? versions : [{}];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular, kind, listKind: `${kind}List`, ...(isObject(names) ? names : {}) },
      ...rest,
      versions: list.map((version, i) => ({
        name: "v1",
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        ...(isObject(version) ? version : {}),
      })),
    },
  };
}

export const crdName = (object: JsonObject): string => text(at(object, "metadata", "name"));

/** Whether a stored CRD is established, and what to ask of the server to know that each version is served. */
export function establishedPaths(
  object: Json | undefined,
): { discovery: string; list: string; plural: string }[] | undefined {
  const conditions = at(object, "status", "conditions");
  const established =
    Array.isArray(conditions) && conditions.some((c) => at(c, "type") === "Established" && at(c, "status") === "True");
  const versions = at(object, "spec", "versions");
  if (!established || !Array.isArray(versions)) return undefined;
  const plural = text(at(object, "spec", "names", "plural"));
  return versions
    .filter((version) => at(version, "served") === true)
    .map((version) => {
      const discovery = `/apis/${text(at(object, "spec", "group"))}/${text(at(version, "name"))}`;
      return { discovery, list: `${discovery}/${plural}?limit=1`, plural };
    });
}
