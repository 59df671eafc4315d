// The account of the operator, and exactly the rights that its controllers declare (7.7). Where it watches single namespaces it has no
// rights elsewhere, Secrets included.
import { type RbacManifest, rbacManifests } from "@telltale/runtime";
import type { Config } from "../config.ts";
import { leaseName } from "../names.ts";
import { virtrigaudOperator } from "../operator.ts";

export interface RoleOptions {
  /** Where the operator runs. */
  readonly namespace: string;
  readonly config: Config;
}

export function roles({ namespace, config }: RoleOptions): readonly RbacManifest[] {
  const { replicas } = config.process;
  const lease = replicas.as === "lease" ? (replicas.lease ?? leaseName) : leaseName;
  return rbacManifests({
    name: "virtrigaud",
    namespace,
    controllers: virtrigaudOperator({ config }),
    replicas: { as: "lease", namespace, lease },
    events: "v1",
    ...(config.namespaces && { namespaces: config.namespaces }),
  });
}
