// How to see that a role stays within what a table allows. Pure.
import type { PolicyRule } from "./rbac.ts";

/** What these rules allow that the others do not: `delete pods`, `get jobs.batch`. */
export function excess(rules: readonly PolicyRule[], allowed: readonly PolicyRule[]): readonly string[] {
  return rules
    .flatMap(rightsIn)
    .filter((right) => !allowed.some((other) => covers(other, right)))
    .map(named);
}

interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Of this object only; undefined: of all. */
  readonly name: string | undefined;
}

function rightsIn({ apiGroups = [], resources = [], verbs, resourceNames = [] }: PolicyRule): Right[] {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.flatMap((verb) => names.map((name) => ({ group, resource, verb, name })))),
  );
}

/** A wildcard is covered by a wildcard only. */
function covers({ apiGroups = [], resources = [], verbs, resourceNames = [] }: PolicyRule, right: Right): boolean {
  const has = (list: readonly string[], wanted: string) => list.includes("*") || list.includes(wanted);
  const isNamed = resourceNames.length === 0 || (right.name !== undefined && resourceNames.includes(right.name));
  return has(apiGroups, right.group) && has(resources, right.resource) && has(verbs, right.verb) && isNamed;
}

function named({ group, resource, verb, name }: Right): string {
  return `${verb} ${resource}${group === "" ? "" : `.${group}`}${name === undefined ? "" : ` ${name}`}`;
}
