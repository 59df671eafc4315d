// Whether everything that was applied has come to rest, and what has not. Pure.
import type { KubeObject } from "@telltale/kinds";
import { isBuiltIn } from "../view/fold.ts";
import { groupOf, type TreeNode } from "../world/forest.ts";

/**
 * Samples that are still on their way: neither well nor failed for good, or of those that go on. Kubernetes' own objects are only there
 * for the others.
 */
export function unsettled(
  samples: readonly KubeObject[],
  nodes: Iterable<TreeNode>,
  goingOn: ReadonlySet<string>,
): readonly TreeNode[] {
  const wanted = new Set(samples.filter(({ apiVersion = "" }) => !isBuiltIn(apiVersion)).map((it) => keyOf(it)));
  const found = [...nodes].filter((node) => wanted.has(keyOf({ ...node, metadata: node })));
  return found.filter(({ health, uid }) => health === "busy" || health === "unknown" || goingOn.has(uid));
}

/** Samples that name no namespace are applied to `default`. */
const keyOf = ({ apiVersion = "", kind = "", metadata }: KubeObject): string =>
  `${groupOf(apiVersion)}/${kind}/${metadata?.namespace || "default"}/${metadata?.name ?? ""}`;
