// Which endpoint a control plane has, of all that somebody says it has (CP-8). Pure.
import { type Chain, shownText, textIn } from "../chain.ts";
import { type Endpoint, parseEndpoint, sameEndpoint, usableEndpoint, validEndpoint } from "../endpoint.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import type { Cluster } from "../kinds/cluster.ts";

export type EndpointChoice =
  | { readonly is: "none" }
  | { readonly is: "invalid"; readonly key: string } // somebody says one, and it is none
  | {
      readonly is: "found";
      readonly endpoint: Endpoint;
      readonly by: "cluster" | "spec" | "run";
      /** Whether somebody further down says another one. */
      readonly isDisputed: boolean;
    };

const keys = ["cluster_endpoint", "endpoint"] as const;

/** The Cluster's goes before our own, and both before what the run says. */
export function chooseEndpoint(it: CAPTControlPlane, cluster: Cluster, chain: Chain): EndpointChoice {
  const said = [
    ...keys.map((key) => [key, textIn(chain.secret, key)] as const),
    ...keys.map((key) => [key, shownText(chain, key)] as const),
  ];
  const present = said.filter(([, text]) => text !== undefined);
  const run = present.map(([, text]) => parseEndpoint(text ?? "")).find((found) => found !== undefined);
  const candidates = [
    ["cluster", usableEndpoint(cluster.spec.controlPlaneEndpoint)],
    ["spec", usableEndpoint(it.spec.controlPlaneEndpoint)],
    ["run", run],
  ] as const;
  for (const [by, endpoint] of candidates) {
    if (endpoint === undefined) continue;
    // What a Cluster says counts here also where it cannot be used.
    const others = [...candidates.map(([, other]) => other), validEndpoint(cluster.spec.controlPlaneEndpoint)];
    const isDisputed = others.some((other) => other !== undefined && !sameEndpoint(other, endpoint));
    return { is: "found", endpoint, by, isDisputed };
  }
  const [first] = present;
  return first === undefined ? { is: "none" } : { is: "invalid", key: first[0] };
}
