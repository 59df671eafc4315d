// The endpoint of the cluster, as far as the network's object knows it (CC-7). It comes after the network and gates nothing:
// the control plane, which makes it, needs the network first (CC-8). Pure.
import { type SafeText, text } from "@telltale/status";
import { type Endpoint, formatEndpoint, usableEndpoint, validEndpoint } from "../endpoint.ts";
import { type NetworkSaid, type Row, say } from "./sketch.ts";
import type { World } from "./world.ts";

/** Whether a row is one with a network. */
export const hasEndpointStep = (row: Row): boolean => ["C2", "C3", "C11", "C12", "C13", "C14", "C15"].includes(row);

/** What a person set here goes before what the Cluster has. */
export const endpointOf = ({ it, cluster }: Pick<World, "it" | "cluster">): Endpoint | undefined =>
  usableEndpoint(it.spec.controlPlaneEndpoint) ?? usableEndpoint(cluster.spec.controlPlaneEndpoint);

export function endpointSaid(world: Pick<World, "it" | "cluster">): NetworkSaid {
  const found = endpointOf(world);
  if (found === undefined) {
    const isNone = validEndpoint(world.cluster.spec.controlPlaneEndpoint) === undefined;
    const message = isNone ? text`no endpoint on CAPTCluster or Cluster yet` : unusable(world.cluster);
    return say("EndpointReady", "False", "WaitingForEndpoint", message);
  }
  const isOwn = usableEndpoint(world.it.spec.controlPlaneEndpoint) !== undefined;
  return say(
    "EndpointReady",
    "True",
    isOwn ? "EndpointProvided" : "ClusterEndpointUsed",
    text`${formatEndpoint(found)}`,
  );
}

/** The value is not repeated: whoever puts a URL there may have put a password into it. */
const unusable = ({ metadata }: World["cluster"]): SafeText =>
  text`spec.controlPlaneEndpoint of Cluster ${metadata.name ?? ""} cannot be used: set host to a name or an address without scheme, port or path, and port to 1 to 65535`;
