// Where the network of a CAPTCluster comes from, and what about that cannot be (CC-V1 to CC-V3). The CRD has the same rules; an
// object may be older than they are. Pure.
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import { vpcTexts } from "../kinds/capt-cluster-spec.ts";

export interface VpcViolation {
  readonly rule: "CC-V1" | "CC-V2" | "CC-V3";
  readonly message: (typeof vpcTexts)[keyof typeof vpcTexts];
}

/** The first rule that a CAPTCluster breaks, if any. */
export function vpcViolation({ spec, status }: Pick<CAPTCluster, "spec" | "status">): VpcViolation | undefined {
  const hasTemplate = spec.vpcTemplateRef !== undefined;
  const hasId = existingVpcId(spec) !== undefined;
  if (hasTemplate && hasId) return { rule: "CC-V1", message: vpcTexts.both };
  if (!hasTemplate && !hasId) return { rule: "CC-V1", message: vpcTexts.neither };
  if (spec.retainVpcOnDelete === true && !hasTemplate) return { rule: "CC-V2", message: vpcTexts.retain };
  const before = sourceBefore(status);
  if (before !== undefined && before !== (hasTemplate ? "template" : "existing")) {
    return { rule: "CC-V3", message: vpcTexts.switched };
  }
  return undefined;
}

/** The network that was there before, if the spec names one: an empty text names none. */
export const existingVpcId = ({ existingVpcId: id }: Pick<CAPTCluster["spec"], "existingVpcId">): string | undefined =>
  id === "" ? undefined : id;

/** What the network was made from, once it was there: only one of ours has a Workspace. */
function sourceBefore(status: CAPTCluster["status"]): "template" | "existing" | undefined {
  if (status?.initialization?.provisioned !== true) return undefined;
  if (status.vpcWorkspaceName !== undefined) return "template";
  return status.vpcId === undefined ? undefined : "existing";
}
