// How a change of a Cluster reaches the controllers of its provider objects: they do not watch Clusters themselves, or each
// status of a Cluster would be a reason to look at everything again.
import { deepEqual, type KubeObject } from "@telltale/kinds";
import type { Name, Source } from "@telltale/runtime";

/** Whom an edge concerns. */
export type Listener = "captCluster" | "captControlPlane" | "workspaceTemplateApply";

export class Edges {
  readonly #wakes: Record<Listener, Set<(name: Name) => void>> = {
    captCluster: new Set(),
    captControlPlane: new Set(),
    workspaceTemplateApply: new Set(),
  };

  /** For the controller of a kind: `.hears(edges.source("captCluster"))`. */
  source(listener: Listener): Source {
    return (wake) => {
      this.#wakes[listener].add(wake);
      return () => this.#wakes[listener].delete(wake);
    };
  }

  tell(listener: Listener, name: Name): void {
    for (const wake of this.#wakes[listener]) wake(name);
  }
}

/** Whether more than the status of a Cluster changed. */
export function isEdge(old: KubeObject, next: KubeObject): boolean {
  const [a, b] = [old.metadata, next.metadata];
  return (
    a?.generation !== b?.generation ||
    a?.deletionTimestamp !== b?.deletionTimestamp ||
    !deepEqual(a?.annotations, b?.annotations) ||
    !deepEqual(a?.labels, b?.labels) ||
    !deepEqual(a?.finalizers, b?.finalizers)
  );
}
