// The endpoint of the cluster, as far as the network's object knows it (CC-7). It comes after the network and gates nothing:
// the control plane, which makes it, needs the network first (CC-8). Pure.
import { text } from "@telltale/status";
import { type Endpoint, formatEndpoint, validEndpoint } from "../endpoint.ts";
import { type NetworkSaid, type Row, say } from "./sketch.ts";
import type { World } from "./world.ts";

/** Whether a row is one with a network. */
export const hasEndpointStep = (row: Row): boolean => ["C3", "C11", "C12", "C13", "C14", "C15"].includes(row);

/** What a person set here goes before what the Cluster has. */
export const endpointOf = ({ it, cluster }: Pick<World, "it" | "cluster">): Endpoint | undefined =>
  validEndpoint(it.spec.controlPlaneEndpoint) ?? validEndpoint(cluster.spec.controlPlaneEndpoint);

export function endpointSaid(world: Pick<World, "it" | "cluster">): NetworkSaid {
  const found = endpointOf(world);
  if (found === undefined) {
    return say("EndpointReady", "False", "WaitingForEndpoint", text`no endpoint on CAPTCluster or Cluster yet`);
  }
  const isOwn = validEndpoint(world.it.spec.controlPlaneEndpoint) !== undefined;
  return say(
    "EndpointReady",
    "True",
    isOwn ? "EndpointProvided" : "ClusterEndpointUsed",
    text`${formatEndpoint(found)}`,
  );
}
