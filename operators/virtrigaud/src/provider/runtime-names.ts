// What the Service and the Deployment of a provider are called and how they are labelled (1.3, 3.2 step 5). Pure.
import { boundedName, isDnsLabel, sha256Hex } from "@telltale/kinds";
import type { Provider } from "../kinds/index.ts";
import { labels } from "../names.ts";

/** Of the Service and the Deployment. */
export function runtimeName({ metadata }: Pick<Provider, "metadata">): string {
  const full = `virtrigaud-provider-${metadata.namespace ?? ""}-${metadata.name ?? ""}`;
  return full.length <= 63 ? full : `${full.slice(0, 50)}-${sha256Hex(full, 10)}`;
}

const standardPort = 9443;
/** Of health and metrics. */
export const healthPort = 8080;

export const portOf = ({ spec }: Provider): number => spec.runtime?.service?.port ?? standardPort;

export const endpointOf = (it: Provider): string =>
  `${runtimeName(it)}.${it.metadata.namespace ?? ""}.svc.cluster.local:${portOf(it)}`;

export const appName = "virtrigaud-provider";

export function selectorOf({ metadata }: Provider): Record<string, string> {
  return { [labels.name]: appName, [labels.instance]: boundedName(metadata.name ?? "", 63, 10) };
}

export function labelsOf(it: Provider): Record<string, string> {
  return {
    ...selectorOf(it),
    [labels.component]: "provider",
    [labels.managedBy]: "virtrigaud",
    [labels.providerType]: it.spec.type,
  };
}

/** The volume of a claim: its name is a DNS label, which that of a claim need not be. */
export function volumeOf(claim: string): string {
  const plain = `migration-${claim}`;
  if (isDnsLabel(plain)) return plain;
  const start = plain
    .replace(/[^a-z0-9-]/g, "-")
    .slice(0, 52)
    .replace(/-+$/, "");
  return `${start}-${sha256Hex(plain, 10)}`;
}
