// Everything that is installed, in the order in which a server takes it.
import type { KubeObject } from "@telltale/kinds";
import { operatorNamespace } from "../names.ts";
import { bindyCrds } from "./crds.ts";
import { type DeploymentOptions, deployment } from "./deployment.ts";
import { podPolicy } from "./network-policy.ts";
import { roles } from "./roles.ts";

export interface InstallOptions extends DeploymentOptions {
  /** Namespaces with instances, each of which is there already. Default: the operator's own. */
  readonly operands?: readonly string[];
}

export function installation(options: InstallOptions): readonly KubeObject[] {
  const { namespace = operatorNamespace } = options;
  const { operands = [namespace] } = options;
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...bindyCrds(),
    ...roles({ namespace, operands }),
    ...operands.map((operand) => podPolicy({ namespace: operand, operator: namespace })),
    deployment(options),
  ];
}
