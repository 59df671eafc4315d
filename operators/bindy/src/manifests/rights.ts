// What the operator, the pods and people may do at most (12.1). The operator patches and never updates, and reads Secrets only
// in the namespaces where there are instances. Pure.
import type { Kind } from "@telltale/kinds";
import type { PolicyRule } from "@telltale/runtime";
import { Bind9Cluster } from "../kinds/bind9-cluster.ts";
import { Bind9GlobalCluster } from "../kinds/bind9-global-cluster.ts";
import { Bind9Instance } from "../kinds/bind9-instance.ts";
import { DNSZone } from "../kinds/dns-zone.ts";
import { recordKinds } from "../kinds/records.ts";
import { group } from "../names.ts";
import { bindyKinds } from "./crds.ts";

const reading = ["get", "list", "watch"] as const;
const making = [...reading, "create", "patch", "delete"] as const;
const plurals = (kinds: readonly Kind[], subresource = ""): readonly string[] =>
  kinds.map(({ plural }) => `${plural}${subresource}`);

const owners = [Bind9GlobalCluster, Bind9Cluster, Bind9Instance];

/** Of the operator in the whole cluster. */
export const operatorRights: readonly PolicyRule[] = [
  rule(group, plurals([Bind9Instance, Bind9Cluster]), ...making),
  rule(group, plurals([Bind9GlobalCluster, DNSZone, ...recordKinds]), ...reading, "patch"),
  rule(group, plurals(bindyKinds, "/status"), "patch"),
  // The server asks for it where a child holds back its owner.
  rule(group, plurals(owners, "/finalizers"), "update"),
  rule("apps", ["deployments"], ...making),
  rule("apps", ["replicasets"], ...reading),
  rule("", ["services", "configmaps"], ...making),
  // It has labels and nothing else: it is made and taken away, never changed.
  rule("", ["serviceaccounts"], ...reading, "create", "delete"),
  rule("", ["pods"], ...reading),
  rule("", ["pods/status"], "patch"),
  rule("", ["events"], "create", "patch"),
  rule("events.k8s.io", ["events"], "create", "patch"),
];

/** In the operator's own namespace. */
export const leaseRights: readonly PolicyRule[] = [rule("coordination.k8s.io", ["leases"], "get", "create", "patch")];

/** Of the operator in each namespace with instances: their keys. */
export const secretRights: readonly PolicyRule[] = [rule("", ["secrets"], ...making)];

/** Of the pods: Bindcar asks the server whose token it was shown. */
export const tokenReviewRights: readonly PolicyRule[] = [rule("authentication.k8s.io", ["tokenreviews"], "create")];

/** Of people who clean up. Never of the operator. */
export const adminRights: readonly PolicyRule[] = [
  rule(group, plurals(bindyKinds), "delete", "deletecollection"),
  rule("apps", ["deployments"], "delete"),
  rule("", ["services", "configmaps", "serviceaccounts", "secrets"], "delete"),
];

function rule(apiGroup: string, resources: readonly string[], ...verbs: readonly string[]): PolicyRule {
  return { apiGroups: [apiGroup], resources: [...resources], verbs: [...verbs] };
}
