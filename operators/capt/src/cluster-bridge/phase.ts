// The phase of a Cluster (8.3): one function of what is known, the same whichever side was last. Pure.

export type ClusterPhase = "Pending" | "Provisioning" | "Provisioned" | "Failed" | "Deleting";

export interface PhaseFacts {
  readonly isDeleting: boolean;
  readonly hasFailed: boolean;
  readonly isEndpointValid: boolean;
  readonly infrastructure: Side;
  readonly controlPlane: Side;
}

/** How far one of the two providers is. */
export type Side =
  | "none" // the Cluster names none
  | "waiting"
  | "done"; // it was provisioned or initialised once, whatever happened since

export function phaseOf({
  isDeleting,
  hasFailed,
  isEndpointValid,
  infrastructure,
  controlPlane,
}: PhaseFacts): ClusterPhase {
  if (isDeleting) return "Deleting";
  if (hasFailed) return "Failed";
  if (infrastructure === "none" && controlPlane === "none") return isEndpointValid ? "Provisioned" : "Pending";
  const isDone = infrastructure !== "waiting" && controlPlane !== "waiting" && isEndpointValid;
  return isDone ? "Provisioned" : "Provisioning";
}
