// Manifests on the standard output: YAML for kubectl, or JSON.
import type { KubeObject } from "@telltale/kinds";
import { stringify } from "yaml";

export const yamlOf = (objects: readonly KubeObject[]): string =>
  objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n");

export const jsonOf = (items: readonly KubeObject[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 2);
