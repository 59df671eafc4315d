// Whether a person has stopped work on an object, and how that is said. Pure.
import type { KubeObject } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { Cluster } from "./kinds/cluster.ts";
import { annotations } from "./names.ts";

/** Why nobody works on an object: its Cluster is paused, or it is itself. Undefined: somebody does. */
export function pauseOf(object: KubeObject, cluster: Cluster | undefined): SafeText | undefined {
  const isAnnotated = object.metadata?.annotations?.[annotations.paused] !== undefined;
  const whys = [
    ...(isStopped(cluster) ? ["Cluster spec.paused is true"] : []),
    ...(isAnnotated ? [`${object.kind} has the ${annotations.paused} annotation`] : []),
  ];
  return whys.length === 0 ? undefined : text`${whys.join(", ")}`;
}

const isStopped = (cluster: Cluster | undefined): boolean => cluster?.spec?.paused === true;
