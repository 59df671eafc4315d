// What is told of a CAPTCluster as Kubernetes Events (15): after the status that carries it was written, and on the edge. Pure.
import { shownOutput, shownText, textIn } from "../chain.ts";
import { domainsFrom } from "../failure-domains.ts";
import type { CAPTClusterStatus } from "../kinds/capt-cluster.ts";
import { edgeOf, lostReason } from "../provider/events.ts";
import type { Told } from "../streaks.ts";
import { verdictOf } from "./decide.ts";
import type { World } from "./world.ts";

export function eventsOf(world: World, before: CAPTClusterStatus, after: CAPTClusterStatus): readonly Told[] {
  const { told, was, is, turned, isLost, isNews, tell } = edgeOf(before, after, verdictOf(world).isReset);
  const vpc = is("VPCReady");
  const wasProvisioned = before.initialization?.provisioned === true;
  if (turned("VPCReady", "True")) tell("Normal", "VPCReady", vpc?.message);
  if (turned("VPCFailed", "True")) tell("Warning", is("VPCFailed")?.reason ?? "", is("VPCFailed")?.message);
  if (vpc?.reason === "VPCCreationFailed" && isNews("VPCReady")) tell("Warning", "VPCCreationFailed", vpc.message);
  const ready = is("Ready");
  if (wasProvisioned && ready?.reason === "InvalidVPCConfig" && was("Ready")?.reason !== ready.reason) {
    tell("Warning", "InvalidVPCConfig", ready.message);
  }
  if (wasProvisioned) {
    // C12 to C15: what was there is there no more, or no more as it should be.
    for (const type of ["VPCReady", "WorkspaceSynced"]) {
      if (isLost(type)) tell("Warning", lostReason(is(type), "WorkspaceNotReady"), is(type)?.message);
    }
    if (turned("ConnectionSecretReady", "False")) {
      tell("Warning", "WorkspaceNotReady", is("ConnectionSecretReady")?.message);
    }
  }
  const isOther = after.vpcId !== before.vpcId;
  if (isOther && wasProvisioned && before.vpcId !== undefined) {
    tell("Warning", "VPCChanged", `the VPC is ${after.vpcId}, and was ${before.vpcId}`);
  }
  const { chain } = world;
  const [kept, shown] = [textIn(chain.secret, "vpc_id"), shownText(chain, "vpc_id")];
  if (isOther && kept !== undefined && shown !== undefined && kept !== shown) {
    tell("Warning", "OutputMismatch", "vpc_id in the connection Secret differs from the output; the Secret is used");
  }
  const domains = domainsFrom((name) => textIn(chain.secret, name) ?? shownOutput(chain, name));
  if (turned("VPCReady", "True") && domains.is === "malformed") {
    tell("Warning", "FailureDomainsIgnored", `output ${domains.key} is not what failure domains look like`);
  }
  return told;
}

/** Under which reason a request that keeps failing is told of. */
export const troubleReason = (): string => "VPCReconciliationFailed";
