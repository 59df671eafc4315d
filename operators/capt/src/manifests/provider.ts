// The two providers that we are to Cluster API, which may be installed apart from each other.
import type { Part } from "../config.ts";
import { labels } from "../names.ts";

export type Provider = "infrastructure" | "control-plane";

/** What everything of a provider is called after. */
export const nameOf = (provider: Provider): string => (provider === "infrastructure" ? "capt" : "capt-control-plane");

/** How clusterctl knows what belongs to a provider. */
export const providerLabels = (provider: Provider): Readonly<Record<string, string>> => ({
  [labels.provider]: `${provider}-capt`,
});

/** What runs in the process of a provider. */
export const partsOf = (provider: Provider): readonly Part[] =>
  provider === "control-plane"
    ? ["control-plane"]
    : ["infrastructure", "cluster-bridge", "workspace-runner", "machines"];
