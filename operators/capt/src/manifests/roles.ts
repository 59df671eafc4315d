// The roles of the operator and who has them. Each part has its own, so that what does not run has no rights. Pure.
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, ServiceAccount } from "@telltale/kinds/builtin";
import type { PolicyRule } from "@telltale/runtime";
import type { Config } from "../config.ts";
import { nameOf, type Provider, providerLabels } from "./provider.ts";
import {
  bridgeMachineRights,
  bridgeRights,
  detectionRights,
  eventRights,
  leaseRights,
  machineRights,
  managerRights,
  runnerRights,
  secretReadRights,
  secretRights,
  workspaceRights,
} from "./rights.ts";

export interface RoleOptions {
  readonly config: Config;
  /** Where the operator runs. */
  readonly namespace: string;
  /** Whose they are. Default: the infrastructure provider's. */
  readonly provider?: Provider;
  /** Whether Workspaces are in namespaces. The provider's are not. */
  readonly workspaces?: "Cluster" | "Namespaced";
}

export type RoleManifest = ServiceAccount | ClusterRole | ClusterRoleBinding | Role | RoleBinding;

export function roles(options: RoleOptions): readonly RoleManifest[] {
  const { namespace, provider = "infrastructure" } = options;
  const whose = { name: nameOf(provider), namespace, labels: providerLabels(provider) };
  const account: ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: whose };
  return [account, ...grantsOf(options, whose.name).flatMap((grant) => bound(grant, whose))];
}

/** Some rights, in one namespace or everywhere. */
interface Grant {
  readonly name: string;
  readonly in?: string;
  readonly rules: readonly PolicyRule[];
}

function grantsOf(options: RoleOptions, name: string): readonly Grant[] {
  const { config, namespace } = options;
  const { controllers, clusterApiMode, runner } = config;
  const isBridging = controllers.includes("cluster-bridge") && clusterApiMode !== "external";
  const isRunning = controllers.includes("workspace-runner") && runner.kind !== "none";
  const hasMachines = controllers.includes("machines");
  const parts: readonly (Grant | false)[] = [
    { name: `${name}-manager`, rules: [...managerRights, ...workspaceRights, ...detectionRights] },
    isBridging && {
      name: `${name}-cluster-bridge`,
      rules: [...bridgeRights, ...(hasMachines ? bridgeMachineRights : [])],
    },
    isRunning && { name: `${name}-runner`, rules: runnerRights },
    hasMachines && { name: `${name}-machines`, rules: machineRights },
    { name: `${name}-secrets`, rules: secretsOf(config, isRunning) },
  ];
  return [
    ...parts.flatMap((grant) => (grant === false ? [] : placed(grant, options))),
    ...(isRunning && config.namespaces !== undefined && options.workspaces !== "Namespaced"
      ? // Events about what is in no namespace are told in this one.
        [{ name: `${name}-events`, in: "default", rules: eventRights }]
      : []),
    { name: `${name}-operator`, in: namespace, rules: [...leaseRights, ...(isRunning ? secretRights : [])] },
  ];
}

/** A network reads outputs. A control plane also writes what others read; a runner writes the outputs. */
const secretsOf = ({ controllers }: Config, isRunning: boolean): readonly PolicyRule[] =>
  isRunning || controllers.includes("control-plane") ? secretRights : secretReadRights;

/** Everywhere; or in the namespaces that are watched, but for what is in none. */
function placed({ name, rules }: Grant, { config, workspaces = "Cluster" }: RoleOptions): readonly Grant[] {
  const { namespaces: watched, allowedSecretNamespaces } = config;
  if (watched === undefined) return [{ name, rules }];
  const isOutside = ({ apiGroups = [], resources = [] }: PolicyRule) =>
    ["apiextensions.k8s.io", "coordination.k8s.io"].includes(apiGroups[0] ?? "") ||
    resources.includes("providerconfigs") ||
    (workspaces === "Cluster" && resources.some((resource) => resource.split("/", 1)[0] === "workspaces"));
  const outside = rules.filter(isOutside);
  const inside = rules.filter((rule) => !isOutside(rule));
  const reachesSecrets = rules.some(({ resources = [] }) => resources.includes("secrets"));
  return [
    ...(inside.length > 0 ? watched.map((place) => ({ name, in: place, rules: inside })) : []),
    ...(outside.length > 0 ? [{ name, rules: outside }] : []),
    ...(reachesSecrets
      ? allowedSecretNamespaces.filter((place) => !watched.includes(place)).map((place) => ({ name, in: place, rules }))
      : []),
  ];
}

const apiVersion = "rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

interface Whose {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

function bound(grant: Grant, { labels, ...account }: Whose): readonly RoleManifest[] {
  const { name, in: namespace } = grant;
  const subjects = [{ kind: "ServiceAccount", ...account }];
  const rules = [...grant.rules];
  if (namespace === undefined) {
    const metadata = { name, labels };
    const roleRef = { apiGroup, kind: "ClusterRole", name };
    return [
      { apiVersion, kind: "ClusterRole", metadata, rules },
      { apiVersion, kind: "ClusterRoleBinding", metadata, roleRef, subjects },
    ];
  }
  const metadata = { name, namespace, labels };
  return [
    { apiVersion, kind: "Role", metadata, rules },
    { apiVersion, kind: "RoleBinding", metadata, roleRef: { apiGroup, kind: "Role", name }, subjects },
  ];
}
