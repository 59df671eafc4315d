// Which Workspaces a process runs: those that its own controllers make. Two runners on one Workspace would corrupt its state, and
// what is in no namespace is seen by all of them.
import type { Selection } from "@telltale/runtime";
import type { Config } from "../config.ts";
import { labels } from "../names.ts";

export function runnerSelection({ namespace, watchFilter }: Pick<Config, "namespace" | "watchFilter">): Selection {
  const terms = [
    ...(namespace === undefined ? [] : [`${labels.applyNamespace}=${namespace}`]),
    ...(watchFilter === undefined ? [] : [`${labels.watchFilter}=${watchFilter}`]),
  ];
  return terms.length === 0 ? {} : { label: terms.join(",") };
}
