// What a pass knows of a network or of a control plane: what the two have in common. Pure.
import type { Chain, Place } from "../chain.ts";
import type { Limits } from "../deadlines.ts";
import type { TimeoutPolicy } from "../failure.ts";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import type { Cluster } from "../kinds/cluster.ts";
import type { Trouble } from "../trouble.ts";

export interface ProviderWorld<T extends CAPTCluster | CAPTControlPlane = CAPTCluster | CAPTControlPlane> {
  readonly it: T;
  readonly cluster: Cluster;
  readonly limits: Limits;
  readonly policy: TimeoutPolicy;
  /** Whether its template is there. */
  readonly hasTemplate: boolean;
  readonly chain: Chain;
  /** A request failed: the rest is not known, or not done. */
  readonly trouble?: Trouble;
  /** Requests have failed for so long that nothing that was seen before is believed any more. */
  readonly isBlind?: boolean;
}

/** Nothing stands below it, or nobody knows. */
export const noChain: Chain = { isForeign: false, class: "None" };

/** Whether this is the first pass since it was paused: whoever waited waits anew. */
export const isUnpaused = ({ it }: ProviderWorld): boolean =>
  it.status?.conditions?.some(({ type, status }) => type === "Paused" && status === "True") ?? false;

/** A template, wherever it is. */
export const placeIn = (
  namespace: string | undefined,
  ref: { readonly name: string; readonly namespace?: string } | undefined,
): Place => ({ namespace: ref?.namespace ?? namespace ?? "", name: ref?.name ?? "" });
