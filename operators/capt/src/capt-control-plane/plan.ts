// What a pass does for a CAPTControlPlane: its applies, its own endpoint, and the Secrets that others read (4.7.4, 4.7.5). Pure.
import type { Instant } from "@telltale/kinds";
import { textIn } from "../chain.ts";
import { type Endpoint, formatEndpoint, validEndpoint } from "../endpoint.ts";
import type { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import {
  annotations,
  controlPlaneConnectionName,
  kubeconfigApplyName,
  kubeconfigOutputsName,
  labels,
  labelValue,
} from "../names.ts";
import { present } from "../status-fields.ts";
import { fullVersion, minorVersion } from "../version.ts";
import { certificateParts, kubeconfigParts, type Published, type SecretParts } from "./credentials.ts";
import { decide } from "./decide.ts";
import { isDowngrade } from "./rollout.ts";
import { applyNameOf, clusterNameOf, templatePlace, type World } from "./world.ts";

export type Apply = Pick<WorkspaceTemplateApply, "metadata" | "spec">;

export interface Plan {
  /** The applies, as they have to be. */
  readonly apply?: Apply;
  readonly kubeconfigApply?: Apply;
  readonly endpoint?: Endpoint;
  readonly secrets: readonly Publication[];
  readonly isSpotRoleWanted: boolean;
}

export interface Publication {
  readonly wanted: SecretParts;
  readonly there: Published;
}

export const nothing: Plan = { secrets: [], isSpotRoleWanted: false };

export function plan(world: World, now: Instant): Plan {
  const { it, chain, infrastructure, hasTemplate } = world;
  const decision = decide(world, now);
  if (decision.is === "troubled" || decision.is === "failed") return nothing;
  const isWaiting = infrastructure.is === "waiting" || infrastructure.is === "failed";
  const isMade = chain.apply !== undefined;
  const mayApply = !chain.isForeign && (isMade || (!isWaiting && hasTemplate));
  if (decision.is === "failing" && decision.isTerminal) {
    // Only a request that a person makes ends such a failure, and this may be it: an edit that mends what the run was given.
    return isMade && mayApply && decision.seen.failure !== undefined ? { ...nothing, apply: applyFor(world) } : nothing;
  }
  const isSpotRoleWanted = mayApply && it.spec.controlPlaneConfig?.spotServiceLinkedRole === "Ensure";
  return {
    ...(mayApply ? { apply: applyFor(world) } : {}),
    ...published(world, decision.seen.endpoint),
    isSpotRoleWanted,
  };
}

type Choice =
  ReturnType<typeof decide> extends infer D ? (D extends { seen: { endpoint: infer E } } ? E : never) : never;

/** Once the run has come to something: the endpoint, then what it takes to speak to it. */
function published(world: World, choice: Choice): Pick<Plan, "kubeconfigApply" | "endpoint" | "secrets"> {
  const { it, chain, credentials } = world;
  if (chain.class !== "Available" || chain.secret === undefined || choice.is !== "found") return { secrets: [] };
  const clusterName = clusterNameOf(world);
  const kubeconfig = kubeconfigParts(clusterName, credentials.kubeconfig);
  const certificate = certificateParts(clusterName, credentials.certificate);
  const secrets = [
    ...(certificate === undefined ? [] : [{ wanted: certificate, there: credentials.certificateSecret }]),
    ...(kubeconfig === undefined ? [] : [{ wanted: kubeconfig, there: credentials.kubeconfigSecret }]),
  ].filter(({ there }) => there.is === "absent" || (there.is === "ours" && !there.isCurrent));
  const isGiven = textIn(chain.secret, "kubeconfig") !== undefined;
  const isForeign = credentials.kubeconfigSecret.is === "foreign";
  const needsApply = world.kubeconfigTemplate !== undefined && !isGiven && !isForeign;
  return {
    ...(needsApply ? { kubeconfigApply: kubeconfigApplyFor(world, choice.endpoint) } : {}),
    ...(validEndpoint(it.spec.controlPlaneEndpoint) === undefined ? { endpoint: choice.endpoint } : {}),
    secrets,
  };
}

export function applyFor(world: World): Apply {
  const { it, infrastructure, chain } = world;
  const { name = "", namespace = "" } = it.metadata;
  const network = infrastructure.is === "ready" ? infrastructure.network : undefined;
  const before = chain.apply?.spec;
  const { applyName } = network ?? {};
  // What the network once told is not taken back because it cannot be asked just now.
  const waits = applyName === undefined ? before?.waitForWorkspaces : [{ name: applyName, namespace }];
  return {
    metadata: metadata(world, applyNameOf(it)),
    spec: {
      templateRef: templatePlace(it),
      writeConnectionSecretToRef: { name: controlPlaneConnectionName(name), namespace },
      variables: variables(world),
      ...(waits === undefined ? {} : { waitForWorkspaces: waits }),
    },
  };
}

function variables(world: World): Record<string, string> {
  const { it, infrastructure, chain } = world;
  const { spec } = it;
  const { endpointAccess: access, addons } = spec.controlPlaneConfig ?? {};
  const before = chain.apply?.spec.variables;
  const tags = Object.entries(spec.additionalTags ?? {});
  const network = infrastructure.is === "ready" ? infrastructure.network : undefined;
  return present({
    ...spec.variables,
    ...Object.fromEntries(tags.map(([key, value]) => [`tags_${key}`, value])),
    cluster_name: clusterNameOf(world),
    ...versions(world),
    region: regionOf(world),
    vpc_id: network?.vpcId ?? before?.["vpc_id"],
    ...(access === undefined
      ? {}
      : {
          endpoint_public_access: `${access.public ?? false}`,
          endpoint_private_access: `${access.private ?? false}`,
          endpoint_public_access_cidrs:
            access.publicCIDRs === undefined ? undefined : JSON.stringify(access.publicCIDRs),
        }),
    addons: addons === undefined ? undefined : JSON.stringify(addons),
    additional_tags: spec.additionalTags === undefined ? undefined : JSON.stringify(sorted(spec.additionalTags)),
  }) as Record<string, string>; // every member is a text
}

/** A version below the one that runs is not rendered: what was asked for before stays. */
function versions({ it, chain }: World): Record<string, string | undefined> {
  const before = chain.apply?.spec.variables;
  if (isDowngrade({ it }) && before !== undefined) {
    const { kubernetes_version, kubernetes_version_full } = before;
    return { kubernetes_version, kubernetes_version_full };
  }
  const { version } = it.spec;
  return { kubernetes_version: minorVersion(version), kubernetes_version_full: fullVersion(version) };
}

/** Its own, else the network's, else what the Cluster notes. */
function regionOf({ it, infrastructure, cluster, chain }: World): string | undefined {
  const network = infrastructure.is === "ready" ? infrastructure.network : undefined;
  const own = it.spec.controlPlaneConfig?.region;
  return (
    own ??
    network?.region ??
    cluster.metadata.annotations?.[annotations.region] ??
    chain.apply?.spec.variables?.["region"]
  );
}

function kubeconfigApplyFor(world: World, endpoint: Endpoint): Apply {
  const { it, chain, kubeconfigTemplate } = world;
  const { name = "", namespace = "" } = it.metadata;
  const clusterName = clusterNameOf(world);
  return {
    metadata: metadata(world, kubeconfigApplyName(name)),
    spec: {
      templateRef: kubeconfigTemplate ?? { name: "" },
      writeConnectionSecretToRef: { name: kubeconfigOutputsName(clusterName), namespace },
      waitForWorkspaces: [{ name: applyNameOf(it), namespace }],
      variables: present({
        cluster_name: clusterName,
        region: regionOf(world),
        cluster_endpoint: `https://${formatEndpoint(endpoint)}`,
        cluster_certificate_authority_data: textIn(chain.secret, "cluster_certificate_authority_data"),
      }) as Record<string, string>, // every member is a text
    },
  };
}

export const metadata = (world: World, name: string): Apply["metadata"] => ({
  name,
  namespace: world.it.metadata.namespace ?? "",
  labels: { [labels.clusterName]: labelValue(clusterNameOf(world)) },
});

const sorted = (all: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
