// What a namespace that is being deleted says about its content.
import { at, isObject, type JsonObject } from "../json.ts";
import { finalizersOf } from "../registry/metadata.ts";
import type { GroupResource } from "../status.ts";

/** What was found and what failed in one attempt to empty a namespace. */
export interface Emptying {
  /** What could not be deleted, in words. */
  readonly failures: readonly string[];
  readonly remaining: readonly { readonly resource: GroupResource; readonly objects: readonly JsonObject[] }[];
}

interface Statement {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The conditions after an attempt; those that say the same keep their time. */
export function namespaceConditions(namespace: JsonObject, emptying: Emptying, now: string): JsonObject[] {
  const list = at(namespace, "status", "conditions");
  const before = (Array.isArray(list) ? list : []).filter(isObject);
  const after = statements(emptying);
  const others = before.filter((condition) => !after.some((statement) => statement.type === condition["type"]));
  return [
    ...others,
    ...after.map(({ type, status, reason, message }) => {
      const same = before.find(
        (c) => c["type"] === type && c["status"] === status && c["reason"] === reason && c["message"] === message,
      );
      return same ?? { type, status, lastTransitionTime: now, reason, message };
    }),
  ];
}

function statements({ failures, remaining }: Emptying): Statement[] {
  const left = remaining
    // The core group shows as nothing behind its dot.
    .map(({ resource, objects }) => `${resource.resource}.${resource.group} has ${objects.length} resource instances`)
    .sort();
  const finalizers = countFinalizers(remaining.flatMap(({ objects }) => objects));
  const held = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  return [
    said("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    said(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    failures.length === 0
      ? said(
          "NamespaceDeletionContentFailure",
          "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization",
        )
      : found(
          "NamespaceDeletionContentFailure",
          "ContentDeletionFailed",
          `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(", ")}`,
        ),
    left.length === 0
      ? said("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
      : found("NamespaceContentRemaining", "SomeResourcesRemain", `Some resources are remaining: ${left.join(", ")}`),
    held.length === 0
      ? said("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")
      : found(
          "NamespaceFinalizersRemaining",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${held.join(", ")}`,
        ),
  ];
}

const said = (type: string, reason: string, message: string): Statement => ({ type, status: "False", reason, message });
const found = (type: string, reason: string, message: string): Statement => ({ type, status: "True", reason, message });

function countFinalizers(objects: readonly JsonObject[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const object of objects) {
    for (const finalizer of finalizersOf(object)) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  return counts;
}
