// Which Workspaces a process runs: those that its own controllers make. Two runners on one Workspace would corrupt its state, and
// what is in no namespace is seen by all of them.
import type { Selection } from "@telltale/runtime";
import type { Config } from "../config.ts";
import { labels } from "../names.ts";

export function runnerSelection({ namespaces, watchFilter }: Pick<Config, "namespaces" | "watchFilter">): Selection {
  const terms = [
    ...(namespaces === undefined ? [] : [`${labels.applyNamespace} in (${namespaces.join(",")})`]),
    ...(watchFilter === undefined ? [] : [`${labels.watchFilter}=${watchFilter}`]),
  ];
  return terms.length === 0 ? {} : { label: terms.join(",") };
}
