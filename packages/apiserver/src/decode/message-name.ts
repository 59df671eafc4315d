// Which message of the type table a kind of the API is.
import { message } from "@telltale/kinds/core";

/** `apps.Deployment` for apps/v1 Deployment; undefined when the table has no such message. */
export function messageName(group: string, version: string, kind: string): string | undefined {
  const name = `${prefixOf(group, version)}.${kind}`;
  if (message(name) !== undefined) return name;
  // Options and Status belong to every group.
  const shared = `meta.${kind}`;
  return optionKinds.has(kind) && message(shared) !== undefined ? shared : undefined;
}

const optionKinds: ReadonlySet<string> = new Set(["DeleteOptions", "Status"]);

/** The prefix of a group in the table, which is also Go's name for its internal package. */
export function prefixOf(group: string, version: string): string {
  if (group === "") return "core";
  if (group === "autoscaling" && version === "v2") return "autoscalingv2";
  if (group === "rbac.authorization.k8s.io") return "rbac";
  if (group === "meta.k8s.io") return "meta";
  return group.split(".")[0] ?? group;
}
