// Everything that a controller manager does, as a list.
import type { Controller } from "@telltale/runtime";
import { deployments } from "./deployment/deployment.ts";
import { replicaSets } from "./replicaset/replicaset.ts";

export function controllers(): readonly Controller[] {
  return [deployments(), replicaSets()];
}
