// Which parts of a policy each type of provider can keep (3.5 step 2): the matrix, and what it makes of one spec. Pure.
import { type SafeText, text } from "@telltale/status";
import type { PolicyValidationResult, VMPlacementPolicy } from "../kinds/index.ts";
import type { Topology } from "../placement/decision.ts";
import { type Constraints, some } from "../placement/rules.ts";
import { topologyOf, type VMAffinity } from "../placement/terms.ts";
import type { ProviderType } from "./world.ts";

type Spec = VMPlacementPolicy["spec"];

type Support =
  | { readonly is: "yes" }
  | { readonly is: "no" }
  | { readonly is: "partly"; readonly but: string } // it counts as kept, with a warning
  | { readonly is: "unchecked"; readonly but: string }; // it is not kept, and that makes nothing invalid

/** A part of the spec that is there. */
interface Feature {
  readonly path: string;
  /** It has to be kept: in `hard`, strict or required. */
  readonly isHard: boolean;
  readonly on: Row;
}

type Row = Readonly<Record<ProviderType, Support>>;

const yes: Support = { is: "yes" };
const no: Support = { is: "no" };
const everywhere = (support: Support): Row => row(support, support, support, support);
const row = (vsphere: Support, proxmox: Support, libvirt: Support, qemu: Support): Row => ({
  vsphere,
  proxmox,
  libvirt,
  qemu,
  firecracker: qemu,
});

const matrix = {
  cluster: row(yes, no, no, no),
  folder: row(yes, no, no, no),
  resourcePool: row({ is: "partly", but: "it is sent, and the provider ignores it" }, no, no, no),
  host: row(yes, yes, no, no),
  datastore: row(yes, yes, { is: "partly", but: "it is taken as the name of a pool" }, no),
  network: everywhere(yes),
  zone: everywhere(yes),
  labels: row(no, no, yes, yes),
  unknown: everywhere(no),
  ofClass: everywhere(yes),
  inventory: everywhere({ is: "unchecked", but: "no provider tells how full its hosts are" }),
  unseen: everywhere({ is: "unchecked", but: "neither a class nor a provider tells" }),
} as const satisfies Record<string, Row>;

/** What the matrix says of one type. Without `lastValidated`: that depends on what was said before. */
export function validated(spec: Spec, type: ProviderType): Omit<PolicyValidationResult, "lastValidated"> {
  const [supported, unsupported]: [string[], string[]] = [[], []];
  const [errors, warnings]: [SafeText[], SafeText[]] = [[], []];
  for (const { path, isHard, on } of featuresOf(spec)) {
    const support = on[type];
    (support.is === "yes" || support.is === "partly" ? supported : unsupported).push(path);
    if (support.is === "no" && isHard) errors.push(text`${path} cannot be kept`);
    else if (support.is === "no") warnings.push(text`${path} is ignored`);
    else if (support.is !== "yes") warnings.push(text`${path}: ${support.but}`);
  }
  const valid = errors.length === 0;
  return {
    valid,
    message: valid
      ? `Policy is valid for ${titles[type]} provider`
      : `Policy is not valid for ${titles[type]} provider`,
    ...listed("errors", errors.slice(0, most.texts)),
    ...listed("warnings", warnings.slice(0, most.texts)),
    ...listed("supportedFeatures", supported.slice(0, most.features)),
    ...listed("unsupportedFeatures", unsupported.slice(0, most.features)),
  };
}

const most = { texts: 20, features: 50 } as const;

const listed = <N extends string>(name: N, list: string[]) =>
  (list.length === 0 ? {} : { [name]: list }) as { readonly [P in N]?: string[] };

const titles: Record<ProviderType, string> = {
  vsphere: "vSphere",
  libvirt: "Libvirt",
  proxmox: "Proxmox",
  qemu: "QEMU",
  firecracker: "Firecracker",
};

/** The hard parts that a type cannot keep. */
export const unkept = (spec: Spec, type: ProviderType): readonly string[] =>
  featuresOf(spec).flatMap(({ path, isHard, on }) => (isHard && on[type].is === "no" ? [path] : []));

/** The parts that a spec has, in the order of their paths. */
function featuresOf(spec: Spec): readonly Feature[] {
  const features = [
    ...constrained("hard", spec.hard),
    ...constrained("soft", spec.soft),
    ...affine(spec),
    ...resources(spec),
    ...secured(spec),
  ];
  return features.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function constrained(block: "hard" | "soft", lists: Constraints | undefined): Feature[] {
  const { clusters, excludedClusters, hosts, excludedHosts, datastores, excludedDatastores } = lists ?? {};
  const { folders, resourcePools, networks, zones, regions, nodeSelector = {}, tolerations = [] } = lists ?? {};
  const table: readonly [string, boolean, Row][] = [
    ["clusters", some(clusters) !== undefined, matrix.cluster],
    ["excludedClusters", some(excludedClusters) !== undefined, matrix.cluster],
    ["hosts", some(hosts) !== undefined, matrix.host],
    ["excludedHosts", some(excludedHosts) !== undefined, matrix.host],
    ["datastores", some(datastores) !== undefined, matrix.datastore],
    ["excludedDatastores", some(excludedDatastores) !== undefined, matrix.datastore],
    ["folders", some(folders) !== undefined, matrix.folder],
    ["resourcePools", some(resourcePools) !== undefined, matrix.resourcePool],
    ["networks", some(networks) !== undefined, matrix.network],
    ["zones", some(zones) !== undefined, matrix.zone],
    ["regions", some(regions) !== undefined, matrix.zone],
    ["nodeSelector", Object.keys(nodeSelector).length > 0, matrix.labels],
    ["tolerations", tolerations.length > 0, matrix.labels],
  ];
  return table.flatMap(([name, isThere, on]) =>
    isThere ? [{ path: `${block}.${name}`, isHard: block === "hard", on }] : [],
  );
}

interface Rule {
  readonly enabled: boolean;
  readonly scope?: string;
}

function affine({ affinity, antiAffinity }: Spec): Feature[] {
  const rules: readonly [string, Rule | undefined, Row][] = [
    ["affinity.hostAffinity", affinity?.hostAffinity, matrix.host],
    ["affinity.clusterAffinity", affinity?.clusterAffinity, matrix.cluster],
    ["affinity.datastoreAffinity", affinity?.datastoreAffinity, both],
    ["affinity.zoneAffinity", affinity?.zoneAffinity, matrix.zone],
    ["affinity.applicationAffinity", affinity?.applicationAffinity, matrix.host],
    ["antiAffinity.hostAntiAffinity", antiAffinity?.hostAntiAffinity, matrix.host],
    ["antiAffinity.clusterAntiAffinity", antiAffinity?.clusterAntiAffinity, matrix.cluster],
    ["antiAffinity.datastoreAntiAffinity", antiAffinity?.datastoreAntiAffinity, both],
    ["antiAffinity.zoneAntiAffinity", antiAffinity?.zoneAntiAffinity, matrix.zone],
    ["antiAffinity.applicationAntiAffinity", antiAffinity?.applicationAntiAffinity, matrix.host],
  ];
  return [
    ...rules.flatMap(([path, rule, on]) =>
      rule?.enabled === true ? [{ path, isHard: rule.scope === "strict", on }] : [],
    ),
    ...terms("affinity.vmAffinity", affinity?.vmAffinity),
    ...terms("antiAffinity.vmAntiAffinity", antiAffinity?.vmAntiAffinity),
  ];
}

/** Rules about datastores, where a pool's name is no help. */
const both = row(yes, yes, no, no);

function terms(path: string, block: VMAffinity | undefined): Feature[] {
  const required = block?.requiredDuringScheduling ?? [];
  const preferred = (block?.preferredDuringScheduling ?? []).map(({ vmAffinityTerm }) => vmAffinityTerm);
  return [
    ...required.map((term, i) => feature(`${path}.requiredDuringScheduling[${i}]`, true, topologyOf(term))),
    ...preferred.map((term, i) => feature(`${path}.preferredDuringScheduling[${i}]`, false, topologyOf(term))),
  ];
}

const feature = (path: string, isHard: boolean, by: Topology | undefined): Feature => {
  const on = by === undefined ? matrix.unknown : by === "datastore" ? both : matrix[by];
  return { path, isHard, on };
};

function resources({ resourceConstraints = {} }: Spec): Feature[] {
  const there = Object.entries(resourceConstraints).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return there.map(([name]) => ({ path: `resourceConstraints.${name}`, isHard: false, on: matrix.inventory }));
}

const ofClass: ReadonlySet<string> = new Set(["requireSecureBoot", "requireTPM", "requireEncryptedStorage"]);

/** What is said, not what is left as it would be anyway. */
function secured({ securityConstraints = {} }: Spec): Feature[] {
  const there = Object.entries(securityConstraints).filter(([, value]) => {
    return Array.isArray(value) ? value.length > 0 : value !== false && value !== "none";
  });
  return there.map(([name, value]) => {
    const on = ofClass.has(name) ? matrix.ofClass : value === "maximum" ? matrix.host : matrix.unseen;
    return { path: `securityConstraints.${name}`, isHard: on !== matrix.unseen, on };
  });
}
