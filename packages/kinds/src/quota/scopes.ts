// Whether a ResourceQuota with scopes is about an object at all. Scopes speak of pods: to anything else such a quota says nothing.
import { matchesSelector } from "../values/label-selector.ts";
import { at, isRecord, listAt, textAt } from "./fields.ts";
import { isBestEffort } from "./pod-resources.ts";
import type { GroupResource } from "./usage.ts";

/** `spec` is the quota's. One without scopes is about everything. */
export function inScopes(spec: unknown, of: GroupResource, object: object): boolean {
  const scopes = [
    ...listAt(spec, "scopes").map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...listAt(spec, "scopeSelector", "matchExpressions"),
  ];
  const isPod = of.group === "" && of.resource === "pods";
  return scopes.every((scope) => isPod && podIn(scope, object));
}

function podIn(scope: unknown, pod: object): boolean {
  switch (at(scope, "scopeName")) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return ofPriority(scope, textAt(pod, "spec", "priorityClassName"));
    case "CrossNamespacePodAffinity":
      return crossesNamespaces(pod);
    default:
      return false;
  }
}

const hasDeadline = (pod: object): boolean => Number(at(pod, "spec", "activeDeadlineSeconds") ?? -1) >= 0;

function ofPriority(scope: unknown, priorityClass: string): boolean {
  const key = "PriorityClass";
  const operator = textAt(scope, "operator");
  const values = listAt(scope, "values").filter((value) => typeof value === "string");
  const labels = priorityClass === "" ? undefined : { [key]: priorityClass };
  return matchesSelector({ matchExpressions: [{ key, operator, values }] }, labels);
}

function crossesNamespaces(pod: object): boolean {
  return ["podAffinity", "podAntiAffinity"].some((which) => {
    const affinity = at(pod, "spec", "affinity", which);
    const terms = [
      ...listAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution"),
      ...listAt(affinity, "preferredDuringSchedulingIgnoredDuringExecution").map((it) => at(it, "podAffinityTerm")),
    ];
    return terms.some((term) => listAt(term, "namespaces").length > 0 || isRecord(at(term, "namespaceSelector")));
  });
}
