// What is told of a CAPTControlPlane as Kubernetes Events (15): after the status that carries it was written, and on the edge.
// Pure.
import { isTimeout } from "../failure.ts";
import type { CAPTControlPlaneStatus } from "../kinds/capt-control-plane.ts";
import { edgeOf, lostReason } from "../provider/events.ts";
import type { Told } from "../streaks.ts";
import type { Trouble } from "../trouble.ts";
import { verdictOf } from "./decide.ts";
import { chooseEndpoint } from "./endpoint-choice.ts";
import { applyNameOf, type World } from "./world.ts";

export function eventsOf(world: World, before: CAPTControlPlaneStatus, after: CAPTControlPlaneStatus): readonly Told[] {
  const { it, cluster, chain } = world;
  const { told, is, turned, isLost, isNews, tell } = edgeOf(before, after, verdictOf(world).isReset);
  const ready = is("Ready");
  if (before.phase === undefined && after.phase === "Creating") tell("Normal", "ControlPlaneCreating", ready?.message);
  if (world.isApplyNew)
    tell("Normal", "WorkspaceTemplateApplyCreated", `made WorkspaceTemplateApply ${applyNameOf(it)}`);
  const kubeconfig = is("KubeconfigReady");
  if (turned("KubeconfigReady", "True") && kubeconfig?.reason === "KubeconfigWritten") {
    tell("Normal", "KubeconfigWritten", kubeconfig.message);
  }
  if (kubeconfig?.reason === "InvalidKubeconfig" && isNews("KubeconfigReady")) {
    tell("Warning", "KubeconfigGenerationFailed", kubeconfig.message);
  }
  if (turned("Ready", "True")) tell("Normal", "ControlPlaneReady", ready?.message);
  const failed = is("Failed");
  if (turned("Failed", "True") && failed !== undefined) {
    tell("Warning", isTimeout(failed.reason) ? failed.reason : "ControlPlaneFailed", failed.message);
  }
  if (ready?.reason === "WorkspaceError" && isNews("Ready")) tell("Warning", "WorkspaceError", ready.message);
  if (before.initialized === true) {
    // P13 and P14: what was there is there no more, or no more as it should be.
    for (const type of ["Ready", "WorkspaceSynced"]) {
      if (isLost(type)) tell("Warning", lostReason(is(type), "WorkspaceError"), is(type)?.message);
    }
  }
  const choice = chooseEndpoint(it, cluster, chain);
  if (turned("EndpointReady", "True") && choice.is === "found" && choice.isDisputed) {
    tell("Warning", "EndpointMismatch", `${is("EndpointReady")?.message} is used, and others say something else`);
  }
  const rollout = is("RollingOut");
  if (rollout?.reason === "VersionDowngradeRefused" && isNews("RollingOut")) {
    tell("Warning", "VersionDowngradeRefused", rollout.message);
  }
  return told;
}

/** Under which reason a request that keeps failing is told of. */
export function troubleReason({ verb, resource }: Trouble): string {
  if (resource === "secrets") return verb === "get" ? "SecretError" : "KubeconfigGenerationFailed";
  if (resource === "workspacetemplateapplies") return "WorkspaceTemplateApplyFailed";
  return resource === "captcontrolplanes" ? "EndpointUpdateFailed" : "WorkspaceError";
}
