// Decides what is done for a Cluster (8.2, 8.4). Pure.
import type { KubeObject } from "@telltale/kinds";
import { type Endpoint, validEndpoint } from "../endpoint.ts";
import type { Role } from "./references.ts";
import { hasBridge, isLeaving, isTied, objectOf, type World } from "./world.ts";

export type Plan =
  | { readonly do: "nothing" } // not ours to write: it stays as it is, to the last byte
  | { readonly do: "let go" } // others look after it now
  | { readonly do: "pause" } // nothing but to say so
  | { readonly do: "delete"; readonly next: Deletion }
  | {
      readonly do: "bridge";
      readonly isHeld: boolean;
      readonly tie: readonly Role[];
      readonly endpoint: Endpoint | undefined; // to be set, once
    };

/** What a deletion waits for, in this order. */
export type Deletion = "machines" | "controlPlane" | "infrastructure" | "nothing";

export function plan(world: World): Plan {
  const { cluster, mode, paused } = world;
  if (mode === "external") return hasBridge(cluster) ? { do: "let go" } : { do: "nothing" };
  if (mode === "unsure") return { do: "nothing" };
  if (paused !== undefined) return { do: "pause" };
  if (isLeaving(cluster)) return hasBridge(cluster) ? { do: "delete", next: nextOf(world) } : { do: "nothing" };
  const roles = (["infrastructure", "controlPlane"] as const).filter((role) => {
    const object = objectOf<KubeObject>(world[role]);
    return object !== undefined && !isLeaving(object) && !isTied(object, cluster);
  });
  return { do: "bridge", isHeld: hasBridge(cluster), tie: roles, endpoint: endpointFor(world) };
}

function nextOf({ machines, controlPlane, infrastructure }: World): Deletion {
  if (machines.length > 0) return "machines";
  if (controlPlane.is === "found") return "controlPlane";
  return infrastructure.is === "found" ? "infrastructure" : "nothing";
}

/** The endpoint that the Cluster takes over (B6). One that it has is never changed. */
function endpointFor({ cluster, infrastructure, controlPlane }: World): Endpoint | undefined {
  if (validEndpoint(cluster.spec?.controlPlaneEndpoint) !== undefined) return undefined;
  const [cc, cp] = [objectOf(infrastructure), objectOf(controlPlane)];
  const byControlPlane = cp?.status?.initialized === true ? validEndpoint(cp.spec.controlPlaneEndpoint) : undefined;
  const isProvisioned = cc?.status?.initialization?.provisioned === true;
  return byControlPlane ?? (isProvisioned ? validEndpoint(cc.spec.controlPlaneEndpoint) : undefined);
}
