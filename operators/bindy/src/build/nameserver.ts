// A nameserver as it has to be: what an instance says, and what it takes from its cluster (3.3). Pure.
import type { Bind9ClusterSpec, Bind9InstanceSpec } from "../kinds/index.ts";
import type { Role } from "../names.ts";
import { type KeyChoice, keyChoice, type Overruled, overruledKeys } from "./key-choice.ts";

export type Bind9Config = NonNullable<Bind9InstanceSpec["config"]>;
export type BindcarConfig = NonNullable<Bind9InstanceSpec["bindcarConfig"]>;
export type RoleConfig = NonNullable<Bind9ClusterSpec["primary"]>;
export type ServiceConfig = NonNullable<RoleConfig["service"]>;

export interface Nameserver {
  readonly name: string;
  readonly namespace: string;
  readonly role: Role;
  /** The cluster that made it. Undefined: a person did. */
  readonly cluster?: string;
  readonly replicas: number;
  readonly version: string;
  readonly image: NonNullable<Bind9InstanceSpec["image"]>;
  readonly configMapRefs: NonNullable<Bind9InstanceSpec["configMapRefs"]>;
  /** The instance's over the cluster's, field by field. */
  readonly config: Bind9Config;
  /** The instance's, else the role's, else the cluster's. Nobody, where none says anything. */
  readonly allowTransfer: readonly string[];
  readonly acls: Readonly<Record<string, readonly string[]>>;
  readonly moreKeys: NonNullable<Bind9ClusterSpec["rndcSecretRefs"]>;
  readonly volumes: NonNullable<Bind9InstanceSpec["volumes"]>;
  readonly volumeMounts: NonNullable<Bind9InstanceSpec["volumeMounts"]>;
  readonly storage: NonNullable<Bind9InstanceSpec["storage"]>;
  readonly bindcar: BindcarConfig;
  readonly service: ServiceConfig;
  readonly key: KeyChoice;
  /** What was said of keys beside that. */
  readonly overruled: readonly Overruled[];
}

export interface InstanceIdentity {
  readonly name: string;
  readonly namespace: string;
  /** The cluster that made it. Undefined: a person did. */
  readonly cluster?: string;
}

/** `cluster`: what the cluster says that it belongs to, if it belongs to one. */
export function nameserverOf(
  { name, namespace, cluster: maker }: InstanceIdentity,
  spec: Bind9InstanceSpec,
  cluster: Bind9ClusterSpec = {},
): Nameserver {
  const role = cluster[spec.role] ?? {};
  const config = { ...cluster.global, ...spec.config };
  return {
    name,
    namespace,
    role: spec.role,
    ...(maker === undefined ? {} : { cluster: maker }),
    replicas: spec.replicas ?? 1,
    version: spec.version ?? cluster.version ?? "9.18",
    image: spec.image ?? cluster.image ?? {},
    configMapRefs: spec.configMapRefs ?? cluster.configMapRefs ?? {},
    config,
    allowTransfer: spec.config?.allowTransfer ?? role.allowTransfer ?? cluster.global?.allowTransfer ?? [],
    acls: cluster.acls ?? {},
    moreKeys: cluster.rndcSecretRefs ?? [],
    volumes: spec.volumes ?? cluster.volumes ?? [],
    volumeMounts: spec.volumeMounts ?? cluster.volumeMounts ?? [],
    storage: spec.storage ?? {},
    bindcar: spec.bindcarConfig ?? config.bindcarConfig ?? {},
    service: role.service ?? {},
    key: keyChoice(name, spec, role, config),
    overruled: overruledKeys(spec, role, spec.role),
  };
}

export const portOf = ({ bindcar }: Pick<Nameserver, "bindcar">): number => bindcar.port ?? 8080;

export const isSigning = ({ config }: Pick<Nameserver, "config">): boolean => config.dnssec?.signing?.enabled === true;

/** The Secret with the keys that zones are signed with. */
export const signingSecret = (server: Pick<Nameserver, "config">): string | undefined =>
  isSigning(server) ? server.config.dnssec?.signing?.keysFrom?.secretRef?.name : undefined;
