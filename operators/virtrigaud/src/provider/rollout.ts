// Whether the pods of a provider are those of its Deployment as it is now, by what the controller of Deployments reports. Pure.
import { type SafeText, text } from "@telltale/status";
import { failureIn } from "./phase.ts";
import type { World } from "./world.ts";

export interface Rollout {
  readonly status: "True" | "False" | "Unknown";
  readonly reason:
    | "RolloutComplete"
    | "RollingOut"
    | "RolloutPostponed"
    | "RolloutStuck"
    | "NotObserved"
    | NonNullable<World["made"]["refused"]>["reason"];
  readonly message: SafeText;
}

/** Undefined: there is nothing to roll out. */
export function rolloutOf({ wanted, deployment, made }: World): Rollout | undefined {
  if (made.refused !== undefined) return not(made.refused.reason, made.refused.said);
  if (deployment === undefined || wanted.is === "external") return undefined;
  const { postponed = 0 } = made;
  if (postponed > 0) return not("RolloutPostponed", text`rollout postponed: ${postponed} transfers running`);
  const { generation = 0 } = deployment.metadata ?? {};
  const { status = {} } = deployment;
  if ((status.observedGeneration ?? 0) < generation) {
    const message = text`The controller of Deployments has not reported on generation ${generation} yet`;
    return { status: "Unknown", reason: "NotObserved", message };
  }
  const failure = failureIn(deployment);
  if (failure !== undefined) return not("RolloutStuck", failure);
  const desired = deployment.spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = status;
  // A pod that is lost later does not begin another roll-out.
  const wasAvailable = conditions.some(({ reason }) => reason === "NewReplicaSetAvailable");
  const isReplaced = updatedReplicas >= desired && replicas === updatedReplicas;
  if (isReplaced && (wasAvailable || availableReplicas >= desired)) {
    return { status: "True", reason: "RolloutComplete", message: text`All pods run the current template` };
  }
  const old = replicas - updatedReplicas;
  const left = old > 0 ? text`, ${old} older ones are left` : text`, ${availableReplicas} available`;
  return not("RollingOut", text`${updatedReplicas} of ${desired} pods run the current template${left}`);
}

const not = (reason: Rollout["reason"], message: SafeText): Rollout => ({ status: "False", reason, message });
