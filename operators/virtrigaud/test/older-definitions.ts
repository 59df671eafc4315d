// The definitions as an older installation has them: without what ours add (appendix C). Controllers have to get along with them.
import type { KubeObject } from "@telltale/kinds";
import { patterns, virtrigaudCrds } from "../src/kinds/index.ts";

export const olderCrds = (): readonly KubeObject[] =>
  virtrigaudCrds().map((crd) => older(structuredClone(crd)) as KubeObject);

/** Fields that were objects of which nothing was known, or were not there at all. */
const bare = new Set(["template.metadata", "volumeClaimTemplates.items.metadata"]);

/** The same without rules, patterns of lengths, keys of conditions, and the standard of a status. */
function older(value: unknown, path = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => older(item, path));
  if (typeof value !== "object" || value === null) return value;
  const schema = value as Record<string, unknown>;
  if ([...bare].some((end) => path.endsWith(end))) return { type: "object" };
  const members = Object.entries(schema).filter(([name, member]) => !isOurs(path, name, member));
  return Object.fromEntries(members.map(([name, member]) => [name, older(member, step(path, name))]));
}

function isOurs(path: string, name: string, member: unknown): boolean {
  if (name === "x-kubernetes-validations" || (name === "pattern" && member === patterns.duration)) return true;
  if (path.endsWith("status") && name === "default") return true;
  if (path.endsWith("status.conditions"))
    return name === "x-kubernetes-list-type" || name === "x-kubernetes-list-map-keys";
  return (name === "labelSelectorPath" && path.endsWith("scale")) || (name === "selector" && path.endsWith("status"));
}

const step = (path: string, name: string): string => (name === "properties" ? path : `${path}.${name}`);
